// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves changes in one transaction: plans them as values, runs the statements, and commits all or nothing.

import Foundation
import SQLiteDriver

extension SQLiteStore {
    /// A full or failing disk can still reject a commit.
    var guaranteesCommit: Bool { false }

    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        if changes.isEmpty, !metadataValues.hasUnsaved { return SaveOutcome(isWritten: try confirm()) }
        do {
            return try opened.pool.write { connection in
                let metadata = metadataValues.unsaved
                let commit = CommitNotifier.shared.begin(commitPlace, by: self)
                let backend = SQLiteSave(opened: opened, connection: connection, metadata: metadata?.values)
                var save = RelationalSave(backend, changes, CacheFillPermit(rowCache))
                let outcome = try save.run(confirm)
                guard outcome.isWritten else { return outcome }
                if let metadata { metadataValues.didSave(metadata) }
                didCommit(outcome.transactionNumber, commit)
                return outcome
            }
        } catch {
            throw failure(error)
        }
    }
}

extension SQLiteStore {
    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        guard let mapping = opened.schema.mapping(layout.rootIndex) ?? opened.schema.mapping(layout) else {
            throw CoreDataError.storeOperation(
                "The store \(CoreDataError.place(url)) does not hold the entity \(layout.name).", store: self)
        }
        do {
            return try opened.pool.write { connection in
                try opened.history.write(on: connection) {
                    try PrimaryKeys.reserve(count, table: mapping.table, root: mapping.number, on: connection)
                }
            }
        } catch {
            throw failure(error)
        }
    }
}
