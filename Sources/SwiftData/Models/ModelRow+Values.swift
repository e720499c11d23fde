// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The accessors that `@Model` writes, overloaded by the type of the property: attributes.

public import CoreData
public import CoreDataModeling

/// Inlinable, so that the concrete type is known and no witness table is needed. Not for direct use.
extension ModelRow {
    // MARK: Attribute types

    /// Reads a property of this type.
    @inlinable public func _load<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, _ type: Value?.Type
    ) -> Value? {
        Value._read(self, slot, key)
    }

    /// Reads a property of this type.
    @inlinable public func _load<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type
    ) -> Value {
        Value._read(self, slot, key) ?? _standIn(key)
    }

    /// - Parameter initial: the result for a record without a value.
    @inlinable public func _load<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type, initial: @autoclosure () -> Value
    ) -> Value {
        Value._read(self, slot, key) ?? initial()
    }

    /// Reads a property of this type.
    @inlinable public func _load<Value: ManagedAttributeValue>(
        _ slot: Int, _ key: StaticString, _ type: Value?.Type, initial: @autoclosure () -> Value?
    ) -> Value? {
        Value._read(self, slot, key)
    }

    /// Sets a property of this type.
    @inlinable public func _store<Value: ManagedAttributeValue>(_ value: Value, _ slot: Int, _ key: StaticString) {
        Value._write(value, self, slot, key)
    }

    /// Sets a property of this type.
    @inlinable public func _store<Value: ManagedAttributeValue>(_ value: Value?, _ slot: Int, _ key: StaticString) {
        Value._write(value, self, slot, key)
    }

    /// The default of a mandatory property for a record without a value.
    @usableFromInline func _standIn<Value>(_ key: StaticString) -> Value {
        MissingValueDefault.value(Value.self, of: self, key.description)
    }

    // MARK: Other types of values

    /// Reads a property of this type.
    @_disfavoredOverload
    public func _load<Value: Codable>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type
    ) -> Value {
        retained { ValueForms.read(self, slot, key, as: Value.self) ?? _standIn(key) }
    }

    /// Reads a property of this type.
    @_disfavoredOverload
    public func _load<Value: Codable>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type, initial: @autoclosure () -> Value
    ) -> Value {
        retained { ValueForms.read(self, slot, key, as: Value.self, initial: { initial() }) ?? initial() }
    }

    /// Sets a property of this type.
    @_disfavoredOverload
    public func _store<Value: Codable>(_ value: Value, _ slot: Int, _ key: StaticString) {
        ValueForms.write(value, self, slot, key)
    }

    // MARK: Transformables

    /// A property of a type that is no `Codable`: `@Attribute(.transformable(by:))`.
    @_disfavoredOverload
    public func _load<Value: NSObject>(
        _ slot: Int, _ key: StaticString, _ type: Value?.Type
    ) -> Value? { retained { _value(slot, key) } }

    /// Reads a property of this type.
    @_disfavoredOverload
    public func _load<Value: NSObject>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type
    ) -> Value {
        retained { _value(slot, key) ?? _standIn(key) }
    }

    /// Reads a property of this type.
    @_disfavoredOverload
    public func _load<Value: NSObject>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type, initial: @autoclosure () -> Value
    ) -> Value {
        retained { _value(slot, key) ?? initial() }
    }

    /// Sets a property of this type.
    @_disfavoredOverload
    public func _store<Value: NSObject>(_ value: Value?, _ slot: Int, _ key: StaticString) {
        _setValue(value, slot, key)
    }

    // MARK: Anything else

    /// Rejects at compile time a type that no attribute can hold.
    @available(
        *, unavailable,
        message: "no attribute holds this type: let it be 'Codable', or mark the property '@Transient'"
    )
    public func _load<Value>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type
    ) -> Value { _missing(key) }

    /// Rejects at compile time a type that no attribute can hold.
    @available(
        *, unavailable,
        message: "no attribute holds this type: let it be 'Codable', or mark the property '@Transient'"
    )
    public func _load<Value>(
        _ slot: Int, _ key: StaticString, _ type: Value.Type, initial: @autoclosure () -> Value
    ) -> Value {
        _missing(key)
    }

    /// Rejects at compile time a type that no attribute can hold.
    @available(
        *, unavailable,
        message: "no attribute holds this type: let it be 'Codable', or mark the property '@Transient'"
    )
    public func _store<Value>(_ value: Value, _ slot: Int, _ key: StaticString) {}
}

/// The defaults of mandatory properties for records without a value. SwiftData-D3.
enum MissingValueDefault {
    static func value<Value>(_ type: Value.Type, of row: ModelRow, _ key: String) -> Value {
        if let optional = type as? any OptionalType.Type, let nothing = optional.nothing as? Value { return nothing }
        if row.managedObjectContext == nil || row.isDeleted || row.hasUnreadable(key), let zero: Value = zero() {
            return zero
        }
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) as? Value { return first }
        let store = row.objectID.persistentStore?.url?.lastPathComponent ?? "no store"
        preconditionFailure(
            "'\(row.entity.name ?? "").\(key)' of \(row.objectID.uriRepresentation()) in \(store) has no value that "
                + "makes a \(Value.self): give the property an initial value, or make it optional.")
    }

    private static func firstCase<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { Cases.allCases.first }

    /// For models without a record.
    private static func zero<Value>() -> Value? {
        let zeros: [Any] = [
            0, Int16(0), Int32(0), Int64(0), Int8(0), UInt(0), UInt8(0), UInt16(0), UInt32(0), UInt64(0), 0.0,
            Float(0), CGFloat(0), "", false, Date(timeIntervalSinceReferenceDate: 0), Data(), Decimal(0),
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ]
        for case let value as Value in zeros where Swift.type(of: value) == Value.self { return value }
        if Value.self == URL.self { return URL(string: "about:blank") as? Value }
        if let type = Value.self as? any Codable.Type { return ValueForms.sample(type) as? Value }
        return nil
    }
}
