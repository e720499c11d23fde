// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Key-value coding for more than one key: key paths, many keys at once, relationships as mutable collections.

import CoreDataFoundation
public import Foundation

extension NSManagedObject: KeyValueCoding {}

// Stores compare keys, so an object argument finds its row whether it is passed as an object or as an id, and from any
// context; evaluation over objects has to give the same result.
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

// In the request of a fetched property, `$FETCHED_PROPERTY.userInfo.key` reads the property's description by key.
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
    /// Traps if an object on the path does not have the key.
    public final func value(forKeyPath keyPath: String) -> Any? {
        do {
            return try CoreDataFoundation.value(atKeyPath: keyPath, of: self)
        } catch {
            preconditionFailure("The key path '\(keyPath)' leads nowhere from \(self): \(error)")
        }
    }

    /// Sets the value at the end of a key path: of one object, or of every member if the path passes through a to-many
    /// relationship. A nil on the path is skipped. "address.city" of a composite attribute sets one element of its
    /// value; nil removes the element.
    ///
    /// Traps if an object on the path does not have the key, or if the path ends in a value instead of an object.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        do {
            try DeferredAnnouncements.holding {
                try CoreDataFoundation.setValue(value, atKeyPath: keyPath, of: self)
            }
        } catch {
            preconditionFailure("The key path '\(keyPath)' cannot be set on \(self): \(error)")
        }
    }

    /// Several values by name; nil values are represented by `NSNull`.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets several values by name; `NSNull` sets nil.
    public final func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A to-many relationship as a mutable set: changing the set changes the object, and vice versa.
    ///
    /// Traps if the entity has no to-many relationship with that name.
    public final func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(self, toManySlot(key))
    }

    /// An ordered to-many relationship as a mutable ordered set: changing the set changes the object, and vice versa.
    /// It reads the members again when the object is refreshed, so do not keep it longer than needed.
    ///
    /// Traps if the entity has no to-many relationship with that name.
    public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(self, toManySlot(key))
    }

    /// An ordered to-many relationship, or an attribute that holds an array, as a mutable array: changing the array
    /// changes the object, and vice versa.
    ///
    /// Traps if the entity has no such property.
    public final func mutableArrayValue(forKey key: String) -> NSMutableArray { KeyedArray(self, key) }

    /// The to-many relationship at the end of a key path ("department.employees"), as `mutableSetValue(forKey:)`
    /// returns it.
    ///
    /// - Returns: if an object on the path is nil, an empty set that belongs to no object.
    /// - Important: the path may pass only through to-one relationships; a to-many relationship traps.
    public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableSet() }
        return object.mutableSetValue(forKey: key)
    }

    /// The ordered to-many relationship at the end of a key path, as `mutableOrderedSetValue(forKey:)` returns it; see
    /// `mutableSetValue(forKeyPath:)`.
    public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableOrderedSet() }
        return object.mutableOrderedSetValue(forKey: key)
    }

    /// The array at the end of a key path, as `mutableArrayValue(forKey:)` returns it; see
    /// `mutableSetValue(forKeyPath:)`.
    public final func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        guard let (object, key) = lastObject(of: keyPath) else { return NSMutableArray() }
        return object.mutableArrayValue(forKey: key)
    }

    /// The object that has the last key of a path; nil if an object before it is nil.
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

    /// The ids of the destinations of a relationship. Their rows are not read.
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
