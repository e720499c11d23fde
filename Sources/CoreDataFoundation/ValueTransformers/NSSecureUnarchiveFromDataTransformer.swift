// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns archived data into objects of classes that are allowed, and objects into archived data.

import Foundation

/// Reads keyed archives, and only objects of classes it has been told of. A subclass overrides `allowedTopLevelClasses` and is
/// registered under a name of its own.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes whose objects may be in the data, at the top and inside.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self,
            NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSObject.self }
    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object in the data; nil for nil, for what is no data, for data that is no archive, and for an archive with an object
    /// of another class in it.
    open override func transformedValue(_ value: Any?) -> Any? {
        let allowed = Self.allowedTopLevelClasses
        guard let data = value as? Data,
            let object = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
        else { return nil }
        // Asked once more: off Apple's systems the unarchiver gives property list values whatever is allowed.
        guard let instance = object as? NSObject, allowed.contains(where: { instance.isKind(of: $0) }) else {
            return nil
        }
        return object
    }

    /// The object as an archive; nil for nil, and for an object that no secure archive takes.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value, isSecurelyCodable(value) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    /// Asked before archiving, which stops the program where an object cannot be archived.
    private func isSecurelyCodable(_ value: Any) -> Bool {
        switch value {
        case let array as [Any]: array.allSatisfy(isSecurelyCodable)
        case let dictionary as [AnyHashable: Any]:
            dictionary.allSatisfy { isSecurelyCodable($0.key.base) && isSecurelyCodable($0.value) }
        case let set as Set<AnyHashable>: set.allSatisfy { isSecurelyCodable($0.base) }
        default: value is any NSSecureCoding || isBridged(value)
        }
    }

    /// Values that Foundation turns into its own objects by itself.
    private func isBridged(_ value: Any) -> Bool {
        value is String || value is NSNumber || value is Date || value is Data || value is URL || value is UUID
    }
}
