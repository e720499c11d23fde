// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store of numbers with narrow limits.

import CoreData
import Foundation

enum Store {
    static let connections = 2
    static let waiting = 4
    static let timeout = 0.3

    private static func model() -> NSManagedObjectModel {
        let size = NSAttributeDescription()
        (size.name, size.attributeType, size.isOptional) = ("size", .integer64AttributeType, false)
        size.defaultValue = 0
        let sale = NSEntityDescription()
        sale.name = "Sale"
        sale.properties = [size]
        let model = NSManagedObjectModel()
        model.entities = [sale]
        return model
    }

    /// - Parameter refuses: whether only `waiting` calls may wait, for `timeout` seconds.
    static func container(_ url: URL, refuses: Bool) async throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Limits", managedObjectModel: model())
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(connections as NSNumber, forKey: NSStoreConnectionLimitOption)
        description.setOption((refuses ? timeout : 60) as NSNumber, forKey: NSStoreConnectionTimeoutOption)
        if refuses { description.setOption(waiting as NSNumber, forKey: NSStoreWaitingLimitOption) }
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        return container
    }

    static func fill(_ container: NSPersistentContainer, _ count: Int) async throws {
        let context = container.newBackgroundContext()
        try await context.perform {
            let rows: [[String: Any]] = (0..<count).map { ["size": $0 % 997] }
            try context.execute(NSBatchInsertRequest(entityName: "Sale", objects: rows))
        }
    }

    /// A question of a request, on a context that stops when the request is cancelled.
    static func count(_ container: NSPersistentContainer, _ format: String) async throws -> Int {
        let context = container.newBackgroundContext()
        context.stopsStatementsOfCancelledTasks = true
        return try await context.perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Sale")
            request.predicate = NSPredicate(format: format)
            return try context.count(for: request)
        }
    }

    /// Work of minutes, in one block.
    static func report(_ container: NSPersistentContainer, counts: Int) async throws {
        let context = container.newBackgroundContext()
        context.stopsStatementsOfCancelledTasks = true
        try await context.perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Sale")
            request.predicate = NSPredicate(format: "size > -1")
            for _ in 0..<counts { _ = try context.count(for: request) }
        }
    }

    /// Takes a connection, as a long report does, until the result is let go.
    static func holdConnection(_ container: NSPersistentContainer) async throws -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        try await context.perform {
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Sale"))
        }
        return context
    }
}
