// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store of another version while it is added: finds the source model, infers the mapping, runs the script.

import Foundation

/// Documentation/SchemaMigration.md has the states and invariants.
struct SchemaMigration {
    let url: URL
    let type: String
    let model: NSManagedObjectModel
    let target: MigrationTarget
    let options: [AnyHashable: Any]?

    /// Whether opening failed because of the version, and the options ask for a migration.
    static func isWanted(_ error: any Error, type: String, options: [AnyHashable: Any]?) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreIncompatibleVersionHashError
            && [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType].contains(type)
            && StoreFlag.isSet(NSMigratePersistentStoresAutomaticallyOption, in: options)
    }

    /// - Returns: nil if another opener has migrated the store meanwhile.
    /// - Throws: 134130 without a source model, 134140 without a mapping, 134110 for a migration that failed, 134090
    ///   for a store in use, 640 for a disk with too little room. The store is then as before.
    func run(metadata: [String: Any]) throws -> MigrationReport? {
        let clock = ContinuousClock()
        let begin = clock.now
        let migration = try prepared(metadata: metadata)
        let from = VersionDigestValue.checksum(metadata)
        do {
            let outcome = try migration.run { metadata, outcome in
                MigrationHistory.append(to: &metadata, from: from, to: target.checksum, outcome)
            }
            return outcome.map { report($0, from: from, duration: clock.now - begin) }
        } catch {
            throw translated(error)
        }
    }

    /// Everything up to the first look at the rows.
    func prepared(metadata: [String: Any]) throws -> SQLiteMigration {
        if StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options) {
            throw CoreDataError.migrationFailed(url, cause: CoreDataError.readOnlyStore(url))
        }
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let source = SourceModels(hashes: hashes, type: type, url: url, options: options).find() else {
            throw CoreDataError.missingSourceModel(url, metadata: metadata)
        }
        guard StoreFlag.isSet(NSInferMappingModelAutomaticallyOption, in: options) else {
            throw CoreDataError.missingMapping(url, source: source, destination: model, isInferring: false)
        }
        let entities = source.entities.filter { hashes[$0.name ?? ""] != nil }
        let pairing = ModelPairing(source: entities, destination: target.entities)
        if let obstacle = ModelDifference(pairing: pairing).statementObstacles.first {
            throw CoreDataError.missingMapping(
                url, source: source, destination: model, isInferring: true,
                underlying: CoreDataError.notInferable(obstacle.entity, obstacle.property, reason: obstacle.reason))
        }
        guard type == NSSQLiteStoreType else {
            throw CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    entity: nil, attribute: nil, reason: "Migrating a store of the type \(type) is not supported"))
        }
        do {
            try source.check()
        } catch {
            throw CoreDataError.migrationFailed(url, cause: error as NSError)
        }
        source.freeze()
        return SQLiteMigration(
            url: url, options: try SQLiteStoreOptions(options), source: source,
            sourceLayout: ModelLayout(entities: source.entities), target: target,
            rebuilds: StoreFlag.isSet(MigrationOption.rebuilds, in: options))
    }

    private func report(_ outcome: SQLiteMigration.Outcome, from: String, duration: Duration) -> MigrationReport {
        MigrationReport(
            steps: [
                MigrationPlan.Step(
                    sourceChecksum: from, destinationChecksum: target.checksum, way: .statements,
                    statements: outcome.statements)
            ],
            rowsBefore: outcome.rows.mapValues { Int($0.before) }, rowsAfter: outcome.rows.mapValues { Int($0.after) },
            isVerified: true, duration: duration)
    }

    private func translated(_ error: any Error) -> any Error { MigrationFailure(url: url).translated(error) }
}

/// Translates the failures of a migration to Cocoa errors.
struct MigrationFailure {
    let url: URL

    func translated(_ error: any Error) -> any Error {
        switch error {
        case let failed as FailedCheck:
            let code: CocoaError.Code =
                failed.check.kind == .duplicate
                ? CocoaError.Code(rawValue: NSMigrationConstraintViolationError) : .migration
            return CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    code, entity: failed.check.entity, attribute: failed.check.property, reason: failed.check.reason,
                    rows: failed.rows))
        case let failure as ScriptFailure:
            return CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    entity: failure.entity, attribute: failure.property, reason: failure.reason))
        default: return SQLiteMigration.translated(error, url)
        }
    }
}
