// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens the model and the store that the program serves.
import CoreData
import CoreDataPostgreSQL
import CoreDataSyncServer
import Foundation

/// A store with the entities of sync.
struct ServedStore: Sendable {
    let container: NSPersistentContainer

    /// - Parameters:
    ///   - model: the path of a `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    ///   - place: the path of a SQLite file, or a URL `postgresql://…`.
    /// - Throws: `ServedStoreError` for a model or a URL that cannot be read; an error of the store.
    init(model path: String, place: String) async throws {
        guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: path)) else {
            throw ServedStoreError(text: "There is no readable model at \(path).")
        }
        // The program does not have the app's classes.
        for entity in model.entities { entity.managedObjectClassName = NSStringFromClass(NSManagedObject.self) }
        container = NSPersistentContainer(
            name: "CoreDataSyncServer", managedObjectModel: try NSManagedObjectModel.syncServer(of: model))
        container.persistentStoreDescriptions = [try Self.description(place)]
        try await container.loadPersistentStores()
    }

    /// Whether a fetch has an answer.
    func answers() async -> Bool {
        guard let entity = container.managedObjectModel.entities.first(where: { !$0.isAbstract })?.name else {
            return true
        }
        let count = try? await container.performBackgroundTask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.fetchLimit = 1
            return try context.count(for: request)
        }
        return count != nil
    }

    /// Closes the store, after its last request.
    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private static func description(_ place: String) throws -> NSPersistentStoreDescription {
        let isServer = place.hasPrefix("postgresql://") || place.hasPrefix("postgres://")
        guard let url = isServer ? URL(string: place) : URL(fileURLWithPath: place) else {
            throw ServedStoreError(text: "The URL of the database cannot be read.")
        }
        let description = NSPersistentStoreDescription(url: url)
        if isServer {
            PostgreSQLStore.register()
            description.type = NSPostgreSQLStoreType
        }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        // The service is a named reader, so nothing that it has not read is removed.
        description.historyRetention = PersistentHistoryRetention(maximumAge: 7 * 24 * 3600)
        description.timeout = 30
        return description
    }
}

/// Why a store cannot be served.
struct ServedStoreError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
