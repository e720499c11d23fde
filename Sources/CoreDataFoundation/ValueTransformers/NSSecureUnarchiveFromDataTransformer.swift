// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A transformer between objects and keyed archives with secure coding.

package import Foundation

/// Decodes objects of allowed classes from keyed archives, and encodes them in reverse.
///
/// Transforming converts data to an object; nil for nil, and for data that cannot be decoded or contains a class that
/// is not allowed.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The allowed classes of an archive's root object, and of members of collections.
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

    /// - Throws: `CocoaError` if the data is not an archive, or contains a class that is not allowed.
    package class func object(from data: Data) throws -> Any? {
        // Outside of Apple's systems Foundation's check of classes ends the process, which invalid data must never do.
        // So the class names are checked before decoding, and the decoded objects afterwards.
        try ArchivedClasses.requireBounds(of: data)
        for name in try ArchivedClasses.names(in: data) {
            let type: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
            guard let type, isAllowed(type) || (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
                throw refusal(name, .coderReadCorrupt)
            }
        }
        guard let object = try ArchivedClasses.root(of: data) else { return nil }
        var rest = ArchiveBounds.mostValues(data.count)
        try check(object, .coderReadCorrupt, &rest)
        return object
    }

    /// - Throws: `CocoaError` if a value, or a member of a collection, has a class that is not allowed.
    package class func data(of value: Any) throws -> Data {
        let object = value as AnyObject
        if ArchivedClasses.hasDecimal(object) { throw refusal("NSDecimalNumber", .coderInvalidValue) }
        var rest = Int.max
        try check(object, .coderInvalidValue, &rest)
        return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    /// - Parameter rest: the number of values that may still be examined; a shared member counts for each reference to
    ///   it.
    private class func check(_ value: Any, _ code: CocoaError.Code, _ rest: inout Int) throws {
        let object = value as AnyObject
        rest -= 1
        guard rest > 0 else { throw CocoaError(code) }
        guard isAllowed(type(of: object)) else { throw refusal(String(describing: type(of: object)), code) }
        if let dictionary = value as? any ValueDictionary {
            for (key, value) in dictionary.entries {
                try check(key.base, code, &rest)
                try check(value, code, &rest)
            }
        } else if let collection = value as? any ValueCollection {
            for member in collection.members { try check(member, code, &rest) }
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

/// The transformer for the names from before secure coding.
final class KeyedUnarchiveTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = presentValue(value) as? Data, ArchiveBounds.allow(data) else { return nil }
        return try? ArchivedClasses.root(of: data)
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = presentValue(value), let object = value as AnyObject as? any NSCoding,
            !ArchivedClasses.hasDecimal(object)
        else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }
}

extension ValueTransformer {
    /// Whether `transformedValue(_:)` converts data to an object, and the reverse an object to data.
    ///
    /// Core Data uses such a transformer in the opposite direction. Only its class identifies it:
    /// `transformedValueClass()` does not, because many custom transformers return the object's class there although
    /// they produce data.
    package var makesObjectsOfData: Bool {
        self is NSSecureUnarchiveFromDataTransformer || self is KeyedUnarchiveTransformer
    }
}

/// Lists the classes in a keyed archive, and finds values that Foundation must not archive.
package enum ArchivedClasses {
    /// - Throws: `CocoaError` for data that must not be passed to Foundation.
    static func requireBounds(of data: Data) throws {
        guard ArchiveBounds.allow(data) else { throw CocoaError(.coderReadCorrupt) }
    }

    /// Whether a value is a decimal, or a collection with one: Foundation's archiver on Linux hashes each object, and
    /// `NSDecimalNumber.hash` recurses until the stack overflows.
    package static func hasDecimal(_ value: Any) -> Bool {
        if value is NSDecimalNumber || value is Decimal { return true }
        if let dictionary = value as? any ValueDictionary {
            return dictionary.entries.contains { hasDecimal($0.key.base) || hasDecimal($0.value) }
        }
        return (value as? any ValueCollection)?.members.contains(where: hasDecimal) ?? false
    }

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
