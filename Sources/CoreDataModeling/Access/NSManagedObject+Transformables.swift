// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The getters and setters of properties that are stored as transformable attributes.

public import CoreData

/// Not for direct use.
extension NSManagedObject {
    /// Reads an optional property; nil also for undecodable bytes.
    @inlinable public final func _getTransformable<Value>(_ slot: Int, _ key: StaticString) -> Value? {
        _value(slot, key)
    }

    /// Reads a property with an initial value.
    ///
    /// - Parameter initial: the result for objects without a value, and for undecodable bytes.
    @inlinable public final func _getTransformable<Value>(
        _ slot: Int, _ key: StaticString, initial: @autoclosure () -> Value
    ) -> Value {
        _value(slot, key) ?? initial()
    }

    /// Reads an array or string, which is empty without a value.
    @inlinable public final func _getTransformable<Value: RangeReplaceableCollection>(
        _ slot: Int, _ key: StaticString
    ) -> Value {
        _value(slot, key) ?? Value()
    }

    /// Reads a set, which is empty without a value.
    @inlinable public final func _getTransformable<Value: SetAlgebra>(_ slot: Int, _ key: StaticString) -> Value {
        _value(slot, key) ?? Value()
    }

    /// Reads a dictionary, which is empty without a value.
    @inlinable public final func _getTransformable<Value: ExpressibleByDictionaryLiteral>(
        _ slot: Int, _ key: StaticString
    ) -> Value {
        _value(slot, key) ?? [:]
    }

    /// Rejects at compile time a property that a store can leave without a value.
    @available(
        *, unavailable,
        message:
            "a store may hold bytes that make no such value: give the property an initial value, or make it optional"
    )
    public final func _getTransformable<Value>(_ slot: Int, _ key: StaticString) -> Value { _missing(key) }

    /// Sets a property; nil sets null. The value is converted when it is saved.
    @inlinable public final func _setTransformable<Value>(_ value: Value?, _ slot: Int, _ key: StaticString) {
        _setValue(value, slot, key)
    }
}
