// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A step by statements: the store changes its own tables and rows, in one transaction.

import Foundation

struct StatementsStep: MigrationStep {
    let versions: StepVersions
    var migration: StatementMigration
    private let store: StoreLocation
    private let database: any MigratingByStatements.Type

    var way: MigrationPlan.Way { .statements }

    init(_ versions: StepVersions, of store: StoreLocation, _ database: any MigratingByStatements.Type) {
        (self.versions, self.store, self.database) = (versions, store, database)
        versions.source.freeze()
        migration = StatementMigration(
            place: store.url, options: store.options, source: versions.source,
            sourceLayout: ModelLayout(entities: versions.source.entities), target: versions.target,
            pairing: versions.pairing, expected: versions.hashes)
    }

    func survey() throws -> MigrationSurvey { try translating { try database.survey(migration) } }

    func script() throws -> MigrationScript? { try translating { try database.script(migration) } }

    func run(_ original: KeptOriginal?, _ progress: Progress?) throws -> MigrationReport? {
        var migration = migration
        migration.progress = progress
        if let original {
            migration.keepsOriginal = true
            migration.beforeLock = original.copy
        }
        migration.amend = { metadata, rows in record(&metadata, rows: rows) }
        do {
            guard let outcome = try translating({ try database.migrate(migration) }) else {
                original?.discard()
                return nil
            }
            return MigrationReport(
                steps: steps(outcome.statements), rowsBefore: outcome.rows.mapValues { Int($0.before) },
                rowsAfter: outcome.rows.mapValues { Int($0.after) }, originalURL: original?.url ?? outcome.original,
                quarantined: MigrationReport.rows(outcome.quarantined),
                quarantineURLs: outcome.quarantine.map { [$0] } ?? [], isVerified: true, duration: .zero)
        } catch {
            original?.discard()
            throw error
        }
    }

    private func translating<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw MigrationFailure(url: store.shown).translated(error)
        }
    }
}
