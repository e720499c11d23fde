// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A container for a whole stack: model, coordinator, stores and contexts.

public import Foundation
import Synchronization

/// Sets up a stack by name: finds the model, opens the stores, and creates contexts.
///
/// Subclasses may override its properties and methods, as mocks and apps do.
// Sendable: only `persistentStoreDescriptions` changes, and only before loading.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the stack. It is also the default name of model and store file.
    open var name: String { ownName }
    /// The context of the main queue.
    open var viewContext: NSManagedObjectContext { ownContext }
    /// The model of the stack, which can no longer be changed.
    open var managedObjectModel: NSManagedObjectModel { ownCoordinator.managedObjectModel }
    /// The coordinator of all contexts of the stack. It has no stores before `loadPersistentStores`.
    ///
    /// The stores of an overridden coordinator are loaded, and new background contexts use it; `viewContext` uses the
    /// one that the initializer made.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownCoordinator }
    /// The stores that `loadPersistentStores` opens; one SQLite store in `defaultDirectoryURL()` unless set.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]
    private let ownName: String
    private let ownContext: NSManagedObjectContext
    private let ownCoordinator: NSPersistentStoreCoordinator
    /// Loaded descriptions of stores without a location. The container retains them.
    private let placeless = Mutex<Set<ObjectIdentifier>>([])

    /// Creates a container with the model of that name: `<name>.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel` in the
    /// main bundle, next to the executable or in a resource bundle next to it.
    ///
    /// Traps if there is no such model.
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

    /// Creates a container with a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        ownName = name
        ownCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        ownContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        ownContext.persistentStoreCoordinator = ownCoordinator
        let url = Self.defaultDirectoryURL().appending(path: name + ".sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        super.init()
    }

    /// The default folder of stores: the application support directory of the user, created if necessary.
    open class func defaultDirectoryURL() -> URL {
        let manager = FileManager.default
        let url =
            manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? manager.temporaryDirectory
        try? manager.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Opens those stores of `persistentStoreDescriptions` that are not open yet.
    ///
    /// - Parameter block: called once for each description, with nil or the error, before the method returns. For a
    ///   description that requests asynchronous loading it is called later, on another thread, and must not use
    ///   properties of an actor.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let block = Handover(block)
        for description in persistentStoreDescriptions where !isLoaded(description) {
            persistentStoreCoordinator.addPersistentStore(with: description) { [self] description, error in
                if error == nil, isPlaceless(description) { placeless.withLock { _ = $0.insert(place(description)) } }
                block.value(description, error)
            }
        }
    }

    /// Opens those stores of `persistentStoreDescriptions` that are not open yet, and returns when all are open.
    ///
    /// ```swift
    /// let container = NSPersistentContainer(name: "Shop")
    /// try await container.loadPersistentStores()
    /// ```
    ///
    /// An addition to Apple's API, which has only the form with a completion handler. The work does not run on the
    /// caller's actor, so a migration does not block the main actor. Descriptions that ask for asynchronous loading are
    /// loaded at the same time as the others. Cancelling the waiting task has no effect.
    ///
    /// - Throws: the first error that a store reports, after all stores have been tried. The other stores are then
    ///   open, and another call retries those that failed.
    open func loadPersistentStores() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let load = StoreLoad(continuation)
            loadPersistentStores { _, error in load.note(error) }
        }
    }

    private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
        if isPlaceless(description) { return placeless.withLock { $0.contains(place(description)) } }
        return description.url.map { persistentStoreCoordinator.persistentStore(for: $0) != nil } ?? false
    }

    /// Whether each store of the description is a new one, so that a location cannot show whether it is loaded.
    private func isPlaceless(_ description: NSPersistentStoreDescription) -> Bool {
        description.type == NSInMemoryStoreType || description.url?.path == "/dev/null"
    }

    private func place(_ description: NSPersistentStoreDescription) -> ObjectIdentifier {
        ObjectIdentifier(description)
    }

    /// Creates a context with its own queue.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block asynchronously with a new context on its queue.
    ///
    /// - Important: the compiler warns of captures without `Sendable`; see `NSManagedObjectContext.perform(_:)`.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    #if compiler(>=6.2)
        /// Runs a block with a new context on its queue, and returns its result or rethrows its error.
        ///
        /// Like `perform(schedule:_:)` of the context: managed objects must not leave the block, and cancelling the
        /// task has no effect.
        @preconcurrency
        public nonisolated(nonsending) func performBackgroundTask<T, Failure: Error>(
            _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
        ) async throws(Failure) -> T {
            let context = newBackgroundContext()
            return try await context.perform { () throws(Failure) -> T in try block(context) }
        }
    #else
        /// Runs a block with a new context on its queue, and returns its result or rethrows its error.
        @preconcurrency
        public func performBackgroundTask<T, Failure: Error>(
            isolation: isolated (any Actor)? = #isolation,
            _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
        ) async throws(Failure) -> T {
            let context = newBackgroundContext()
            return try await context.perform { () throws(Failure) -> T in try block(context) }
        }
    #endif
}
