// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numeric types of attributes.

public import CoreData
import CoreDataModelFiles

extension Int16: ManagedAttributeValue {
    /// Integer 16.
    public static var _attributeType: NSAttributeType { .integer16AttributeType }
}

extension Int32: ManagedAttributeValue {
    /// Integer 32.
    public static var _attributeType: NSAttributeType { .integer32AttributeType }
}

extension Int64: ManagedAttributeValue {
    /// Integer 64.
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

/// Integer 64.
extension Int: ManagedAttributeValue {
    /// Integer 64, which has the size of `Int`.
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

extension ManagedAttributeValue where Self: FixedWidthInteger {
    /// `i`: integers of every size have the same slots.
    public static var _letter: Character { "i" }
    /// An integer.
    public var _modelValue: _ModelValue { _ModelValue(.integer(Int64(truncatingIfNeeded: self))) }

    /// Reads the slot; nil for null. A value beyond the type, which only other programs store, loses its high bits.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self? {
        guard let value = object._integer(slot, key) else { return nil }
        return Self(truncatingIfNeeded: value)
    }

    /// 0.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self { 0 }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setInteger(value.map { Int64(truncatingIfNeeded: $0) }, slot, key)
    }
}

extension Bool: ManagedAttributeValue {
    /// Boolean.
    public static var _attributeType: NSAttributeType { .booleanAttributeType }
    /// `b`: Booleans.
    public static var _letter: Character { "b" }
    /// A Boolean.
    public var _modelValue: _ModelValue { _ModelValue(.boolean(self)) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Bool? {
        object._boolean(slot, key)
    }

    /// False.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Bool { false }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Bool?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setBoolean(value, slot, key)
    }
}

extension Double: ManagedAttributeValue {
    /// Double.
    public static var _attributeType: NSAttributeType { .doubleAttributeType }
    /// `d`: real numbers of 64 bits.
    public static var _letter: Character { "d" }
    /// A real number.
    public var _modelValue: _ModelValue { _ModelValue(.real(self)) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Double? {
        object._double(slot, key)
    }

    /// 0.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Double { 0 }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Double?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setDouble(value, slot, key)
    }
}

extension Float: ManagedAttributeValue {
    /// Float.
    public static var _attributeType: NSAttributeType { .floatAttributeType }
    /// `f`: real numbers of 32 bits.
    public static var _letter: Character { "f" }
    /// A real number.
    public var _modelValue: _ModelValue { _ModelValue(.real(Double(self))) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Float? {
        object._double(slot, key).map { Float($0) }
    }

    /// 0.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Float { 0 }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Float?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setFloat(value, slot, key)
    }
}

extension Decimal: ManagedAttributeValue {
    /// Decimal.
    public static var _attributeType: NSAttributeType { .decimalAttributeType }
    /// `x`: boxed values, here an `NSDecimalNumber`.
    public static var _letter: Character { "x" }
    /// A decimal number with all digits.
    public var _modelValue: _ModelValue { _ModelValue(.decimal(self)) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Decimal? {
        (object._value(slot, key) as NSDecimalNumber?)?.decimalValue
    }

    /// 0.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Decimal { 0 }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Decimal?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setValue(value.map { NSDecimalNumber(decimal: $0) }, slot, key)
    }
}
