// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A deletion by a condition that waits for the save, which executes one statement for each entity. SwiftData-C9.

import CoreData
import Foundation

/// # Invariants
/// (1) While it waits, the context has no other change, and no object of an entity that it concerns.
/// (2) Every call that could see the records marks them first, in `ModelContext.synchronize()`. So does a save with
///     other changes: all of a save is one transaction.
struct DeferredDeletion {
    private let request: NSFetchRequest<ModelRow>

    /// nil where the records have to be marked at once.
    ///
    /// - Parameter request: its predicate has no part that is evaluated on models.
    init?(_ request: NSFetchRequest<ModelRow>, in context: EngineContext) {
        guard !context.hasChanges, context.undoManager == nil, let entity = request.entity else { return nil }
        let concerned = Self.concerned(entity)
        guard !context.registeredObjects.contains(where: { concerned.contains(ObjectIdentifier($0.entity)) }) else {
            return nil
        }
        self.request = request
    }

    /// The entities of the records, and those that relationships connect with them.
    private static func concerned(_ entity: NSEntityDescription) -> Set<ObjectIdentifier> {
        let all = entity.managedObjectModel.entities
        let family = all.filter { $0.isKindOf(entity: entity) }
        let linked = all.filter { other in
            other.relationshipsByName.values.contains { relationship in
                family.contains { member in relationship.destinationEntity.map(member.isKindOf(entity:)) ?? false }
            } || family.contains { $0.relationshipsByName.values.contains { leads($0, to: other) } }
        }
        return Set((family + linked).map { ObjectIdentifier($0) })
    }

    private static func leads(_ relationship: NSRelationshipDescription, to entity: NSEntityDescription) -> Bool {
        relationship.destinationEntity.map(entity.isKindOf(entity:)) ?? false
    }

    /// Marks the records, except for those that were inserted since.
    func mark(in context: EngineContext) throws {
        request.includesPendingChanges = false
        for row in try context.fetch(request) { context.delete(row) }
    }

    /// Deletes the records.
    ///
    /// - Returns: their identifiers.
    func run(in context: EngineContext) throws -> [NSManagedObjectID] {
        let rows = NSFetchRequest<any NSFetchRequestResult>(entityName: request.entityName ?? "")
        rows.entity = request.entity
        rows.predicate = request.predicate
        rows.includesSubentities = request.includesSubentities
        let batch = NSBatchDeleteRequest(fetchRequest: rows)
        batch.resultType = .resultTypeObjectIDs
        return (try context.execute(batch) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID] ?? []
    }
}
