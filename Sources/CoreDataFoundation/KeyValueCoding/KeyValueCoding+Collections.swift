// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds the key-value coding of Apple's systems to Foundation's collections.

public import Foundation

// All these methods trap for an unknown key and name it: an unknown key is a programming error.

extension NSArray {
    /// The values of the members for a key, with `NSNull` for nil; or the result of an operator such as "@count".
    public func value(forKey key: String) -> Any? { TrappingKeyValueAccess.value(key, of: self) }

    /// Like `value(forKey:)`, along a key path.
    public func value(forKeyPath keyPath: String) -> Any? { TrappingKeyValueAccess.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { TrappingKeyValueAccess.set(value, forKey: key, of: self) }
}

extension NSSet {
    /// The set of the members' values for a key, without nil; or the result of an operator such as "@count".
    public func value(forKey key: String) -> Any? { TrappingKeyValueAccess.value(key, of: self) }

    /// Like `value(forKey:)`, along a key path.
    public func value(forKeyPath keyPath: String) -> Any? { TrappingKeyValueAccess.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { TrappingKeyValueAccess.set(value, forKey: key, of: self) }
}

extension NSOrderedSet {
    /// The ordered set of the members' values for a key, without nil; or the result of an operator.
    public func value(forKey key: String) -> Any? { TrappingKeyValueAccess.value(key, of: self) }

    /// Like `value(forKey:)`, along a key path.
    public func value(forKeyPath keyPath: String) -> Any? { TrappingKeyValueAccess.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { TrappingKeyValueAccess.set(value, forKey: key, of: self) }
}

extension NSDictionary {
    /// The value at a key path; nil if a value on the path is missing.
    public func value(forKeyPath keyPath: String) -> Any? { TrappingKeyValueAccess.value(keyPath, of: self) }
}

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value { setObject(value, forKey: key as NSString) } else { removeObject(forKey: key) }
    }
}

extension KeyValueCoding {
    /// The value at a key path such as "department.manager.name", or the result of an operator as in
    /// "employees.@sum.salary". A path through a collection returns the values of its members. nil on the path
    /// results in nil.
    public func value(forKeyPath keyPath: String) -> Any? { TrappingKeyValueAccess.value(keyPath, of: self) }

    /// Sets the last key of a key path, on the object before it or on every member of a collection. Does nothing if
    /// that object is nil.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        do {
            try CoreDataFoundation.setValue(value, atKeyPath: keyPath, of: self)
        } catch {
            preconditionFailure("'\(keyPath)' cannot be set: \(error)")
        }
    }
}

/// Key paths for callers that cannot throw.
private enum TrappingKeyValueAccess {
    static func value(_ keyPath: String, of object: Any) -> Any? {
        do {
            return try CoreDataFoundation.value(atKeyPath: keyPath, of: object)
        } catch {
            preconditionFailure("'\(keyPath)' cannot be read: \(error)")
        }
    }

    static func set(_ value: Any?, forKey key: String, of collection: any ValueCollection) {
        do {
            try KeyWriting.setValue(value, forKey: key, of: collection)
        } catch {
            preconditionFailure("'\(key)' cannot be set: \(error); let the type conform to KeyValueCoding")
        }
    }
}
