// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives Foundation's collections the key-value coding that they have on Apple's systems.

public import Foundation

// An unknown key traps in all of these, and the message names it: a key written in a program is the programmer's.

extension NSArray {
    /// The values that the members have for a key, `NSNull` where nil; or what an operator such as "@count" makes of them.
    public func value(forKey key: String) -> Any? { KeyValueFace.value(key, of: self) }

    /// As `value(forKey:)`, along a chain of keys.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValueFace.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { KeyValueFace.set(value, forKey: key, of: self) }
}

extension NSSet {
    /// The set of the values that the members have for a key, without nil; or what an operator such as "@count" makes of them.
    public func value(forKey key: String) -> Any? { KeyValueFace.value(key, of: self) }

    /// As `value(forKey:)`, along a chain of keys.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValueFace.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { KeyValueFace.set(value, forKey: key, of: self) }
}

extension NSOrderedSet {
    /// The ordered set of the values that the members have for a key, without nil; or what an operator makes of them.
    public func value(forKey key: String) -> Any? { KeyValueFace.value(key, of: self) }

    /// As `value(forKey:)`, along a chain of keys.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValueFace.value(keyPath, of: self) }

    /// Sets a property of every member.
    public func setValue(_ value: Any?, forKey key: String) { KeyValueFace.set(value, forKey: key, of: self) }
}

extension NSDictionary {
    /// The value along a chain of keys; nil where one is missing.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValueFace.value(keyPath, of: self) }
}

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value { setObject(value, forKey: key as NSString) } else { removeObject(forKey: key) }
    }
}

extension KeyValueCoding {
    /// The value at the end of a chain of keys, as "department.manager.name", or of an operator, as "employees.@sum.salary".
    /// A chain through a collection gives the values of its members. Nil on the way gives nil.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValueFace.value(keyPath, of: self) }

    /// Sets the last key of a chain on the object that the chain before it leads to, or on every member of a
    /// collection; does nothing where that is nil.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        do {
            try CoreDataFoundation.setValue(value, atKeyPath: keyPath, of: self)
        } catch {
            preconditionFailure("'\(keyPath)' cannot be set: \(error)")
        }
    }
}

/// Key paths for callers who cannot be thrown at.
private enum KeyValueFace {
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
