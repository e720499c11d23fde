// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One part of the route of a store to another version: a single migration, by statements or by objects.

import Foundation

/// Atomic: after a failure or a kill the store has either the version before it or the version after it.
struct MigrationStep {
    enum Way {
        /// In place, in one transaction.
        case statements(SQLiteMigration)
        /// In place, in one transaction, by the store itself.
        case inPlace(InPlaceMigration, any MigratingInPlace.Type)
        /// Through a side file.
        case objects(ObjectMigration)
        /// Through new tables in the same database.
        case replacing(ObjectMigration, any MigratingInPlace.Type)
    }

    var way: Way
    let target: MigrationTarget
    /// The pairing of its first version with its last.
    let pairing: ModelPairing
    /// The models of its versions.
    let models: [NSManagedObjectModel]
    /// nil for an inferred mapping model.
    let mapping: NSMappingModel?
    /// The checksums of its versions.
    let checksums: [String]
    private let url: URL
    private let type: String
    private let timeout: Duration
    /// The version hashes of the store before the step.
    let hashes: [String: Data]

    /// - Parameters:
    ///   - hashes: the version hashes of the store before.
    ///   - destination: the version after the step.
    init(
        _ leg: MigrationRoute.Leg, of migration: SchemaMigration, from hashes: [String: Data],
        to destination: (model: NSManagedObjectModel, target: MigrationTarget)
    ) throws {
        let options = try SQLiteStoreOptions(migration.options)
        self.hashes = hashes
        (url, type, timeout) = (migration.url, migration.type, options.timeout)
        (target, pairing) = (destination.target, leg.pairing)
        (models, mapping) = (leg.versions.dropLast().map(\.model) + [destination.model], leg.mapping)
        checksums =
            [VersionDigestValue.checksum(hashes)]
            + leg.versions.dropFirst().dropLast().map { VersionDigestValue.checksum($0.hashes) }
            + [destination.target.checksum]
        let quarantines = StoreFlag.isSet(MigrationOption.quarantine, in: migration.options)
        guard let source = leg.versions[0].model.copy() as? NSManagedObjectModel else {
            throw CoreDataError.missingSourceModel(url, metadata: [:])
        }
        let storeClass = SchemaMigration.inPlace(type)
        if storeClass != nil { try Self.requireNoFiles(migration) }
        guard leg.way == .statements else {
            let configuration = migration.configuration
            let objects = ObjectMigration(
                url: migration.place, type: type,
                configuration: destination.model.entities(forConfigurationName: configuration) == nil
                    && destination.model !== migration.model ? nil : configuration,
                options: migration.options, source: source, destination: destination.model, mapping: leg.mapping,
                quarantines: quarantines)
            way = storeClass.map { .replacing(objects, $0) } ?? .objects(objects)
            return
        }
        if let storeClass {
            way = .inPlace(Self.inPlace(leg, migration, source, hashes, destination.target), storeClass)
            return
        }
        source.freeze()
        way = .statements(
            SQLiteMigration(
                url: url, options: options, source: source, sourceLayout: ModelLayout(entities: source.entities),
                target: target, pairing: leg.pairing, expected: hashes,
                rebuilds: StoreFlag.isSet(MigrationOption.rebuilds, in: migration.options),
                defers: StoreFlag.isSet(NSPersistentStoreDeferredLightweightMigrationOptionKey, in: migration.options),
                quarantines: quarantines,
                leavesNoTrace: StoreFlag.isSet(storeLeavesNoTraceOption, in: migration.options)))
    }

    /// - Throws: 134110 for options that create files, which a store in a database does not support.
    private static func requireNoFiles(_ migration: SchemaMigration) throws {
        for option in [MigrationOption.quarantine, MigrationOption.keepsOriginal]
        where StoreFlag.isSet(option, in: migration.options) {
            throw CoreDataError.migrationFailed(
                migration.url,
                cause: CoreDataError.migrationCause(
                    entity: nil, attribute: nil, reason: "Stores of type \(migration.type) do not support \(option)"))
        }
    }

    private static func inPlace(
        _ leg: MigrationRoute.Leg, _ migration: SchemaMigration, _ source: NSManagedObjectModel,
        _ hashes: [String: Data], _ target: MigrationTarget
    ) -> InPlaceMigration {
        source.freeze()
        return InPlaceMigration(
            place: migration.place, options: migration.options, source: source,
            sourceLayout: ModelLayout(entities: source.entities), target: target, pairing: leg.pairing,
            expected: hashes)
    }

