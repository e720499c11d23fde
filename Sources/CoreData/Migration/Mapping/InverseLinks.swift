// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The to-many relationships of a migration that need no work: their members set the same links from the other end.

import Foundation

/// A link of a one-to-many relationship is in the source twice, and once in a SQLite database.
/// MigrationByObjects-25.
struct InverseLinks {
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel
    private let mappings: [NSEntityMapping]
    private var found: Set<ObjectIdentifier> = []

    /// - Parameter isPlain: whether the store is a database, and a plain manager answers the expressions.
    init(_ model: NSMappingModel, source: NSManagedObjectModel, destination: NSManagedObjectModel, isPlain: Bool) {
        self.source = source
        self.destination = destination
        mappings = (model.entityMappings ?? []).filter { $0.mappingType != .removeEntityMappingType }
        let names = mappings.compactMap(\.sourceEntityName)
        // With several objects of one source object the ends may choose another one of them.
        guard isPlain, Set(names).count == names.count, !mappings.contains(where: \.hasOwnPolicy) else { return }
        for mapping in mappings {
            for property in mapping.relationshipMappings ?? [] where isSetByMembers(property, mapping) {
                found.insert(ObjectIdentifier(property))
            }
        }
    }

    func contains(_ property: NSPropertyMapping) -> Bool { found.contains(ObjectIdentifier(property)) }

    private func isSetByMembers(_ property: NSPropertyMapping, _ mapping: NSEntityMapping) -> Bool {
        guard let name = property.name,
            let many = destination.entitiesByName[mapping.destinationEntityName ?? ""]?.relationshipsByName[name],
            many.isToMany, !many.isOrdered, let one = many.inverseRelationship, !one.isToMany,
            let key = property.valueExpression?.syntax.followedKey,
            let former = source.entitiesByName[mapping.sourceEntityName ?? ""]?.relationshipsByName[key],
            former.isToMany, let formerOne = former.inverseRelationship, !formerOne.isToMany,
            let members = former.destinationEntity, let wanted = many.destinationEntity
        else { return false }
        return mappings.allSatisfy { other in
            guard let old = source.entitiesByName[other.sourceEntityName ?? ""], old.isKindOf(entity: members),
                let new = destination.entitiesByName[other.destinationEntityName ?? ""], new.isKindOf(entity: wanted)
            else { return true }
            let end = other.relationshipMappings?.first { $0.name == one.name }
            return end?.valueExpression?.syntax.followedKey == formerOne.name
        }
    }
}
