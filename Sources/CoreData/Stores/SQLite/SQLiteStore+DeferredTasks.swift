// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes the columns and tables that a deferred migration has kept, while the store is in use.

import Foundation
import SQLiteDriver

/// Migration-M27.
extension SQLiteStore: TaskDeferring {
    func finishDeferredTask() throws -> Bool {
        guard isDeferred(metadata) else { return false }
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        do {
            let isLeft = try opened.pool.write { connection in
                try connection.write { try finishTask(opened.schema, connection) }
            }
            if !isLeft { metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil }
            return isLeft
        } catch {
            throw failure(error)
        }
    }

    private func isDeferred(_ metadata: [String: Any]) -> Bool {
        metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey].flatMap(AttributeValues.number)?.boolValue
            ?? false
    }

    /// The task and the removal of its mark are one transaction. Another process may already have done the task.
    ///
    /// - Returns: whether another task is left.
    private func finishTask(_ schema: Schema, _ connection: Connection) throws -> Bool {
        var stored = try StoreMetadata.read(connection, url: url)
        guard isDeferred(stored) else { return false }
        let removals = try SchemaComparison(schema, DatabaseOutline(connection)).removals
        if let first = removals.first { try connection.execute(first) }
        guard removals.count < 2 else { return true }
        stored[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil
        try StoreMetadata.write(stored, to: connection)
        return false
    }
}
