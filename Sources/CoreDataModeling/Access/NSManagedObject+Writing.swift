// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions behind the setters of managed classes, overloaded by property type.

public import CoreData

/// Not for direct use, like the getters.
extension NSManagedObject {
    @inlinable public final func _set<Value: ManagedAttributeValue>(
        _ value: Value?, _ slot: Int, _ key: StaticString
    ) {
        Value._write(value, self, slot, key)
    }

    @inlinable public final func _set<Value: RawRepresentable>(_ value: Value?, _ slot: Int, _ key: StaticString)
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue._write(value?.rawValue, self, slot, key)
    }

    @inlinable public final func _set<Object: NSManagedObject>(_ value: Object?, _ slot: Int, _ key: StaticString) {
        _setDestination(value, slot, key)
    }

    @inlinable public final func _set<Object: NSManagedObject>(
        _ members: Set<Object>, _ slot: Int, _ key: StaticString
    ) {
        _setValue(NSSet(array: Array(members)), slot, key)
    }

    @inlinable public final func _set<Object: NSManagedObject>(
        _ members: [Object], _ slot: Int, _ key: StaticString
    ) {
        _setValue(NSOrderedSet(array: members), slot, key)
    }

    @available(*, unavailable, message: "no attribute has this type")
    public final func _set<Value>(_ value: Value, _ slot: Int, _ key: StaticString) {}
}
