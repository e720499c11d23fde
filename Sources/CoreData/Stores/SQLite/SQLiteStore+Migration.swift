// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The SQLite store as Migration sees it: it migrates by statements, and carries its own tables into a new file.

import Foundation

extension SQLiteStore: MigratingByStatements {
    static func metadata(at place: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
        let file = SQLiteStoreFile(url: place, leavesNoTrace: StoreFlag.isSet(storeLeavesNoTraceOption, in: options))
        return try file.metadata(timeout: StoreTimeout.value(options))
    }

    static func cachedModel(at place: URL, options: [AnyHashable: Any]?) throws -> NSManagedObjectModel? {
        do {
            return try SQLiteStoreFile(url: place).cachedModel(timeout: StoreTimeout.value(options))
        } catch {
            if (error as NSError).code == NSPersistentStoreTimeoutError { throw error }
            return nil
        }
    }

    static func survey(_ migration: StatementMigration) throws -> MigrationSurvey {
        try SQLiteMigration.translating(migration.place) { try SQLiteMigration(migration).survey() }
    }

    static func script(_ migration: StatementMigration) throws -> MigrationScript? {
        try SQLiteMigration.translating(migration.place) { try SQLiteMigration(migration).scriptForNewStore() }
    }

    static func migrate(_ migration: StatementMigration) throws -> StatementMigration.Outcome? {
        try SQLiteMigration.translating(migration.place) {
            try SQLiteMigration(migration).run { metadata, outcome in
                migration.amend(&metadata, outcome.rows.values.reduce(0) { $0 + $1.after })
            }
        }
    }
}

extension SQLiteStore: SucceedingStore {
    static func succession(of store: URL, _ model: NSManagedObjectModel) throws -> any StoreSuccession {
        do {
            return SQLiteSuccession(store: store, mirror: try CloudMirrorSuccession(of: store, model))
        } catch {
            throw SQLiteStoreErrors.opening(error, url: store)
        }
    }

    static func writeQuarantine(
        _ keys: [String: Set<Int64>], of store: URL, _ model: NSManagedObjectModel, to url: URL
    ) throws {
        try QuarantineWriter.write(keys, of: store, model, to: url)
    }
}
