// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numeric types of attributes.

public import CoreData
import CoreDataModelFiles

extension Int16: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .integer16AttributeType }
}

extension Int32: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .integer32AttributeType }
}

extension Int64: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

/// Integer 64.
extension Int: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

extension ManagedAttributeValue where Self: FixedWidthInteger {
    public static var _letter: Character { "i" }
    public var _modelValue: _ModelValue { _ModelValue(.integer(Int64(truncatingIfNeeded: self))) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self? {
        guard let value = object._integer(slot, key) else { return nil }
        return Self(truncatingIfNeeded: value)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self { 0 }

    @inlinable public static func _write(
        _ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setInteger(value.map { Int64(truncatingIfNeeded: $0) }, slot, key)
    }
}

extension Bool: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .booleanAttributeType }
    public static var _letter: Character { "b" }
    public var _modelValue: _ModelValue { _ModelValue(.boolean(self)) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Bool? {
        object._boolean(slot, key)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Bool { false }

    @inlinable public static func _write(
        _ value: Bool?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setBoolean(value, slot, key)
    }
}

extension Double: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .doubleAttributeType }
    public static var _letter: Character { "d" }
    public var _modelValue: _ModelValue { _ModelValue(.real(self)) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Double? {
        object._double(slot, key)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Double { 0 }

    @inlinable public static func _write(
        _ value: Double?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setDouble(value, slot, key)
    }
}

extension Float: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .floatAttributeType }
    public static var _letter: Character { "f" }
    public var _modelValue: _ModelValue { _ModelValue(.real(Double(self))) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Float? {
        object._double(slot, key).map { Float($0) }
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Float { 0 }

    @inlinable public static func _write(
        _ value: Float?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setFloat(value, slot, key)
    }
}

extension Decimal: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .decimalAttributeType }
    public static var _letter: Character { "x" }
    public var _modelValue: _ModelValue { _ModelValue(.decimal(self)) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Decimal? {
        (object._value(slot, key) as NSDecimalNumber?)?.decimalValue
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Decimal { 0 }

    @inlinable public static func _write(
        _ value: Decimal?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setValue(value.map { NSDecimalNumber(decimal: $0) }, slot, key)
    }
}
