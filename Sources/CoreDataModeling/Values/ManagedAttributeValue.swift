// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The Swift types of attributes.

public import CoreData
package import CoreDataModelFiles

/// A type of attributes: `String`, `Bool`, `Int16`, `Int32`, `Int64`, `Int`, `Double`, `Float`, `Decimal`, `Date`,
/// `Data`, `UUID`, `URL`. Enumerations with such raw values can be properties without conforming.
///
/// Do not conform other types: there is no other kind of storage.
public protocol ManagedAttributeValue {
    /// The type of the attribute in the model.
    static var _attributeType: NSAttributeType { get }
    /// The type's letter in a class's slot signature.
    static var _letter: Character { get }
    /// The value as a default value in the model.
    var _modelValue: _ModelValue { get }
    /// nil if there is no value.
    static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self?
    /// The result of a non-optional property without a value.
    static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self
    /// Sets the property; nil sets null.
    static func _write(_ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString)
}

/// A default value in the form of model files.
public struct _ModelValue: Sendable {
    package let value: PropertyListValue

    package init(_ value: PropertyListValue) { self.value = value }
}
