// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How a save settles conflicts with other saves, and among unique values. SwiftData-C3, C7.

import CoreData
import Foundation

// Sendable: immutable.
/// Changes here win, property by property. A new row with the unique values of another one updates that one.
final class ModelMergePolicy: NSMergePolicy, @unchecked Sendable {
    /// A new row, and the row that has its values from now on.
    struct Absorption {
        let row: ModelRow
        let keeper: ModelRow
    }

    static let shared = ModelMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    /// An update by a new model replaces the members of the record. A saved model that takes the values of another one
    /// keeps the members of both.
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            let rows = (conflict.conflictingObjects + [conflict.databaseObject].compactMap { $0 })
                .compactMap { $0 as? ModelRow }
            let new = rows.filter(\.isInserted)
            if new.isEmpty {
                try super.resolve(constraintConflicts: [conflict])
                continue
            }
            let context = new[0].managedObjectContext as? ContextBelow
            try NSMergePolicy.overwrite.resolve(constraintConflicts: [conflict])
            let kept = rows.filter { $0.managedObjectContext != nil && !$0.isDeleted }
            guard kept.count == 1, let keeper = kept.first else { continue }
            context?.absorbed += new.filter { $0 !== keeper && $0.entity === keeper.entity }
                .map { Absorption(row: $0, keeper: keeper) }
        }
    }
}
