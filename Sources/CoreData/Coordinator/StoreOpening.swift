// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a store for a coordinator: checks class, configuration and model before it changes any file.

import Foundation

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
        let open = { try self.open(storeClass, type, configuration, place, options, entities) }
        do {
            return try open()
        } catch let error where SchemaMigration.isWanted(error, type: type, options: options) {
            let target = MigrationTarget(layout: coordinator.model, entities: entities)
            let migration = SchemaMigration(
                url: place, type: type, configuration: configuration, model: coordinator.managedObjectModel,
                target: target, options: options)
            let metadata = (error as NSError).userInfo["metadata"] as? [String: Any] ?? [:]
            let report = try migration.run(metadata: metadata)
            let store = try open()
            store.migrationReport = report
            return store
        }
    }

    private func open(
        _ storeClass: NSPersistentStore.Type, _ type: String, _ configuration: String?, _ place: URL,
        _ options: [AnyHashable: Any]?, _ entities: [NSEntityDescription]
    ) throws -> NSPersistentStore {
        // All registered classes conform.
        guard let store = storeClass.create(coordinator, configuration, place, options) as? any RecordStore else {
            throw CoreDataError.unknownStoreType(type, known: Array(StoreRegistry.all.keys))
        }
        do {
            try store.open(model: coordinator.model, entities: entities)
        } catch {
            store.persistentStoreCoordinator = nil
            throw error
        }
        return store
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
