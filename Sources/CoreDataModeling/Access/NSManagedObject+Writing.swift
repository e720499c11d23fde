// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions that the setters of managed classes call, overloaded by property type.

public import CoreData

/// Not for direct use, like the getters.
extension NSManagedObject {
    /// Sets an attribute; nil sets null.
    @inlinable public final func _set<Value: ManagedAttributeValue>(
        _ value: Value?, _ slot: Int, _ key: StaticString
    ) {
        Value._write(value, self, slot, key)
    }

    /// Sets the raw value of an enumeration; nil sets null.
    @inlinable public final func _set<Value: RawRepresentable>(_ value: Value?, _ slot: Int, _ key: StaticString)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue._write(value?.rawValue, self, slot, key)
    }

    /// Sets a to-one relationship, and the inverse of both destinations.
    @inlinable public final func _set<Object: NSManagedObject>(_ value: Object?, _ slot: Int, _ key: StaticString) {
        _setDestination(value, slot, key)
    }

    /// Replaces the members of a to-many relationship, and sets the inverse of the changed members.
    @inlinable public final func _set<Object: NSManagedObject>(
        _ members: Set<Object>, _ slot: Int, _ key: StaticString
    ) {
        _setValue(NSSet(array: Array(members)), slot, key)
    }

    /// Replaces the members and the order of an ordered to-many relationship. A repeated member counts once.
    @inlinable public final func _set<Object: NSManagedObject>(
        _ members: [Object], _ slot: Int, _ key: StaticString
    ) {
        _setValue(NSOrderedSet(array: members), slot, key)
    }

    /// Rejects at compile time a type that no attribute can hold.
    @available(*, unavailable, message: "no attribute has this type")
    public final func _set<Value>(_ value: Value, _ slot: Int, _ key: StaticString) {}
}
