// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A whole stack in one object: model, coordinator, stores, contexts.

public import Foundation

/// Sets up a stack by name: finds the model, opens the store, gives contexts.
// Sendable: `persistentStoreDescriptions` is set before loading, all else never.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the stack, and of its model and store file unless told otherwise.
    public let name: String
    /// The context of the main queue.
    public let viewContext: NSManagedObjectContext
    public let managedObjectModel: NSManagedObjectModel
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The stores that `loadPersistentStores` opens: one SQLite store in `defaultDirectoryURL()` unless set.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// A container for the model of that name: `<name>.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel` in the main
    /// bundle, beside the
    /// executable or in a resource bundle of it.
    ///
    /// Traps when there is no such model.
    public convenience init(name: String) {
        let found = ModelSearch.locations(in: nil)
        guard let url = found.first(where: { $0.deletingPathExtension().lastPathComponent == name }),
            let model = NSManagedObjectModel(contentsOf: url)
        else {
            preconditionFailure(
                "There is no model named '\(name)' among those that came with the program: "
                    + "\(found.map(\.lastPathComponent).joined(separator: ", ")). Load it, and use "
                    + "`NSPersistentContainer(name:managedObjectModel:)`.")
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// A container for a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        let url = Self.defaultDirectoryURL().appending(path: name + ".sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        super.init()
    }

    /// Where stores go unless told otherwise: the application support directory of the user, made if need be.
    open class func defaultDirectoryURL() -> URL {
        let manager = FileManager.default
        let url =
            manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? manager.temporaryDirectory
        try? manager.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Opens the stores of `persistentStoreDescriptions` that are not open yet.
    ///
    /// - Parameter block: called once for each description, with nil or the error: before this returns, but for
    ///   descriptions that ask
    ///   for another thread.
    open func loadPersistentStores(
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if let url = description.url, description.type != NSInMemoryStoreType, url.path != "/dev/null",
                persistentStoreCoordinator.persistentStore(for: url) != nil
            {
                continue
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// A new context on a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new context on its queue, later.
    open func performBackgroundTask(_ block: sending @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    #if compiler(>=6.2)
        /// Runs a block with a new context on its queue, and gives its result or what it throws.
        ///
        /// As `perform(schedule:_:)` of the context: managed objects must not leave the block, and cancelling the task
        /// changes nothing.
        public nonisolated(nonsending) func performBackgroundTask<T, Failure: Error>(
            _ block: sending @escaping (NSManagedObjectContext) throws(Failure) -> T
        ) async throws(Failure) -> T {
            let context = newBackgroundContext()
            return try await context.perform { () throws(Failure) -> T in try block(context) }
        }
    #else
        /// Runs a block with a new context on its queue, and gives its result or what it throws.
        public func performBackgroundTask<T, Failure: Error>(
            _ block: sending @escaping (NSManagedObjectContext) throws(Failure) -> T
        ) async throws(Failure) -> T {
            let context = newBackgroundContext()
            return try await context.perform { () throws(Failure) -> T in try block(context) }
        }
    #endif
}
