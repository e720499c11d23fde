// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands conflicts to the merge policy, and says what is thrown when it leaves them.

import Foundation

struct ConflictResolution {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Returns when the policy has changed the objects so that the save may be tried again.
    func resolve(_ batches: [StoreChanges]) throws {
        var conflicts: [NSMergeConflict] = []
        var constraints: [NSConstraintConflict] = []
        for batch in batches {
            for conflict in batch.outcome.conflicts {
                guard let object = batch.object(conflict.key, conflict.layout) else { continue }
                switch conflict.kind {
                case .version:
                    conflicts.append(NSMergeConflict(object, conflict, cached: cachedRow(conflict, batch.store)))
                case .uniqueness(let names):
                    let rivals = conflict.rivals.compactMap { batch.object($0, conflict.layout) }
                    constraints.append(
                        NSConstraintConflict(
                            names, object, conflict, rivals: rivals, store: batch.store, context: context))
                }
            }
        }
        guard let policy = context.mergePolicy as? NSMergePolicy else {
            preconditionFailure("The context's mergePolicy is no NSMergePolicy but a \(type(of: context.mergePolicy)).")
        }
        if !conflicts.isEmpty { try policy.resolve(optimisticLockingConflicts: conflicts) }
        if !constraints.isEmpty { try policy.resolve(constraintConflicts: constraints) }
        ChangeProcessing(context).run(forSave: true)
    }

    /// The row that another context of this coordinator saved, or that the parent has; nil when the change came from outside.
    private func cachedRow(_ conflict: SaveOutcome.Conflict, _ store: any RecordStore) -> Snapshot? {
        if context.storedParent != nil { return conflict.row }
        guard let row = store.rowCache.row(root: conflict.layout.rootIndex, key: conflict.key) else { return nil }
        return row.version == conflict.row?.version ? row : nil
    }
}
