// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which Swift types attributes have.

public import CoreData
package import CoreDataModelFiles

/// A type of attributes: `String`, `Bool`, `Int16`, `Int32`, `Int64`, `Int`, `Double`, `Float`, `Decimal`, `Date`,
/// `Data`, `UUID`, `URL`. Enumerations with such raw values need not conform to be properties.
///
/// Not for conformances of your own: there are no other kinds of storage.
public protocol ManagedAttributeValue {
    static var _attributeType: NSAttributeType { get }
    /// The letter in a class's signature.
    static var _letter: Character { get }
    var _modelValue: _ModelValue { get }
    /// nil where there is no value.
    static func _read(_ object: NSManagedObject, _ slot: Int, _ key: StaticString) -> Self?
    /// What a property that is never nil reads as while there is no value.
    static func _absent(_ object: NSManagedObject, _ key: StaticString) -> Self
    static func _write(_ value: Self?, _ object: NSManagedObject, _ slot: Int, _ key: StaticString)
}

/// A default value as model files hold it.
public struct _ModelValue: Sendable {
    package let value: PropertyListValue

    package init(_ value: PropertyListValue) { self.value = value }
}
