// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies a store to another location or kind: from a file to a server, and back.

import CoreData
import CoreDataPostgreSQL
package import Foundation

extension OpenedStore {
    /// Copies all objects to a new store: a schema of a server, or a SQLite file. Keys and versions are kept; the
    /// history is not copied.
    ///
    /// - Returns: the number of objects in the new store.
    /// - Throws: `ToolError` if the destination exists, and for a store that keeps no model.
    package func copy(to destination: URL) throws -> Int {
        let model = NSManagedObjectModel(document: try authoredModel())
        PostgreSQLStore.register()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        return try location.naming {
            let store = try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: location.url,
                options: [
                    NSReadOnlyPersistentStoreOption: true, storeLeavesNoTraceOption: !location.url.isServer,
                    // The model is the store's own, but its hashes of derived attributes may be Apple's.
                    NSIgnorePersistentStoreVersioningOption: true,
                ])
            let copy = try coordinator.migratePersistentStore(
                store, to: destination,
                withType: destination.isServer ? NSPostgreSQLStoreType : NSSQLiteStoreType)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let count = try context.performAndWait {
                try model.entities.filter { $0.superentity == nil }.reduce(0) { sum, entity in
                    try sum
                        + context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
                }
            }
            try coordinator.remove(copy)
            return count
        }
    }
}
