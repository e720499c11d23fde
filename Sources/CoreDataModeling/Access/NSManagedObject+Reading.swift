// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions that the getters of managed classes call, overloaded by property type.

public import CoreData

/// Not for direct use. Inlinable, so that the concrete type is known and no witness table is needed.
extension NSManagedObject {
    // MARK: Values

    /// Reads an optional attribute. The slot is used if the model numbers the properties as the class does, else the
    /// key.
    @inlinable public final func _get<Value: ManagedAttributeValue>(_ slot: Int, _ key: StaticString) -> Value? {
        Value._read(self, slot, key)
    }

    /// Reads an attribute that is never nil. Without a value, numbers are 0, text and data are empty, and other types
    /// trap.
    @inlinable public final func _get<Value: ManagedAttributeValue>(_ slot: Int, _ key: StaticString) -> Value {
        Value._read(self, slot, key) ?? Value._absent(self, key)
    }

    /// Reads an attribute with an initial value.
    ///
    /// - Parameter initial: unused; the object has the value since its insertion.
    @inlinable public final func _get<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value {
        _get(slot, key)
    }

    // MARK: Enumerations

    /// Reads an optional enumeration; nil also for an unknown raw value.
    @inlinable public final func _get<Value: RawRepresentable>(_ slot: Int, _ key: StaticString) -> Value?
    where Value.RawValue: ManagedAttributeValue {
        Value.RawValue._read(self, slot, key).flatMap { Value(rawValue: $0) }
    }

    /// Reads an enumeration; without a known raw value it is the first case.
    @inlinable public final func _get<Value: RawRepresentable & CaseIterable>(
        _ slot: Int, _ key: StaticString
    ) -> Value where Value.RawValue: ManagedAttributeValue {
        let value: Value? = _get(slot, key)
        return value ?? Value.allCases.first ?? _missing(key)
    }

    /// Reads an enumeration; without a known raw value it is the initial one.
    @inlinable public final func _get<Value: RawRepresentable>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value where Value.RawValue: ManagedAttributeValue {
        let value: Value? = _get(slot, key)
        return value ?? initial()
    }

    /// Rejects at compile time an enumeration without a result for unknown raw values.
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

    /// Reads a to-one relationship; nil for none.
    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Object? {
        _destination(slot, key)
    }

    /// Reads a to-one relationship that is never nil. Traps if there is no destination.
    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Object {
        _destination(slot, key) ?? _missing(key)
    }

    /// Reads a to-many relationship.
    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Set<Object> {
        let members: Set<Object>? = _members(slot, key)
        return members ?? []
    }

    /// Reads an ordered to-many relationship.
    @inlinable public final func _get<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> [Object] {
        _memberArray(key)
    }

    // MARK: Anything else

    /// Rejects at compile time a type that no attribute can hold.
    @available(
        *, unavailable,
        message:
            "no attribute has this type: mark the property '@Attribute(.codable)' or '@Attribute(.transformable)', or '@NotManaged'"
    )
    public final func _get<Value>(_ slot: Int, _ key: StaticString) -> Value { _missing(key) }

    /// Rejects at compile time a type that no attribute can hold, with an initial value.
    @available(
        *, unavailable,
        message:
            "no attribute has this type: mark the property '@Attribute(.codable)' or '@Attribute(.transformable)', or '@NotManaged'"
    )
    public final func _get<Value>(_ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value) -> Value {
        _missing(key)
    }
}
