// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Declares relationships with overloads by property type.

public import CoreData

extension ClassDeclaration {
    /// Declares a to-one relationship that is required unless its traits say otherwise.
    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Object.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toOne, destination: Object.self, traits: traits, mayBeNil: false))
    }

    /// Declares an optional to-one relationship.
    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Object?.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toOne, destination: Object.self, traits: traits, mayBeNil: true))
    }

    /// Declares a to-many relationship.
    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Set<Object>.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toMany, destination: Object.self, traits: traits, mayBeNil: true))
    }

    /// Declares an ordered to-many relationship.
    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: [Object].Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .ordered, destination: Object.self, traits: traits, mayBeNil: true))
    }

    /// Rejects at compile time a type that is no managed object, nor a collection of them.
    @available(
        *, unavailable,
        message: "a relationship leads to managed objects: its type is 'Object?', 'Object', 'Set<Object>' or '[Object]'"
    )
    public mutating func relationship<Value>(_ name: String, _ type: Value.Type, _ traits: RelationshipTraits) {}

    // MARK: Properties without a mark

    /// Declares a to-one relationship without an inverse, with a warning.
    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Object.Type) {
        relationship(name, type, RelationshipTraits())
    }

    /// Declares an optional to-one relationship without an inverse, with a warning.
    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Object?.Type) {
        relationship(name, type, RelationshipTraits())
    }

    /// Declares a to-many relationship without an inverse, with a warning.
    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Set<Object>.Type) {
        relationship(name, type, RelationshipTraits())
    }

    /// Declares an ordered to-many relationship without an inverse, with a warning.
    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: [Object].Type) {
        relationship(name, type, RelationshipTraits())
    }
}
