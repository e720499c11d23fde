// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of attributes for text, dates, data, UUIDs and URLs.

public import CoreData
import CoreDataModelFiles

extension String: ManagedAttributeValue {
    /// String.
    public static var _attributeType: NSAttributeType { .stringAttributeType }
    /// `s`: text.
    public static var _letter: Character { "s" }
    /// A string.
    public var _modelValue: _ModelValue { _ModelValue(.string(self)) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> String? {
        object._string(slot, key)
    }

    /// The empty string.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> String { "" }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: String?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setString(value, slot, key)
    }
}

extension Date: ManagedAttributeValue {
    /// Date.
    public static var _attributeType: NSAttributeType { .dateAttributeType }
    /// `t`: dates.
    public static var _letter: Character { "t" }
    /// A date.
    public var _modelValue: _ModelValue { _ModelValue(.date(self)) }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Date? {
        object._date(slot, key)
    }

    /// Traps: a missing date has no default.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Date {
        object._missing(key)
    }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: Date?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setDate(value, slot, key)
    }
}

extension Data: ManagedAttributeValue {
    /// Binary data.
    public static var _attributeType: NSAttributeType { .binaryDataAttributeType }
    /// Data.
    public var _modelValue: _ModelValue { _ModelValue(.data(self)) }

    /// Empty data.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Data { Data() }
}

extension UUID: ManagedAttributeValue {
    /// UUID.
    public static var _attributeType: NSAttributeType { .UUIDAttributeType }
    /// A UUID.
    public var _modelValue: _ModelValue { _ModelValue(.uuid(self)) }
}

extension URL: ManagedAttributeValue {
    /// URI.
    public static var _attributeType: NSAttributeType { .URIAttributeType }
    /// A URL.
    public var _modelValue: _ModelValue { _ModelValue(.url(self)) }
}

/// Values that are stored in a box.
extension ManagedAttributeValue {
    /// `x`: boxed values.
    public static var _letter: Character { "x" }

    /// Reads the box; nil for null, and for a value of another type.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self? {
        object._value(slot, key)
    }

    /// Traps: a missing value of this type has no default.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self {
        object._missing(key)
    }

    /// Writes a box; nil writes null.
    @inlinable public static func _write(
        _ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setValue(value, slot, key)
    }
}
