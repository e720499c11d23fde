// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns archived data into objects, and objects into archives.

package import Foundation

/// Reads objects from keyed archives, and writes them in reverse; accepts only the classes it allows.
///
/// Transforming gives an object from data; nil for nil. Data that cannot be read, or that holds another class, gives nil.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes an archive's root may be of, and the classes of members of collections.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSObject.self }
    open override class func allowsReverseTransformation() -> Bool { true }

    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = presentValue(value) as? Data else { return nil }
        return try? Self.object(from: data)
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = presentValue(value) else { return nil }
        return try? Self.data(of: value)
    }

    /// - Throws: `CocoaError` where the data is no archive, or holds a class that is not allowed.
    package class func object(from data: Data) throws -> Any? {
        // Foundation's own check of classes ends the process off Apple's systems, which bad data must never do. So classes
        // are looked at before they are decoded, and what was decoded is looked at before it is given out.
        for name in try ArchivedClasses.names(in: data) {
            let type: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
            guard let type, isAllowed(type) || (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
                throw refusal(name, .coderReadCorrupt)
            }
        }
        guard let object = try ArchivedClasses.root(of: data) else { return nil }
        try check(object, .coderReadCorrupt)
        return object
    }

    /// - Throws: `CocoaError` where a value, or a member of a collection, is of a class that is not allowed.
    package class func data(of value: Any) throws -> Data {
        let object = value as AnyObject
        try check(object, .coderInvalidValue)
        return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    private class func check(_ value: Any, _ code: CocoaError.Code) throws {
        let object = value as AnyObject
        guard isAllowed(type(of: object)) else { throw refusal(String(describing: type(of: object)), code) }
        if let dictionary = value as? any ValueDictionary {
            for (key, value) in dictionary.entries {
                try check(key.base, code)
                try check(value, code)
            }
        } else if let collection = value as? any ValueCollection {
            for member in collection.members { try check(member, code) }
        }
    }

    private class func isAllowed(_ type: AnyClass) -> Bool {
        allowedTopLevelClasses.contains { allowed in
            var ancestor: AnyClass? = type
            while let current = ancestor {
                if current == allowed { return true }
                ancestor = Swift._getSuperclass(current)
            }
            return false
        }
    }

    private class func refusal(_ name: String, _ code: CocoaError.Code) -> CocoaError {
        CocoaError(code, userInfo: [NSDebugDescriptionErrorKey: "\(self) does not allow values of class \(name)"])
    }
}

/// What the names from before secure coding stand for.
final class KeyedUnarchiveTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = presentValue(value) as? Data else { return nil }
        return try? ArchivedClasses.root(of: data)
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = presentValue(value), let object = value as AnyObject as? any NSCoding else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }
}

extension ValueTransformer {
    /// Whether `transformedValue(_:)` makes an object of data, and the reverse makes data of an object.
    ///
    /// Core Data uses such a transformer the other way round than one that makes data. Only the class tells them apart:
    /// `transformedValueClass()` does not, because many transformers of applications name the object's class there and
    /// make data nevertheless.
    package var makesObjectsOfData: Bool {
        self is NSSecureUnarchiveFromDataTransformer || self is KeyedUnarchiveTransformer
    }
}

/// Looks into a keyed archive.
enum ArchivedClasses {
    static func names(in data: Data) throws -> [String] {
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        guard let objects = (list as? [String: Any])?["$objects"] as? [Any] else {
            throw CocoaError(.coderReadCorrupt)
        }
        return objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
    }

    static func root(of data: Data) throws -> Any? {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object
    }
}
