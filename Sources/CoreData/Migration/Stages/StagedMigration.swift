// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store through the stages of a staged migration before it is opened.

import CoreDataModelFiles
import Foundation

/// # Invariants: Migration-M51 to M54
/// (1) A stage with code works on a copy of the store, which replaces the store when the stage has ended. After an
/// error, a crash or a kill, and if another program saves during the stage, the store is not replaced.
/// (2) Completed stages are not repeated: the next attempt begins after the last complete stage.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    /// Without the options that start a migration.
    let store: StoreLocation
    let configuration: String?
    let model: NSManagedObjectModel

    var progress: Progress? { store.options?[MigrationOption.progress] as? Progress }

    /// - Returns: nil if the options have no staged migration manager.
    init?(
        _ url: URL, _ type: String, _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ model: NSManagedObjectModel
    ) {
        let key = NSPersistentStoreStagedMigrationManagerOptionKey
        guard let manager = options?[key] as? NSStagedMigrationManager else { return nil }
        self.manager = manager
        self.configuration = configuration
        self.model = model
        var options = options ?? [:]
        for own in [
            key, NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        ] { options[own] = nil }
        store = StoreLocation(url: url, type: type, options: options)
    }

    /// Does nothing if the store does not exist yet, or has the coordinator's version.
    ///
    /// - Throws: 134504, 134506, 134110 with the error of a handler as underlying error, 134090 when another opener
    ///   takes longer than the timeout, or the error of a step.
    func run() throws {
        if let server = store.server { return try run(in: server) }
        let storeClass = try StoreRegistry.storeClass(store.type)
        guard let first = try start(storeClass), try !route(from: first).steps.isEmpty else { return }
        // Among several openers (threads or processes) one runs the stages. The others then find the resulting version.
        let turn = try MigrationLock(of: store.url, timeout: StoreTimeout.value(store.options), progress: progress)
        try withExtendedLifetime(turn) {
            guard let start = try start(storeClass) else { return }
            try run(from: start)
        }
    }

    /// The checksum of the store; nil if there is no store, or if it has the coordinator's version.
    private func start(_ storeClass: any RecordStore.Type) throws -> String? {
        guard storeClass.addressing == .file, StoreFiles.exists(store.url), StoreFiles.size(store.url) > 0 else {
            return nil
        }
        return Self.checksum(try store.metadata()).flatMap { $0 == model.versionChecksum ? nil : $0 }
    }

    func route(from start: String) throws -> StageRoute {
        try StageRoute(manager.stages, from: start, to: model.versionChecksum, url: store.shown)
    }

    private func run(from start: String) throws {
        let route = try route(from: start)
        let versions = try StageVersions(route, of: self, start: start) { try? store.cachedModel() }
        var version = versions.start
        for step in route.steps {
            try MigrationCancellation.check(progress, store.url)
            let part = progress?.part(of: route.steps.count)
            defer { part?.finish() }
            switch step {
            case .lightweight(let checksum):
                let next = try versions.model(checksum)
                try migrate(store, from: version, to: next, part)
                version = next
            case .custom(let stage):
                let current = try stage.currentModel.resolve()
                if current.versionChecksum != version.versionChecksum {
                    try migrate(store, from: version, to: current, part)
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
        _ store: StoreLocation, from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        _ progress: Progress?
    ) throws {
        try migration(of: store, from: source, to: destination, progress).run()
    }

    func migration(
        of store: StoreLocation, from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        _ progress: Progress?
    ) -> ObjectMigration {
        ObjectMigration(
            store: store, configuration: configuration(in: destination), source: source, destination: destination,
            mapping: nil, progress: progress)
    }

    private func run(_ stage: NSCustomMigrationStage, _ progress: Progress?) throws {
        let (current, next) = (try stage.currentModel.resolve(), try stage.nextModel.resolve())
        let staged = try StagedFile(beside: store.url)
        var place = store
        place.url = staged.url
        do {
            let copy = try WorkingCopy(of: store.url, at: staged.url, type: store.type, options: store.options)
            try call(stage.willMigrateHandler, stage, place, current)
            try migrate(place, from: current, to: next, progress)
            try call(stage.didMigrateHandler, stage, place, next)
            try copy.putInPlace()
            staged.discard()
        } catch {
            staged.discard()
            throw error
        }
    }

    func call(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        _ stage: NSCustomMigrationStage, _ place: StoreLocation, _ version: NSManagedObjectModel
    ) throws {
        guard let handler else { return }
        let container = NSPersistentContainer(
            name: store.url.deletingPathExtension().lastPathComponent, managedObjectModel: version)
        let opened = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: place.type, configurationName: configuration(in: version), at: place.url, options: place.options)
        do {
            try manager.with(container) { try handler(manager, stage) }
        } catch {
            try? container.persistentStoreCoordinator.remove(opened)  // the first error is the relevant one
            throw CoreDataError.migration(
                .migration, "A handler of the stage '\(stage.label ?? "")' failed.", url: store.shown, underlying: error
            )
        }
        try container.persistentStoreCoordinator.remove(opened)
    }

    // MARK: Versions

    /// An earlier version may lack the configuration; then all its entities are migrated.
    func configuration(in version: NSManagedObjectModel) -> String? {
        version.entities(forConfigurationName: configuration) == nil ? nil : configuration
    }
}
