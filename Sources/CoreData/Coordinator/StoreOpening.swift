// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a store for a coordinator: checks class, configuration, model and version before it changes any file.

import Foundation

/// Documentation/Internals/Migration.md has the states, Migration-M1 to M4 the invariants.
struct StoreOpening {
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    func open(_ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?) throws
        -> NSPersistentStore
    {
        let storeClass = try StoreRegistry.storeClass(type)
        guard let entities = coordinator.managedObjectModel.entitiesOfStore(configuration: configuration) else {
            let known = coordinator.managedObjectModel.configurations.joined(separator: ", ")
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'; it has: \(known).")
        }
        let place = try place(url, type, storeClass.addressing)
        let make = { try self.make(storeClass, type, configuration, place, options) }
        var store = try make()
        var report: MigrationReport?
        if StoreFlag.isSet(NSMigratePersistentStoresAutomaticallyOption, in: options),
            let metadata = try otherVersion(of: store, entities)
        {
            store.persistentStoreCoordinator = nil
            let added = AddedStore(
                url: place, type: type, configuration: configuration, options: options,
                model: coordinator.managedObjectModel)
            let target = MigrationTarget(layout: coordinator.model, entities: entities)
            report = try coordinator.observation.run(.migration) {
                try NSPersistentStoreCoordinator.migration.migrate(added, to: target, metadata: metadata)
            }
            store = try make()
        }
        try releasing(store) { try store.open(model: coordinator.model, entities: entities) }
        coordinator.observation.opened(type)
        store.migrationReport = report
        return store
    }

    private func make(
        _ storeClass: NSPersistentStore.Type, _ type: String, _ configuration: String?, _ place: URL,
        _ options: [AnyHashable: Any]?
    ) throws -> any RecordStore {
        // All registered classes conform.
        guard let store = storeClass.create(coordinator, configuration, place, options) as? any RecordStore else {
            throw CoreDataError.unknownStoreType(type, known: Array(StoreRegistry.all.keys))
        }
        store.observation = coordinator.observation
        return store
    }

    /// The metadata of a store that needs a migration; nil for any other store.
    private func otherVersion(of store: any RecordStore, _ entities: [NSEntityDescription]) throws -> [String: Any]? {
        guard let store = store as? any VersionedStore else { return nil }
        return try releasing(store) { try store.metadataOfOtherVersion(than: coordinator.model, entities: entities) }
    }

    /// Takes the coordinator away from a store that cannot be opened.
    private func releasing<T>(_ store: any RecordStore, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            store.persistentStoreCoordinator = nil
            throw error
        }
    }

    /// - Throws: 260 for a missing URL, 134080 for one that cannot be opened, or is already open here.
    private func place(_ url: URL?, _ type: String, _ addressing: StoreAddressing) throws -> URL {
        let nowhere = URL(filePath: "/dev/null")
        guard let place = url ?? (addressing == .file ? nil : nowhere) else {
            throw CoreDataError.cannotOpenStore(url: nil, .noSuchFile, reason: "A store of type \(type) needs a URL.")
        }
        guard addressing != .file || place.isFileURL else {
            throw CoreDataError.cannotOpenStore(url: place, reason: "Only file URLs can be opened.")
        }
        if addressing != .none, place.path != nowhere.path, coordinator.isOpen(place) {
            throw CoreDataError.cannotOpenStore(url: place, reason: "The coordinator has opened it already.")
        }
        return place
    }
}
