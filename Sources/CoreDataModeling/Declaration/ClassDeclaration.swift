// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The description of a managed class by its macro: the members of its entity.

public import CoreData
import CoreDataModelFiles

/// Created once for each class by the expansion of `@ManagedObject`. Not for direct use.
public struct ClassDeclaration: _ManagedClassDeclaration {
    /// The described class.
    public let _type: NSManagedObject.Type
    /// The names and letters of all slots, inherited ones first. Slots are used only if the model has the same
    /// signature. Empty before `finished()`.
    public private(set) var _signature = ""
    let superclass: NSManagedObject.Type
    let traits: ClassTraits
    private(set) var attributes: [DeclaredAttribute] = []
    private(set) var relationships: [DeclaredRelationship] = []

    /// Creates a declaration without properties.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - superclass: its properties are inherited if it has the macro too.
    ///   - traits: the settings of the macro.
    public init(_ type: NSManagedObject.Type, superclass: NSManagedObject.Type, _ traits: ClassTraits = ClassTraits()) {
        _type = type
        self.superclass = superclass
        self.traits = traits
    }

    /// Completes the declaration with the signature of all its slots.
    public func finished() -> ClassDeclaration {
        let own =
            attributes.map { ($0.document.traits.name, $0.letter) }
            + relationships.map { ($0.name, $0.shape.rawValue) }
        let sorted = own.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0.0):\($0.1)" }
        let inherited = superclass._declaration.map { [$0._signature] } ?? []
        var result = self
        result._signature = (inherited + sorted).filter { !$0.isEmpty }.joined(separator: " ")
        return result
    }

    mutating func add(_ attribute: DeclaredAttribute) { attributes.append(attribute) }

    mutating func add(_ relationship: DeclaredRelationship) { relationships.append(relationship) }
}

extension ClassDeclaration {
    var entityName: String { traits.entityName ?? String(describing: _type) }
    /// The class name for messages.
    var className: String { String(describing: _type) }

    /// nil for a class without the macro.
    static func of(_ type: NSManagedObject.Type) -> ClassDeclaration? {
        guard let found = type._declaration as? ClassDeclaration, found._type == type else { return nil }
        return found
    }

    /// The nearest superclass with an entity.
    var parent: ClassDeclaration? { superclass._declaration as? ClassDeclaration }
}

/// An attribute of a class.
struct DeclaredAttribute: Sendable {
    let document: ModelDocument.Attribute
    let letter: Character
    let traits: AttributeTraits
    /// The default value of a transformable attribute, which no file can contain.
    var initial: SharedValue?
}

/// The default value of a transformable attribute. It is computed once and only read afterwards, like all default
/// values of models.
struct SharedValue: @unchecked Sendable {
    let value: Any

    init(_ value: Any) { self.value = value }
}

/// A relationship of a class.
struct DeclaredRelationship: Sendable {
    let name: String
    let shape: RelationshipShape
    let destination: NSManagedObject.Type
    let traits: RelationshipTraits
    /// Whether the Swift type is optional, or a collection.
    let mayBeNil: Bool
}