    /// One step for each pair of versions. The last one has the statements.
    func steps(_ statements: [String]) -> [MigrationPlan.Step] {
        let isStatements =
            switch way {
            case .statements, .inPlace: true
            case .objects, .replacing: false
            }
        return zip(checksums, checksums.dropFirst()).enumerated().map { number, pair in
            MigrationPlan.Step(
                sourceChecksum: pair.0, destinationChecksum: pair.1, way: isStatements ? .statements : .objects,
                statements: number + 2 == checksums.count ? statements : [])
        }
    }

    /// - Returns: nil if another opener has migrated the store.
    func run(_ original: KeptOriginal?, _ progress: Progress?) throws -> MigrationReport? {
        switch way {
        case .statements(var migration):
            migration.progress = progress
            if let original { migration.beforeLock = original.copy }
            return try run(migration, original)
        case .inPlace(let migration, let storeClass): return try run(migration, storeClass)
        case .objects(var migration):
            migration.progress = progress
            migration.original = original?.url
            return try run(migration, original)
        case .replacing(var migration, let storeClass):
            migration.progress = progress
            return try run(migration, storeClass)
        }
    }

    private func run(_ migration: SQLiteMigration, _ original: KeptOriginal?) throws -> MigrationReport? {
        do {
            let outcome = try migration.run { metadata, outcome in
                record(&metadata, .statements, rows: outcome.rows.values.reduce(0) { $0 + $1.after })
            }
            guard let outcome else {
                original?.discard()
                return nil
            }
            return MigrationReport(
                steps: steps(outcome.statements), rowsBefore: outcome.rows.mapValues { Int($0.before) },
                rowsAfter: outcome.rows.mapValues { Int($0.after) }, originalURL: original?.url,
                quarantined: MigrationReport.rows(outcome.quarantined),
                quarantineURLs: outcome.quarantine.map { [$0] } ?? [], isVerified: true, duration: .zero)
        } catch {
            original?.discard()
            throw MigrationFailure(url: url).translated(error)
        }
    }

    private func run(_ migration: InPlaceMigration, _ storeClass: any MigratingInPlace.Type) throws
        -> MigrationReport?
    {
        var migration = migration
        migration.amend = { metadata, rows in record(&metadata, .statements, rows: rows) }
        do {
            guard let outcome = try storeClass.migrate(migration) else { return nil }
            return MigrationReport(
                steps: steps(outcome.statements), rowsBefore: outcome.rows.mapValues { Int($0.before) },
                rowsAfter: outcome.rows.mapValues { Int($0.after) }, originalURL: nil, quarantined: [],
                quarantineURLs: [], isVerified: true, duration: .zero)
        } catch {
            throw MigrationFailure(url: url).translated(error)
        }
    }

    /// Openers migrate one after another; those after the first find a migrated store. SchemaMigration-M10.
    private func run(_ migration: ObjectMigration, _ original: KeptOriginal?) throws -> MigrationReport? {
        do {
            let turn = try MigrationLock(of: url, timeout: timeout, progress: migration.progress)
            return try withExtendedLifetime(turn) {
                let metadata = try SchemaMigration.metadata(of: url, type: type, options: migration.options)
                guard NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) == hashes else { return nil }
                let rows = try migration.run { metadata, rows in
                    record(&metadata, .objects, rows: Int64(rows.after.values.reduce(0, +)))
                }
                return report(rows, original)
            }
        } catch {
            throw MigrationFailure(url: url).translated(byObjects: error)
        }
    }

    /// The database allows one migration at a time.
    private func run(_ migration: ObjectMigration, _ storeClass: any MigratingInPlace.Type) throws -> MigrationReport? {
        do {
            let rows = try migration.run(in: storeClass, expecting: hashes) { metadata, rows in
                record(&metadata, .objects, rows: Int64(rows.after.values.reduce(0, +)))
            }
            return rows.map { report($0, nil) }
        } catch {
            throw MigrationFailure(url: url).translated(byObjects: error)
        }
    }

    private func report(_ rows: MigratedRows, _ original: KeptOriginal?) -> MigrationReport {
        MigrationReport(
            steps: steps([]), rowsBefore: rows.before, rowsAfter: rows.after, originalURL: original?.url,
            quarantined: MigrationReport.rows(rows.quarantined), quarantineURLs: rows.quarantine.map { [$0] } ?? [],
            isVerified: mapping == nil, duration: .zero)
    }

    private func record(_ metadata: inout [String: Any], _ way: MigrationPlan.Way, rows: Int64) {
        MigrationHistory.append(
            to: &metadata, from: checksums.first ?? "", to: checksums.last ?? "", way, rows: rows)
    }
}
