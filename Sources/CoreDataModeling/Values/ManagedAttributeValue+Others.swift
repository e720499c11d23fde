// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of attributes for text, dates, data, UUIDs and URLs.

public import CoreData
import CoreDataModelFiles

extension String: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .stringAttributeType }
    public static var _letter: Character { "s" }
    public var _modelValue: _ModelValue { _ModelValue(.string(self)) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> String? {
        object._string(slot, key)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> String { "" }

    @inlinable public static func _write(
        _ value: String?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setString(value, slot, key)
    }
}

extension Date: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .dateAttributeType }
    public static var _letter: Character { "t" }
    public var _modelValue: _ModelValue { _ModelValue(.date(self)) }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Date? {
        object._date(slot, key)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Date {
        object._missing(key)
    }

    @inlinable public static func _write(
        _ value: Date?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setDate(value, slot, key)
    }
}

extension Data: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .binaryDataAttributeType }
    public var _modelValue: _ModelValue { _ModelValue(.data(self)) }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Data { Data() }
}

extension UUID: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .UUIDAttributeType }
    public var _modelValue: _ModelValue { _ModelValue(.uuid(self)) }
}

extension URL: ManagedAttributeValue {
    public static var _attributeType: NSAttributeType { .URIAttributeType }
    public var _modelValue: _ModelValue { _ModelValue(.url(self)) }
}

/// Values that are stored in a box.
extension ManagedAttributeValue {
    public static var _letter: Character { "x" }

    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self? {
        object._value(slot, key)
    }

    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self {
        object._missing(key)
    }

    @inlinable public static func _write(
        _ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setValue(value, slot, key)
    }
}
