// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store of another version while it is added: finds source model and mapping, and the way to go.

import Foundation

/// Documentation/SchemaMigration.md has the states and invariants.
struct SchemaMigration {
    let url: URL
    let type: String
    /// The configuration with the entities of the store; nil for all entities.
    let configuration: String?
    let model: NSManagedObjectModel
    let target: MigrationTarget
    var options: [AnyHashable: Any]?

    private var progress: Progress? { options?[MigrationOption.progress] as? Progress }

    /// Whether opening failed because of the version, and the options ask for a migration.
    static func isWanted(_ error: any Error, type: String, options: [AnyHashable: Any]?) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreIncompatibleVersionHashError
            && [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType].contains(type)
            && StoreFlag.isSet(NSMigratePersistentStoresAutomaticallyOption, in: options)
    }

    /// - Returns: nil if another opener has migrated the store meanwhile.
    /// - Throws: 134120 for a cancelled one, 134130 without a source model, 134140 without a mapping, 134110 for a migration that failed, 134090
    ///   for a store in use, 640 for a disk with too little room. The store is then as before.
    func run(metadata: [String: Any]) throws -> MigrationReport? {
        let report = try migrate(metadata)
        if report != nil { progress?.finish() }
        return report
    }

    private func migrate(_ metadata: [String: Any]) throws -> MigrationReport? {
        let clock = ContinuousClock()
        let begin = clock.now
        let from = VersionDigestValue.checksum(metadata)
        let original = KeptOriginal(of: url, type, checksum: from, options)
        switch try prepared(metadata: metadata) {
        case .statements(var migration):
            migration.progress = progress
            return try run(migration, original, from: from).map {
                report($0, original, from: from, duration: clock.now - begin)
            }
        case .objects(var migration):
            migration.original = original?.url
            migration.progress = progress
            return try run(migration, from: from).map {
                report($0, original, isVerified: migration.mapping == nil, from: from, duration: clock.now - begin)
            }
        }
    }

    /// - Returns: nil if another opener has migrated the store meanwhile.
    private func run(
        _ migration: SQLiteMigration, _ original: KeptOriginal?, from: String
    ) throws -> SQLiteMigration.Outcome? {
        var migration = migration
        if let original { migration.beforeLock = original.copy }
        do {
            let outcome = try migration.run { metadata, outcome in
                let rows = outcome.rows.values.reduce(0) { $0 + $1.after }
                MigrationHistory.append(to: &metadata, from: from, to: target.checksum, .statements, rows: rows)
            }
            if outcome == nil { original?.discard() }
            return outcome
        } catch {
            original?.discard()
            throw MigrationFailure(url: url).translated(error)
        }
    }

    /// Several openers take turns, and those behind the first one find a migrated store. SchemaMigration-M10.
    ///
    /// - Returns: nil if another opener has migrated the store meanwhile.
    private func run(_ migration: ObjectMigration, from: String) throws -> MigratedRows? {
        do {
            let turn = try MigrationTurn(of: url, timeout: SQLiteStoreOptions(options).timeout, progress: progress)
            return try withExtendedLifetime(turn) {
                let metadata = try StoreRegistry.storeClass(type).metadataForPersistentStore(with: url)
                guard NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != target.hashes else { return nil }
                return try migration.run { metadata, rows in
                    let count = rows.after.values.reduce(0, +)
                    MigrationHistory.append(
                        to: &metadata, from: from, to: target.checksum, .objects, rows: Int64(count))
                }
            }
        } catch {
            throw MigrationFailure(url: url).translated(byObjects: error)
        }
    }

    /// A migration up to the first look at the rows.
    enum Prepared {
        /// In place, in one transaction.
        case statements(SQLiteMigration)
        /// Through a side file.
        case objects(ObjectMigration)
    }

    /// A mapping model of the bundles comes first. An inferred one goes by statements where they can carry it out.
    func prepared(metadata: [String: Any]) throws -> Prepared {
        if StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options) {
            throw CoreDataError.migrationFailed(url, cause: CoreDataError.readOnlyStore(url))
        }
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let source = SourceModels(hashes: hashes, type: type, url: url, options: options).find() else {
            throw CoreDataError.missingSourceModel(url, metadata: metadata)
        }
        try check(source)
        if let mapping = mappingOfBundles(source, hashes) { return .objects(migration(by: mapping, source)) }
        guard StoreFlag.isSet(NSInferMappingModelAutomaticallyOption, in: options) else {
            throw CoreDataError.missingMapping(url, source: source, destination: model, isInferring: false)
        }
        let entities = source.entities.filter { hashes[$0.name ?? ""] != nil }
        let pairing = ModelPairing(source: entities, destination: target.entities)
        let difference = ModelDifference(pairing: pairing)
        if let obstacle = difference.obstacles.first {
            throw CoreDataError.missingMapping(
                url, source: source, destination: model, isInferring: true,
                underlying: CoreDataError.notInferable(obstacle.entity, obstacle.property, reason: obstacle.reason))
        }
        guard type == NSSQLiteStoreType, difference.statementObstacles.isEmpty else {
            return .objects(migration(by: nil, source))
        }
        source.freeze()
        return .statements(
            SQLiteMigration(
                url: url, options: try SQLiteStoreOptions(options), source: source,
                sourceLayout: ModelLayout(entities: source.entities), target: target,
                rebuilds: StoreFlag.isSet(MigrationOption.rebuilds, in: options),
                leavesNoTrace: StoreFlag.isSet(storeLeavesNoTraceOption, in: options)))
    }

    private func check(_ source: NSManagedObjectModel) throws {
        do {
            try source.check()
        } catch {
            throw CoreDataError.migrationFailed(url, cause: error as NSError)
        }
    }

    /// The first mapping model in the bundles that fits both models, with the entities of the store alone.
    private func mappingOfBundles(_ source: NSManagedObjectModel, _ hashes: [String: Data]) -> NSMappingModel? {
        guard let found = NSMappingModel(from: nil, forSourceModel: source, destinationModel: model) else { return nil }
        found.entityMappings = found.entityMappings.filter { mapping in
            (mapping.sourceEntityName.map { hashes[$0] != nil } ?? true)
                && (mapping.destinationEntityName.map(target.names.contains) ?? true)
        }
        return found.entityMappings.isEmpty ? nil : found
    }

    private func migration(by mapping: NSMappingModel?, _ source: NSManagedObjectModel) -> ObjectMigration {
        ObjectMigration(
            url: url, type: type, configuration: configuration, options: options, source: source, destination: model,
            mapping: mapping)
    }

    private func report(
        _ outcome: SQLiteMigration.Outcome, _ original: KeptOriginal?, from: String, duration: Duration
    ) -> MigrationReport {
        MigrationReport(
            steps: [
                MigrationPlan.Step(
                    sourceChecksum: from, destinationChecksum: target.checksum, way: .statements,
                    statements: outcome.statements)
            ],
            rowsBefore: outcome.rows.mapValues { Int($0.before) }, rowsAfter: outcome.rows.mapValues { Int($0.after) },
            originalURL: original?.url, isVerified: true, duration: duration)
    }

    private func report(
        _ rows: MigratedRows, _ original: KeptOriginal?, isVerified: Bool, from: String, duration: Duration
    ) -> MigrationReport {
        MigrationReport(
            steps: [
                MigrationPlan.Step(
                    sourceChecksum: from, destinationChecksum: target.checksum, way: .objects, statements: [])
            ],
            rowsBefore: rows.before, rowsAfter: rows.after, originalURL: original?.url, isVerified: isVerified,
            duration: duration)
    }
}
