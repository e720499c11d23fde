// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Numbers that are attributes of models besides those of `CoreDataModeling`: the nearest attribute type holds them.

public import CoreData
public import CoreDataModeling
import CoreDataModelFiles
import Foundation

extension Int8: ManagedAttributeValue {
    /// Integer 16.
    public static var _attributeType: NSAttributeType { .integer16AttributeType }
}

extension UInt8: ManagedAttributeValue {
    /// Integer 16.
    public static var _attributeType: NSAttributeType { .integer16AttributeType }
}

extension UInt16: ManagedAttributeValue {
    /// Integer 32.
    public static var _attributeType: NSAttributeType { .integer32AttributeType }
}

extension UInt32: ManagedAttributeValue {
    /// Integer 64.
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

extension UInt64: ManagedAttributeValue {
    /// Integer 64, with the same bits.
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

extension UInt: ManagedAttributeValue {
    /// Integer 64, with the same bits.
    public static var _attributeType: NSAttributeType { .integer64AttributeType }
}

extension CGFloat: ManagedAttributeValue {
    /// Double.
    public static var _attributeType: NSAttributeType { .doubleAttributeType }
    /// `d`: doubles.
    public static var _letter: Character { "d" }
    /// A double.
    public var _modelValue: _ModelValue { Double(self)._modelValue }

    /// Reads the slot; nil for null.
    @inlinable public static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> CGFloat? {
        object._double(slot, key).map { CGFloat($0) }
    }

    /// 0.
    @inlinable public static func _absent(_ object: NSManagedObject, _ key: StaticString) -> CGFloat { 0 }

    /// Writes the slot; nil writes null.
    @inlinable public static func _write(
        _ value: CGFloat?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString
    ) {
        object._setDouble(value.map { Double($0) }, slot, key)
    }
}
