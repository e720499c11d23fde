// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Resolves inheritance and inverse relationships in a model document.

import Foundation

/// Looks up names in a document. Unresolved names are ignored.
package struct ModelHierarchy: Sendable {
    /// Entities by name; if several have one name, the last of them.
    package let entities: [String: ModelDocument.Entity]
    private let composites: [String: [ModelDocument.Attribute]]

    /// One end of a relationship.
    package struct End: Sendable {
        /// The entity that declares the relationship, possibly a superentity of the requested one.
        package let entity: ModelDocument.Entity
        package let relationship: ModelDocument.Relationship
        package var name: String { relationship.traits.name }
    }

    package init(_ document: ModelDocument) {
        entities = Dictionary(document.entities.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        composites = Dictionary(
            document.composites.map { ($0.name, $0.elements) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity and its superentities, nearest first. A cycle ends where it closes.
    package func lineage(of entity: ModelDocument.Entity) -> [ModelDocument.Entity] {
        var found = [entity]
        var seen: Set<String> = [entity.name]
        while let name = found.last?.superentityName, seen.insert(name).inserted, let next = entities[name] {
            found.append(next)
        }
        return found
    }

    /// The own or inherited relationship with a name.
    package func relationship(_ name: String, of entity: ModelDocument.Entity) -> End? {
        for member in lineage(of: entity) {
            if let found = member.relationships.first(where: { $0.traits.name == name }) {
                return End(entity: member, relationship: found)
            }
        }
        return nil
    }

    /// The inverse, even if only the other end names it.
    package func inverse(of relationship: ModelDocument.Relationship, in entity: ModelDocument.Entity) -> End? {
        if let named = namedInverse(of: relationship) { return named }
        guard let destination = entities[relationship.destinationEntityName] else { return nil }
        for member in lineage(of: destination) {
            for candidate in member.relationships {
                guard let back = namedInverse(of: candidate) else { continue }
                if back.entity.name == entity.name, back.name == relationship.traits.name {
                    return End(entity: member, relationship: candidate)
                }
            }
        }
        return nil
    }

    /// The inverse that the relationship itself names; nil if it names none, or a missing one.
    package func namedInverse(of relationship: ModelDocument.Relationship) -> End? {
        guard let name = relationship.inverseName, !name.isEmpty,
            let destination = entities[relationship.destinationEntityName]
        else { return nil }
        let holder = relationship.inverseEntityName.flatMap { entities[$0] } ?? destination
        return self.relationship(name, of: holder)
    }

    package func elements(of attribute: ModelDocument.Attribute) -> [ModelDocument.Attribute] {
        attribute.elements.isEmpty ? attribute.compositeName.flatMap { composites[$0] } ?? [] : attribute.elements
    }

    /// Whether one entity is the other or inherits from it.
    package func isKind(_ entity: ModelDocument.Entity, of other: ModelDocument.Entity) -> Bool {
        lineage(of: entity).contains { $0.name == other.name }
    }
}
