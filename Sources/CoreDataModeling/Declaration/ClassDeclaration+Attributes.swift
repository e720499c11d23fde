// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Declares attributes with overloads by property type.

public import CoreData
import CoreDataModelFiles

extension ClassDeclaration {
    /// Declares an attribute that is required unless its traits say otherwise.
    ///
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - type: the type of its values.
    ///   - initial: the default value in the model; nil for none.
    ///   - traits: the settings that the type cannot express.
    public mutating func attribute<Value: ManagedAttributeValue>(
        _ name: String, _ type: Value.Type, initial: Value? = nil, _ traits: AttributeTraits = AttributeTraits()
    ) {
        add(name, Value.self, initial, traits, mayBeNil: false)
    }

    /// Declares an optional attribute.
    ///
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - type: the type of its values.
    ///   - initial: the default value in the model; nil for none.
    ///   - traits: the settings that the type cannot express.
    public mutating func attribute<Value: ManagedAttributeValue>(
        _ name: String, _ type: Value?.Type, initial: Value? = nil, _ traits: AttributeTraits = AttributeTraits()
    ) {
        add(name, Value.self, initial, traits, mayBeNil: true)
    }

    /// Declares an attribute with the raw values of an enumeration, required unless its traits say otherwise.
    public mutating func attribute<Value: RawRepresentable>(
        _ name: String, _ type: Value.Type, initial: Value? = nil, _ traits: AttributeTraits = AttributeTraits()
    ) where Value.RawValue: ManagedAttributeValue {
        add(name, Value.RawValue.self, initial?.rawValue, traits, mayBeNil: false)
    }

    /// Declares an optional attribute with the raw values of an enumeration.
    public mutating func attribute<Value: RawRepresentable>(
        _ name: String, _ type: Value?.Type, initial: Value? = nil, _ traits: AttributeTraits = AttributeTraits()
    ) where Value.RawValue: ManagedAttributeValue {
        add(name, Value.RawValue.self, initial?.rawValue, traits, mayBeNil: true)
    }

    private mutating func add<Value: ManagedAttributeValue>(
        _ name: String, _ type: Value.Type, _ initial: Value?, _ traits: AttributeTraits, mayBeNil: Bool
    ) {
        var document = traits.document(name, Int(Value._attributeType.rawValue), mayBeNil: mayBeNil)
        document.defaultValue = initial?._modelValue.value
        add(DeclaredAttribute(document: document, letter: Value._letter, traits: traits))
    }

    // MARK: Unsupported types

    /// Rejects at compile time a relationship that is marked as an attribute.
    @available(
        *, unavailable,
        message:
            "the property leads to an object: mark it '@Relationship(inverse: \"property of the destination\")' instead of '@Attribute'"
    )
    public mutating func attribute<Object: NSManagedObject>(
        _ name: String, _ type: Object.Type, _ traits: AttributeTraits
    ) {}

    /// Rejects at compile time an optional relationship that is marked as an attribute.
    @available(
        *, unavailable,
        message:
            "the property leads to an object: mark it '@Relationship(inverse: \"property of the destination\")' instead of '@Attribute'"
    )
    public mutating func attribute<Object: NSManagedObject>(
        _ name: String, _ type: Object?.Type, _ traits: AttributeTraits
    ) {}

    /// Rejects at compile time a type that no attribute can hold.
    @available(
        *, unavailable,
        message:
            "no attribute has this type: mark the property '@Attribute(.codable)' or '@Attribute(.transformable)', or '@NotManaged'"
    )
    public mutating func attribute<Value>(
        _ name: String, _ type: Value.Type, initial: Value? = nil, _ traits: AttributeTraits = AttributeTraits()
    ) {}
}

// MARK: Transformables

extension ClassDeclaration {
    /// Declares a transformable attribute.
    ///
    /// - Parameters:
    ///   - name: the name of the property.
    ///   - type: the type of values, without optional.
    ///   - mayBeNil: whether the property is optional.
    ///   - initial: the default value in the model; nil for none.
    ///   - traits: the settings that the type cannot express.
    public mutating func transformable<Value>(
        _ name: String, _ type: Value.Type, mayBeNil: Bool, initial: Value? = nil, _ traits: AttributeTraits
    ) {
        add(transformable: name, traits.transformer, traits, mayBeNil, initial.map { SharedValue($0) })
    }

    /// Like `transformable`, with a transformer that is registered here.
    public mutating func codable<Value: Codable>(
        _ name: String, _ type: Value.Type, mayBeNil: Bool, initial: Value? = nil, _ traits: AttributeTraits
    ) {
        let transformer = "CoreDataModeling.Codable<\(String(reflecting: type))>"
        CodableTransformer<Value>.register(name: transformer)
        add(transformable: name, transformer, traits, mayBeNil, initial.map { SharedValue($0) })
    }

    /// Rejects at compile time `.codable` for a type that is not.
    @available(*, unavailable, message: "'.codable' is for types that are Codable")
    public mutating func codable<Value>(
        _ name: String, _ type: Value.Type, mayBeNil: Bool, initial: Value? = nil, _ traits: AttributeTraits
    ) {}

    private mutating func add(
        transformable name: String, _ transformer: String?, _ traits: AttributeTraits, _ mayBeNil: Bool,
        _ initial: SharedValue?
    ) {
        var document = traits.document(name, AttributeKind.transformable.rawValue, mayBeNil: mayBeNil)
        document.valueTransformerName = transformer
        add(DeclaredAttribute(document: document, letter: "x", traits: traits, initial: initial))
    }
}
