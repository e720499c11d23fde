// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds to-many relationships that a migration can skip, because their members set the same links from the other end.

import Foundation

/// The source has each link of a one-to-many relationship at both ends, a SQLite database only at one.
/// Migration-M56.
struct InverseLinks {
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel
    private let mappings: [NSEntityMapping]
    private var found: Set<ObjectIdentifier> = []

    /// - Parameter isPlain: whether the store is a database, and the manager does not override functions.
    init(_ model: NSMappingModel, source: NSManagedObjectModel, destination: NSManagedObjectModel, isPlain: Bool) {
        self.source = source
        self.destination = destination
        mappings = (model.entityMappings ?? []).filter { $0.mappingType != .removeEntityMappingType }
        let names = mappings.compactMap(\.sourceEntityName)
        // If a source object becomes several objects, the two ends may choose different ones.
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
