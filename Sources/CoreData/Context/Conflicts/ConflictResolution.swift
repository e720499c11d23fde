// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes conflict objects from the reports of stores, and passes them to the merge policy.

import CoreDataFoundation
import Foundation

struct ConflictResolution {
    private let settings: ContextSettings
    private let registry: ObjectRegistry
    private let scope: ReadScope
    /// A parent context is not a store: it has no row cache.
    private let isNested: Bool

    init(_ state: ContextState) {
        settings = state.settings
        registry = state.registry
        scope = state.scope
        isNested = state.source.isNested
    }

    /// Returns after the policy has changed the objects so that the save can be repeated.
    func resolve(_ batches: [StoreChanges]) throws {
        let setting = settings.read(\.mergePolicy)
        guard let policy = setting as? NSMergePolicy else {
            preconditionFailure("The context's mergePolicy is no NSMergePolicy but a \(type(of: setting)).")
        }
        // An open read transaction might not see the rows that other writers have committed.
        scope.endReads()
        var versionConflicts: [NSMergeConflict] = []
        var uniquenessConflicts: [NSConstraintConflict] = []
        for batch in batches { collect(batch, &versionConflicts, &uniquenessConflicts) }
        // Changes of a policy cannot be undone.
        settings.undoManager?.disableUndoRegistration()
        defer { settings.undoManager?.enableUndoRegistration() }
        do {
            try DeferredAnnouncements.holding {
                try policy.resolve(mergeConflicts: versionConflicts + uniquenessConflicts)
            }
        } catch {
            // The error may outlive the context, which makes the objects of records.
            for conflict in uniquenessConflicts { _ = conflict.databaseObject }
            throw error
        }
    }

    private func collect(
        _ batch: StoreChanges, _ versionConflicts: inout [NSMergeConflict],
        _ uniquenessConflicts: inout [NSConstraintConflict]
    ) {
        let objects = batch.objectsByKey()
        let form = ConflictSnapshots(model: registry.model, home: batch.store.identity)
        for conflict in batch.outcome.conflicts {
            let root = conflict.layout.rootIndex
            guard let object = objects[ObjectKey(root, conflict.key)] else { continue }
            switch conflict.kind {
            case .version:
                versionConflicts.append(NSMergeConflict(object, conflict.row, cached: cachedRow(conflict, batch.store)))
                learn(conflict, batch)
            case .uniqueness(let names):
                let record = conflict.row.map { row in
                    NSConstraintConflict.Record(
                        row: row, key: ObjectKey(row.layout.index, conflict.rowKey), home: batch.store.identity)
                }
                let rivals = conflict.rivals.compactMap { objects[ObjectKey(root, $0)] }
                uniquenessConflicts.append(
                    NSConstraintConflict(
                        names, rivals.isEmpty ? [object] : [object] + rivals, record,
                        isNested ? ConflictSnapshots(object) : form))
            }
        }
    }

    /// The row in the coordinator's row cache before the save; nil if it had none, and for a child context.
    private func cachedRow(_ conflict: SaveOutcome.Conflict, _ store: any RecordStore) -> Snapshot? {
        isNested ? nil : store.rowCache.row(root: conflict.layout.rootIndex, key: conflict.key)
    }

    /// Updates the row cache to the store's row, so that a refresh ends the conflict.
    private func learn(_ conflict: SaveOutcome.Conflict, _ batch: StoreChanges) {
        guard !isNested else { return }
        let cache = batch.store.rowCache
        if let row = conflict.row {
            cache.correct(FetchedRow(key: conflict.key, snapshot: row), since: batch.moment)
        } else {
            cache.forget(root: conflict.layout.rootIndex, keys: CollectionOfOne(conflict.key))
        }
    }
}

extension StoreChanges {
    /// The objects that made the changes, by root entity and key.
    func objectsByKey() -> [ObjectKey: NSManagedObject] {
        var result: [ObjectKey: NSManagedObject] = [:]
        for object in updated + deleted + inserted + checked {
            result[ObjectKey(object.table.layout.rootIndex, object.key)] = object
        }
        return result
    }
}
