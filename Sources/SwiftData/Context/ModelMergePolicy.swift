// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How a save settles conflicts with other saves, and among unique values. SwiftData-C3, C7.

import CoreData
import Foundation

// Sendable: immutable.
/// Changes here win, property by property. A new row with the unique values of another one updates that one.
final class ModelMergePolicy: NSMergePolicy, @unchecked Sendable {
    /// A new row, and the row that took its values.
    struct Absorption {
        let row: ModelRow
        let keeper: ModelRow
    }

    static let shared = ModelMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    /// An update by a new model replaces the members of the record. Where the context has no object of the record, the
    /// new model's row becomes that object, so that no second one is made. A saved model that takes the values of
    /// another one keeps the members of both.
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let repeated = Self.repeatedObjects(list)
        for conflict in list {
            if !conflict.conflictingObjects.contains(where: { repeated.contains(ObjectIdentifier($0)) }),
                let row = conflict.takeRecordOver()
            {
                (row.managedObjectContext as? EngineContext)?.takeovers.insert(ObjectIdentifier(row))
                continue
            }
            var objects = conflict.conflictingObjects
            if let database = conflict.databaseObject { objects.append(database) }
            let new = objects.filter(\.isInserted)
            guard let context = new.first?.managedObjectContext as? EngineContext else {
                try super.resolve(constraintConflicts: [conflict])
                continue
            }
            try NSMergePolicy.overwrite.resolve(constraintConflicts: [conflict])
            let kept = objects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
            guard kept.count == 1, let keeper = kept[0] as? ModelRow else { continue }
            for case let row as ModelRow in new where row !== keeper && row.entity === keeper.entity {
                context.absorbed.append(Absorption(row: row, keeper: keeper))
            }
        }
    }

    /// The objects with several conflicts, as of two constraints. Which record such an object updates depends on the
    /// other conflicts, so they are merged.
    private static func repeatedObjects(_ list: [NSConstraintConflict]) -> Set<ObjectIdentifier> {
        var (seen, repeated): (Set<ObjectIdentifier>, Set<ObjectIdentifier>) = ([], [])
        seen.reserveCapacity(list.count)
        for conflict in list {
            for object in conflict.conflictingObjects where !seen.insert(ObjectIdentifier(object)).inserted {
                repeated.insert(ObjectIdentifier(object))
            }
        }
        return repeated
    }
}
