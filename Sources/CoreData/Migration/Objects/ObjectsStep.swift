// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A step by objects: a new store is filled, and takes the place of the store.

import Foundation

struct ObjectsStep: MigrationStep {
    let versions: StepVersions
    private let migration: ObjectMigration

    var way: MigrationPlan.Way { .objects }

    init(_ versions: StepVersions, _ migration: ObjectMigration) {
        (self.versions, self.migration) = (versions, migration)
    }

    func survey() throws -> MigrationSurvey { try migration.survey() }

    func script() throws -> MigrationScript? { nil }

    func run(_ original: KeptOriginal?, _ progress: Progress?) throws -> MigrationReport? {
        var migration = migration
        migration.progress = progress
        migration.original = original
        do {
            let rows = try migrated(migration) { metadata, rows in
                record(&metadata, rows: Int64(rows.after.values.reduce(0, +)))
            }
            return rows.map { rows in
                MigrationReport(
                    steps: steps([]), rowsBefore: rows.before, rowsAfter: rows.after, originalURL: rows.original,
                    quarantined: MigrationReport.rows(rows.quarantined),
                    quarantineURLs: rows.quarantine.map { [$0] } ?? [], isVerified: versions.mapping == nil,
                    duration: .zero)
            }
        } catch {
            throw MigrationFailure(url: migration.store.shown).translated(byObjects: error)
        }
    }

    /// A database lets one opener migrate at a time. Of a file the openers take turns, and those behind the first one
    /// find a migrated store (Migration-M12).
    ///
    /// - Returns: nil if another opener has migrated the store.
    private func migrated(
        _ migration: ObjectMigration, _ amending: @escaping (inout [String: Any], MigratedRows) -> Void
    ) throws -> MigratedRows? {
        let store = migration.store
        if let server = store.server {
            return try migration.run(in: server, expecting: versions.hashes, amending: amending)
        }
        let lock = try MigrationLock(
            of: store.url, timeout: StoreTimeout.value(store.options), progress: migration.progress)
        return try withExtendedLifetime(lock) {
            try store.hashes() == versions.hashes ? migration.run(amending: amending) : nil
        }
    }
}
