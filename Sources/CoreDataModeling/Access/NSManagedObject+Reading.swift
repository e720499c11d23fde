// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions behind the getters of managed classes, overloaded by property type.

public import CoreData

/// Not for direct use. Inlinable, so that the concrete type is known and no witness table is needed.
extension NSManagedObject {
    // MARK: Values

    @inlinable public final func _get<Value: ManagedAttributeValue>(_ slot: Int, _ key: StaticString) -> Value? {
        Value._read(self, slot, key)
    }

    @inlinable public final func _get<Value: ManagedAttributeValue>(_ slot: Int, _ key: StaticString) -> Value {
        Value._read(self, slot, key) ?? Value._absent(self, key)
    }

    /// - Parameter initial: unused; the object has the value since its insertion.
    @inlinable public final func _get<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value {
        _get(slot, key)
    }

    // MARK: Enumerations

    @inlinable public final func _get<Value: RawRepresentable>(_ slot: Int, _ key: StaticString) -> Value?
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue._read(self, slot, key).flatMap { Value(rawValue: $0) }
    }

    @inlinable public final func _get<Value: RawRepresentable & CaseIterable>(
        _ slot: Int, _ key: StaticString
    ) -> Value where Value.RawValue: ManagedAttributeValue {
        let value: Value? = _get(slot, key)
        return value ?? Value.allCases.first ?? _missing(key)
    }

    @inlinable public final func _get<Value: RawRepresentable>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value where Value.RawValue: ManagedAttributeValue {
        let value: Value? = _get(slot, key)
        return value ?? initial()
    }

    @available(
        *, unavailable,
        message:
            "a store may hold a raw value that the enumeration does not have: give the property an initial value, make it optional, or let the enumeration be CaseIterable"
    )
    public final func _get<Value: RawRepresentable>(_ slot: Int, _ key: StaticString) -> Value
    where Value.RawValue: ManagedAttributeValue {
        _missing(key)
    }

    // MARK: Relationships

    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Object? {
        _destination(slot, key)
    }

    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Object {
        _destination(slot, key) ?? _missing(key)
    }

    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Set<Object> {
        let members: Set<Object>? = _members(slot, key)
        return members ?? []
    }

    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> [Object] {
        _memberArray(key)
    }

    // MARK: Anything else

    @available(
        *, unavailable,
        message:
            "no attribute has this type: mark the property '@Attribute(.codable)' or '@Attribute(.transformable)', or '@NotManaged'"
    )
    public final func _get<Value>(_ slot: Int, _ key: StaticString) -> Value { _missing(key) }

    @available(
        *, unavailable,
        message:
            "no attribute has this type: mark the property '@Attribute(.codable)' or '@Attribute(.transformable)', or '@NotManaged'"
    )
    public final func _get<Value>(_ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value) -> Value {
        _missing(key)
    }
}
