// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Declares relationships with overloads by property type.

public import CoreData

extension ClassDeclaration {
    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Object.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toOne, destination: Object.self, traits: traits, mayBeNil: false))
    }

    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Object?.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toOne, destination: Object.self, traits: traits, mayBeNil: true))
    }

    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: Set<Object>.Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .toMany, destination: Object.self, traits: traits, mayBeNil: true))
    }

    public mutating func relationship<Object: NSManagedObject>(
        _ name: String, _ type: [Object].Type, _ traits: RelationshipTraits
    ) {
        add(.init(name: name, shape: .ordered, destination: Object.self, traits: traits, mayBeNil: true))
    }

    @available(
        *, unavailable,
        message: "a relationship leads to managed objects: its type is 'Object?', 'Object', 'Set<Object>' or '[Object]'"
    )
    public mutating func relationship<Value>(_ name: String, _ type: Value.Type, _ traits: RelationshipTraits) {}

    // MARK: Properties without a mark

    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Object.Type) {
        relationship(name, type, RelationshipTraits())
    }

    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Object?.Type) {
        relationship(name, type, RelationshipTraits())
    }

    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: Set<Object>.Type) {
        relationship(name, type, RelationshipTraits())
    }

    @available(
        *, deprecated,
        message:
            "a relationship needs an inverse: write '@Relationship(inverse: \"property of the destination\")', or 'inverse: nil' where none is meant"
    )
    public mutating func attribute<Object: NSManagedObject>(_ name: String, _ type: [Object].Type) {
        relationship(name, type, RelationshipTraits())
    }
}
