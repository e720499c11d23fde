// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies entities with their properties, indexes and subentities.

import Foundation

/// One copy operation. It maps originals to copies, so that references between copied entities refer to the copies.
struct EntityCopy {
    private var entities: [ObjectIdentifier: NSEntityDescription] = [:]
    private var properties: [ObjectIdentifier: NSPropertyDescription] = [:]
    private var relationships: [NSRelationshipDescription] = []

    /// Copies one entity with its subentities. Relationships keep their original destinations, except
    /// between copied entities.
    static func copy(_ entity: NSEntityDescription) -> NSEntityDescription {
        var act = EntityCopy()
        let copy = act.duplicate(entity)
        act.relink()
        return copy
    }

    /// Copies the entities of one model, in the same order.
    static func copy(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var act = EntityCopy()
        let members = Set(entities.map(ObjectIdentifier.init))
        let isRoot = { (entity: NSEntityDescription) in
            !(entity.superentity.map { members.contains(ObjectIdentifier($0)) } ?? false)
        }
        // A cycle of superentities has no root. Its members are copied without their links; check() reports the cycle.
        for entity in entities where isRoot(entity) { _ = act.duplicate(entity) }
        let copies = entities.map { act.entities[ObjectIdentifier($0)] ?? act.duplicate($0) }
        act.relink()
        return copies
    }

    private mutating func duplicate(_ entity: NSEntityDescription) -> NSEntityDescription {
        if let copy = entities[ObjectIdentifier(entity)] { return copy }
        let copy = NSEntityDescription()
        entities[ObjectIdentifier(entity)] = copy
        copy.name = entity.name
        copy.explicitClassName = entity.explicitClassName
        copy.isAbstract = entity.isAbstract
        copy.userInfo = entity.userInfo
        copy.versionHashModifier = entity.versionHashModifier
        copy.explicitRenamingIdentifier = entity.explicitRenamingIdentifier
        copy.isSyncable = entity.isSyncable
        copy.uniquenessConstraints = entity.ownUniquenessConstraintNames
        copy.properties = entity.ownProperties.compactMap { duplicate($0) }
        copy.indexes = entity.indexes.map { index in
            let elements = index.elements.map { element in
                element.copy(property: element.property.map { properties[ObjectIdentifier($0)] ?? $0 })
            }
            let other = NSFetchIndexDescription(name: index.name, elements: elements)
            other.partialIndexPredicate = index.partialIndexPredicate
            other.partialPredicateText = index.partialPredicateText
            other.loadingFaults = index.loadingFaults
            return other
        }
        copy.subentities = entity.subentities.map { duplicate($0) }
        return copy
    }

    private mutating func duplicate(_ property: NSPropertyDescription) -> NSPropertyDescription? {
        guard let copy = property.copy() as? NSPropertyDescription else { return nil }
        properties[ObjectIdentifier(property)] = copy
        if let relationship = copy as? NSRelationshipDescription { relationships.append(relationship) }
        return copy
    }

    private func relink() {
        for relationship in relationships {
            if let destination = relationship.destinationEntity, let copy = entities[ObjectIdentifier(destination)] {
                relationship.destinationEntity = copy
            }
            if let inverse = relationship.inverseRelationship,
                let copy = properties[ObjectIdentifier(inverse)] as? NSRelationshipDescription
            {
                relationship.inverseRelationship = copy
            }
        }
    }
}
