// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store through the stages of a staged migration before it is opened.

import CoreDataModelFiles
import Foundation

/// # Invariants: MigrationByObjects-20 to 23
/// (1) A stage with code works on a copy of the store, which replaces the store when the stage has ended. After an
/// error, a crash or a kill, and if another program saves during the stage, the store is not replaced.
/// (2) Completed stages are not repeated: the next attempt begins after the last complete stage.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let url: URL
    let type: String
    let configuration: String?
    let options: [AnyHashable: Any]
    let model: NSManagedObjectModel

    /// The URL to show in errors, without a password.
    var shown: URL { SchemaMigration.shown(url, type) }

    /// - Returns: nil if the options have no staged migration manager.
    init?(
        _ url: URL, _ type: String, _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ model: NSManagedObjectModel
    ) {
        let key = NSPersistentStoreStagedMigrationManagerOptionKey
        guard let manager = options?[key] as? NSStagedMigrationManager else { return nil }
        self.manager = manager
        self.url = url
        self.type = type
        self.configuration = configuration
        self.model = model
        var options = options ?? [:]
        for own in [
            key, NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        ] { options[own] = nil }
        self.options = options
    }

    /// Does nothing if the store does not exist yet, or has the coordinator's version.
    ///
    /// - Throws: 134504, 134506, 134110 with the error of a handler as underlying error, 134090 when another opener
    ///   takes longer than the timeout, or the error of a step.
    func run() throws {
        if let storeClass = SchemaMigration.inPlace(type) { return try run(in: storeClass) }
        let storeClass = try StoreRegistry.storeClass(type)
        guard let first = try start(storeClass), try !route(from: first).steps.isEmpty else { return }
        // Among several openers (threads or processes) one runs the stages. The others then find the resulting version.
        let turn = try MigrationLock(
            of: url, timeout: SQLiteStoreOptions(options).timeout,
            progress: options[MigrationOption.progress] as? Progress)
        try withExtendedLifetime(turn) {
            guard let start = try start(storeClass) else { return }
            try run(from: start)
        }
    }

    /// The checksum of the store; nil if there is no store, or if it has the coordinator's version.
    private func start(_ storeClass: any RecordStore.Type) throws -> String? {
        guard storeClass.addressing == .file, StoreFiles.exists(url), StoreFiles.size(url) > 0 else { return nil }
        let metadata = try SchemaMigration.metadata(of: url, type: type, options: options)
        return Self.checksum(metadata).flatMap { $0 == model.versionChecksum ? nil : $0 }
    }

    func route(from start: String) throws -> StageRoute {
        try StageRoute(manager.stages, from: start, to: model.versionChecksum, url: shown)
    }

    private func run(from start: String) throws {
        let progress = options[MigrationOption.progress] as? Progress
        let route = try route(from: start)
        let versions = try StageVersions(route, of: self, start: start) { cachedModel }
        var version = versions.start
        for step in route.steps {
            try MigrationCancellation.check(progress, url)
            let part = progress?.part(of: route.steps.count)
            defer { part?.finish() }
            switch step {
            case .lightweight(let checksum):
                let next = try versions.model(checksum)
                try migrate(url, from: version, to: next, part)
                version = next
            case .custom(let stage):
                let current = try stage.currentModel.resolve()
                if current.versionChecksum != version.versionChecksum {
                    try migrate(url, from: version, to: current, part)
                }
                try run(stage, part)
                version = try stage.nextModel.resolve()
            }
        }
    }

    /// The checksum of a store, even of one written by a framework without checksums.
    static func checksum(_ metadata: [String: Any]) -> String? {
        if let checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String { return checksum }
        return NSManagedObjectModel.versionHashes(inStoreMetadata: metadata).map { VersionDigest.checksum($0) }
    }

    // MARK: Steps

    private func migrate(
        _ url: URL, from source: NSManagedObjectModel, to destination: NSManagedObjectModel, _ progress: Progress?
    ) throws {
        try ObjectMigration(
            url: url, type: type, configuration: configuration(in: destination), options: options, source: source,
            destination: destination, mapping: nil, progress: progress
        ).run()
    }

    private func run(_ stage: NSCustomMigrationStage, _ progress: Progress?) throws {
        let (current, next) = (try stage.currentModel.resolve(), try stage.nextModel.resolve())
        let staged = try StagedFile(beside: url)
        do {
            let copy = try WorkingCopy(of: url, at: staged.url, type: type, options: options)
            try call(stage.willMigrateHandler, stage, staged.url, options, current)
            try migrate(staged.url, from: current, to: next, progress)
            try call(stage.didMigrateHandler, stage, staged.url, options, next)
            try copy.putInPlace()
            staged.discard()
        } catch {
            staged.discard()
            throw error
        }
    }

    func call(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        _ stage: NSCustomMigrationStage, _ url: URL, _ options: [AnyHashable: Any]?, _ version: NSManagedObjectModel
    ) throws {
        guard let handler else { return }
        let container = NSPersistentContainer(
            name: self.url.deletingPathExtension().lastPathComponent, managedObjectModel: version)
        let store = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: type, configurationName: configuration(in: version), at: url, options: options)
        do {
            try manager.with(container) { try handler(manager, stage) }
        } catch {
            try? container.persistentStoreCoordinator.remove(store)  // the first error is the relevant one
            throw CoreDataError.migration(
                .migration, "A handler of the stage '\(stage.label ?? "")' failed.", url: shown, underlying: error)
        }
        try container.persistentStoreCoordinator.remove(store)
    }

    // MARK: Versions

    /// The copy of the model in a SQLite store.
    private var cachedModel: NSManagedObjectModel? {
        type == NSSQLiteStoreType ? try? SQLiteStoreFile(url: url).cachedModel() : nil
    }

    /// An earlier version may lack the configuration; then all its entities are migrated.
    func configuration(in version: NSManagedObjectModel) -> String? {
        version.entities(forConfigurationName: configuration) == nil ? nil : configuration
    }
}
