// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Key-value coding beyond single keys: key paths, many keys at once, relationships as mutable collections.

import CoreDataFoundation
public import Foundation

extension NSManagedObject: KeyValueCoding {}

// Stores compare keys, so an object argument finds its row whether it is given as object or as id, and from whichever
// context; what is evaluated over objects has to find the same.
extension NSManagedObject: ComparisonKeyed {
    package var comparisonKey: AnyHashable { objectID }
}

extension NSManagedObjectID: ComparisonKeyed {
    package var comparisonKey: AnyHashable { self }
}

extension NSManagedObject: IdentityOrdered {
    package var identityOrder: IdentityOrder { objectID.identityOrder }
}

extension NSManagedObjectID: IdentityOrdered {
    package var identityOrder: IdentityOrder { IdentityOrder(store: home?.identifier ?? "", key: key) }
}

// `$FETCHED_PROPERTY.userInfo.key` in the request of a fetched property reads its description by key.
extension NSPropertyDescription: KeyValueReadable {
    package func storedValue(forKey key: String) throws -> Any? {
        switch key {
        case "name": return name
        case "userInfo": return userInfo
        case "entity": return entity
        case "self": return self
        default: throw KeyValueError.unknownKey(key, type: String(describing: type(of: self)))
        }
    }
}

extension NSManagedObject {
    /// The value at the end of a key path, collection operators included ("department.employees.@sum.salary").
    ///
    /// Traps when a key is none of the object that it is asked of.
    public final func value(forKeyPath keyPath: String) -> Any? {
        do {
            return try CoreDataFoundation.value(atKeyPath: keyPath, of: self)
        } catch {
            preconditionFailure("The key path '\(keyPath)' leads nowhere from \(self): \(error)")
        }
    }

    /// Sets the value at the end of a key path: of one object, or of every member where the path leads through a
    /// to-many. A nil on the way is passed over. "address.city" of a composite attribute sets one element of its value;
    /// nil takes the element out.
    ///
    /// Traps when a key is none of the object that it is asked of, and where the path ends in a value, not in an
    /// object.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        do {
            try HeldAnnouncements.holding {
                try CoreDataFoundation.setValue(value, atKeyPath: keyPath, of: self)
            }
        } catch {
            preconditionFailure("The key path '\(keyPath)' cannot be set on \(self): \(error)")
        }
    }

    /// Several values by name; nil values are given as `NSNull`.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets several values by name; `NSNull` sets nil.
    public final func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A to-many as a set whose changes are changes of the object. It stays in step with the object.
    ///
    /// Traps when the entity has no to-many relationship of that name.
    public final func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(self, toManySlot(key))
    }

    /// An ordered to-many as an ordered set whose changes are changes of the object. It stays in step with the object,
    /// and so reads the members again when the object is refreshed: keep it no longer than it is needed.
    ///
    /// Traps when the entity has no to-many relationship of that name.
    public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(self, toManySlot(key))
    }

    /// An ordered to-many, or an attribute that holds an array, as a mutable array. Its changes change the object, and
    /// it stays in step with the object.
    ///
    /// Traps when the entity has no such property.
    public final func mutableArrayValue(forKey key: String) -> NSMutableArray { KeyedArray(self, key) }

    /// The to-many at the end of a key path ("department.employees"), as `mutableSetValue(forKey:)` gives it.
    ///
    /// - Returns: where an object on the way is nil, an empty set that belongs to no object.
    /// - Important: the path leads through to-ones. Traps where it leads through a to-many.
    public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableSet() }
        return object.mutableSetValue(forKey: key)
    }

    /// The ordered to-many at the end of a key path, as `mutableOrderedSetValue(forKey:)` gives it; see
    /// `mutableSetValue(forKeyPath:)`.
    public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableOrderedSet() }
        return object.mutableOrderedSetValue(forKey: key)
    }

    /// The array at the end of a key path, as `mutableArrayValue(forKey:)` gives it; see
    /// `mutableSetValue(forKeyPath:)`.
    public final func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableArray() }
        return object.mutableArrayValue(forKey: key)
    }

    /// The object that has the last key of a path; nil where an object before it is missing.
    private func lastObject(of keyPath: String) -> (NSManagedObject, String)? {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        let path = String(keyPath[..<dot])
        guard let value = value(forKeyPath: path) else { return nil }
        guard let object = value as? NSManagedObject else {
            preconditionFailure(
                "The key path '\(keyPath)' leads through a \(type(of: value)): a mutable collection belongs to one object."
            )
        }
        return (object, String(keyPath[keyPath.index(after: dot)...]))
    }

    /// The ids of the objects that a relationship leads to. Their rows are not read.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let slot = relationshipSlot(key)
        willRead(slot)
        if table.layout[slot].kind == .toMany { return members(slot).map(\.objectID) }
        return destination(slot).map { [$0.objectID] } ?? []
    }

    private func toManySlot(_ key: String) -> Int {
        let slot = relationshipSlot(key)
        precondition(table.layout[slot].kind == .toMany, "'\(table.layout.name).\(key)' is a to-one relationship")
        return slot
    }
}
