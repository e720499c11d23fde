// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a store for a coordinator: class, configuration, model, all checked before anything is touched.

import Foundation

struct StoreOpening {
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    /// - Throws: 134000 for a type that is not there.
    static func storeClass(_ type: String) throws -> any RecordStore.Type {
        switch type {
        case NSSQLiteStoreType: SQLiteStore.self
        case NSInMemoryStoreType: InMemoryStore.self
        default: throw CoreDataError.unknownStoreType(type, known: [NSSQLiteStoreType, NSInMemoryStoreType])
        }
    }

    func open(_ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?) throws
        -> NSPersistentStore
    {
        let storeClass = try Self.storeClass(type)
        guard let entities = coordinator.managedObjectModel.entities(forConfigurationName: configuration) else {
            let known = coordinator.managedObjectModel.configurations.joined(separator: ", ")
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'; it has: \(known).")
        }
        guard let place = url ?? (type == NSInMemoryStoreType ? URL(filePath: "/dev/null") : nil) else {
            throw CoreDataError.cannotOpenStore(url: nil, .noSuchFile, reason: "A store of type \(type) needs a URL.")
        }
        guard type == NSInMemoryStoreType || place.isFileURL else {
            throw CoreDataError.cannotOpenStore(url: place, reason: "Only file URLs can be opened.")
        }
        if type != NSInMemoryStoreType, place.path != "/dev/null", coordinator.persistentStore(for: place) != nil {
            throw CoreDataError.cannotOpenStore(url: place, reason: "The coordinator has opened it already.")
        }
        let store = storeClass.init(
            persistentStoreCoordinator: coordinator, configurationName: configuration, at: place, options: options)
        do {
            try store.open(model: coordinator.model, entities: entities)
        } catch {
            store.persistentStoreCoordinator = nil
            throw error
        }
        return store
    }
}
