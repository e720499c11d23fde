// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes history requests for a context, and merges the transactions of other processes into contexts.

import Foundation

extension NSPersistentHistoryChangeRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let coordinator = try context.state.requireCoordinator("execute a history request")
        return try context.state.observing(.history, nil, rows: { _ in 0 }) {
            try HistoryExecution(coordinator: coordinator, affected: affectedStores).run(self)
        }
    }
}

extension NSManagedObjectContext: TransactionMerging {
    func mergeLater(inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID]) {
        var saved = SavedIDs()
        (saved.inserted, saved.updated, saved.deleted) = (inserted, updated, deleted)
        state.relations.post(saved, to: [self])
    }
}
