// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The work of the server on its store: each call has a private context.

import CoreData
import CoreDataPostgreSQL
import Foundation

/// A to-do as clients see it.
public struct TodoValue: Codable, Sendable, Equatable {
    public let id: UUID
    public let project: String
    public let title: String
    public let isDone: Bool

    init?(_ todo: Todo) {
        guard let id = todo.id, let project = todo.project?.name, let title = todo.title else { return nil }
        (self.id, self.project, self.title, isDone) = (id, project, title, todo.isDone)
    }
}

/// Opens the store, and changes it.
public struct TodoStore: Sendable {
    static let model: NSManagedObjectModel = {
        guard let url = Bundle.module.url(forResource: "Todos", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { fatalError("The package has no model 'Todos'.") }
        return model
    }()

    private let container: NSPersistentContainer
    private let lanes = (0..<8).map { _ in SerialQueue() }

    /// Opens the store in a SQLite file, in a PostgreSQL database, or in memory.
    ///
    /// - Parameter url: of a file, or `postgresql://…` in psql's form; nil for a store in memory.
    public init(at url: URL? = nil) async throws {
        container = NSPersistentContainer(name: "Todos", managedObjectModel: Self.model)
        let description = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        if let scheme = url?.scheme, scheme != "file" {
            PostgreSQLStore.register()
            description.type = NSPostgreSQLStoreType
        }
        description.timeout = 10  // a save waits for others no longer than a client waits for us
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
    }

    /// Closes the store; pending requests get their answer or error 134070.
    public func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Adds a to-do to the project with a name, which is made if necessary.
    public func add(_ title: String, to project: String) async throws -> TodoValue? {
        try await change(project) { context in
            let todo = Todo(context: context)
            todo.title = title
            todo.project = try self.project(project, in: context) ?? Project(context: context)
            todo.project?.name = project
            return { TodoValue(todo) }
        }
    }

    /// The to-dos of a project, oldest first; all to-dos without a name.
    public func todos(of project: String?, limit: Int) async throws -> [TodoValue] {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Todo>(entityName: "Todo")
            if let project { request.predicate = NSPredicate(format: "project.name == %@", project) }
            request.sortDescriptors = [NSSortDescriptor(key: "created", ascending: true)]
            request.relationshipKeyPathsForPrefetching = ["project"]
            request.fetchLimit = limit
            return try context.fetch(request).compactMap { TodoValue($0) }
        }
    }

    /// Marks a to-do; nil for an unknown id.
    public func mark(_ id: UUID, done: Bool) async throws -> TodoValue? {
        try await change(id) { context in
            let todo = try self.todo(id, in: context)
            todo?.isDone = done
            return { todo.flatMap { TodoValue($0) } }
        }
    }

    /// Removes a to-do; false for an unknown id.
    public func remove(_ id: UUID) async throws -> Bool {
        try await change(id) { context in
            let todo = try self.todo(id, in: context)
            if let todo { context.delete(todo) }
            return { todo != nil }
        }
    }

    /// Runs a block on a new context and saves; then calls the closure that the block returned, for the result.
    ///
    /// A to-do that comes to a project changes the project, too, so parallel changes of one project are conflicts.
    /// Those of this process with the same key wait for one another. The merge policy settles the others; where they
    /// came first each time, the whole block runs again.
    private func change<Value: Sendable>(
        _ key: some Hashable,
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> () -> Value
    ) async throws -> Value {
        let lane = lanes[Int(UInt(bitPattern: key.hashValue) % UInt(lanes.count))]
        return try await lane.run { [container] in
            func attempt() async throws -> Value {
                try await container.performBackgroundTask { context in
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    let value = try block(context)
                    try context.save()
                    return value()
                }
            }
            for _ in 1..<5 {
                do { return try await attempt() } catch let error as CocoaError where error.isConflict {}
            }
            return try await attempt()
        }
    }

    private func project(_ name: String, in context: NSManagedObjectContext) throws -> Project? {
        let request = NSFetchRequest<Project>(entityName: "Project")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try context.fetch(request).first
    }

    private func todo(_ id: UUID, in context: NSManagedObjectContext) throws -> Todo? {
        let request = NSFetchRequest<Todo>(entityName: "Todo")
        request.predicate = NSPredicate(format: "id == %@", id)
        return try context.fetch(request).first
    }
}

extension CocoaError {
    /// Whether a save met rows that others have changed, or made with the same name.
    var isConflict: Bool {
        [NSManagedObjectMergeError, NSManagedObjectConstraintMergeError].contains(code.rawValue)
    }
}

/// Runs one piece of work after the other.
actor SerialQueue {
    private var last: Task<Void, Never>?

    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { [last] in
            await last?.value
            return try await work()
        }
        last = Task { _ = await task.result }
        return try await task.value
    }
}
