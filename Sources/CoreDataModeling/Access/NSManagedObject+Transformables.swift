// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Getters and setters of properties that are stored as a transformable.

public import CoreData

/// Not for use by hand.
extension NSManagedObject {
    @inlinable public final func _getTransformable<Value>(_ slot: Int, _ key: StaticString) -> Value? {
        _value(slot, key)
    }

    /// - Parameter initial: for objects without a value, and for bytes that make none.
    @inlinable public final func _getTransformable<Value>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value {
        _value(slot, key) ?? initial()
    }

    @inlinable public final func _getTransformable<Value: RangeReplaceableCollection>(
        _ slot: Int, _ key: StaticString
    ) -> Value {
        _value(slot, key) ?? Value()
    }

    @inlinable public final func _getTransformable<Value: SetAlgebra>(_ slot: Int, _ key: StaticString) -> Value {
        _value(slot, key) ?? Value()
    }

    @inlinable public final func _getTransformable<Value: ExpressibleByDictionaryLiteral>(
        _ slot: Int, _ key: StaticString
    ) -> Value {
        _value(slot, key) ?? [:]
    }

    @available(
        *, unavailable,
        message:
            "a store may hold bytes that make no such value: give the property an initial value, or make it optional"
    )
    public final func _getTransformable<Value>(_ slot: Int, _ key: StaticString) -> Value { _missing(key) }

    @inlinable public final func _setTransformable<Value>(_ value: Value?, _ slot: Int, _ key: StaticString) {
        _setValue(value, slot, key)
    }
}
