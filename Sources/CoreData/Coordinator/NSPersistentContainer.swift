// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A container for a whole stack: model, coordinator, stores and contexts.

public import Foundation
import Synchronization

// Sendable: `persistentStoreDescriptions` is set before loading, all else never.
/// Sets up a stack by name: finds the model, opens the stores, and creates contexts.
///
/// One container for each set of stores is enough for a program; share it.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
/// container.persistentStoreDescriptions = [
///     NSPersistentStoreDescription(url: folder.appending(path: "Notebook.sqlite"))
/// ]
/// try await container.loadPersistentStores()
/// ```
///
/// `viewContext` serves the main actor; `newBackgroundContext()` and `performBackgroundTask(_:)` give contexts for work
/// in the background. Subclasses may override its properties and methods, as mocks and apps do.
///
/// - Important: set `persistentStoreDescriptions` before the stores are loaded. Everything else may be used on any
///   thread; a context on its queue.
/// - SeeAlso: `NSPersistentStoreDescription`, `NSPersistentStoreCoordinator`, `NSManagedObjectContext`.
/// - Source: Core Data Programming Guide, "Initializing the Core Data Stack".
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the stack. It is also the default name of model and store file.
    open var name: String { ownName }

    /// The context of the main queue, for everything that the user interface shows.
    ///
    /// ```swift
    /// let context = container.viewContext
    /// context.automaticallyMergesChangesFromParent = true  // shows the saves of background contexts
    /// let notes = try context.fetch(Memo.fetchRequest())  // on the main actor
    /// ```
    ///
    /// It is the same context at each access. Fetches find the saves of background contexts; objects that are
    /// registered already take over their values with `automaticallyMergesChangesFromParent`, or when they are
    /// refreshed.
    ///
    /// - Important: use it on the main actor. On a server or in a tool without a running main queue, use
    ///   `performBackgroundTask(_:)` instead.
    /// - SeeAlso: `newBackgroundContext()`, `NSManagedObjectContext.automaticallyMergesChangesFromParent`.
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
    /// Traps if there is no such model. Case counts, as in all file names on Linux.
    public convenience init(name: String) {
        let found = ModelSearch.locations(in: nil)
        guard let url = found.first(where: { $0.deletingPathExtension().lastPathComponent == name }),
            let model = NSManagedObjectModel(contentsOf: url)
        else { preconditionFailure(Self.missingModel(name, among: found)) }
        self.init(name: name, managedObjectModel: model)
    }

    /// The sentences of the trap for a name that no model has.
    static func missingModel(_ name: String, among found: [URL]) -> String {
        let names = found.map { $0.deletingPathExtension().lastPathComponent }
        let differsInCase = names.contains { $0 != name && $0.lowercased() == name.lowercased() }
        return "There is no model named '\(name)' among those that came with the program.\(name.hint(among: names))"
            + (differsInCase ? " Case counts in file names on Linux, and does not on most Macs." : "")
            + " The models are: \(found.map(\.lastPathComponent).joined(separator: ", ")). Load another one with "
            + "`NSPersistentContainer(name:managedObjectModel:)`."
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
    /// ```swift
    /// container.loadPersistentStores { description, error in
    ///     guard let error else { return }
    ///     print("The store at \(description.url?.path ?? "-") is not open: \(error.localizedDescription)")
    /// }
    /// ```
    ///
    /// A store of another version of the model is migrated, unless its description forbids it. In asynchronous code
    /// prefer `loadPersistentStores()`, which throws.
    ///
    /// - Parameter block: called once for each description, with nil or the error, before the method returns. For a
    ///   description that requests asynchronous loading it is called later, on another thread, and must not use
    ///   properties of an actor. The errors are those of
    ///   `NSPersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:)`.
    /// - Important: after an error the other stores are open, and another call tries the failed ones again.
    /// - Complexity: opens the files, and copies or alters tables where a migration is needed.
    /// - SeeAlso: `NSPersistentStoreDescription.shouldAddStoreAsynchronously`,
    ///   `NSPersistentStoreDescription.shouldMigrateStoreAutomatically`.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let block = Handover(block)
        for description in persistentStoreDescriptions where !isLoaded(description) {
            if let failure = failureBeforeOpening(description) {
                block.value(description, failure)
                continue
            }
            persistentStoreCoordinator.addPersistentStore(with: description) { [self] description, error in
                let error = error ?? failureAfterOpening(description)
                if error == nil, isPlaceless(description) { placeless.withLock { _ = $0.insert(place(description)) } }
                block.value(description, error)
            }
        }
    }

    /// For subclasses: an error keeps the description's store from being opened.
    func failureBeforeOpening(_ description: NSPersistentStoreDescription) -> (any Error)? { nil }

    /// For subclasses: called when the description's store is open. With an error the subclass has removed it again.
    func failureAfterOpening(_ description: NSPersistentStoreDescription) -> (any Error)? { nil }

    /// Opens those stores of `persistentStoreDescriptions` that are not open yet, and returns when all are open.
    ///
    /// ```swift
    /// let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
    /// container.persistentStoreDescriptions = [
    ///     NSPersistentStoreDescription(url: folder.appending(path: "Notebook.sqlite"))
    /// ]
    /// try await container.loadPersistentStores()
    /// ```
    ///
    /// Ours: Apple's framework has the form with a completion handler only. The work is that of the other form, away
    /// from the caller's actor; a migration holds up no main actor. Descriptions that ask for asynchronous loading are
    /// loaded at the same time as the others. Cancelling the waiting task has no effect.
    ///
    /// - Throws: the first error that a store reports, after all stores have been tried: 134100 for a store of another
    ///   model that is not migrated, 134110 and above for a migration that failed, 134090 for a file that is locked,
    ///   259, 260, 257, 513 or 640 of the file system. The others are open then, and another call tries the ones that
    ///   failed again.
    /// - Complexity: opens the files, and copies or alters tables where a migration is needed.
    /// - SeeAlso: `loadPersistentStores(completionHandler:)`, `MigrationPlan` to see a migration before it runs.
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

    /// Creates a context with its own queue on the stores of the container.
    ///
    /// Use it for work that needs a context for longer than one block; for one block `performBackgroundTask(_:)` is
    /// shorter.
    ///
    /// ```swift
    /// let context = container.newBackgroundContext()
    /// try await context.perform {
    ///     let note = Memo(context: context)
    ///     note.title = "Groceries"
    ///     try context.save()
    /// }
    /// ```
    ///
    /// - Returns: a new context at each call, with the error merge policy and without an undo manager.
    /// - Important: may be called on any thread. Use the context in `perform` or `performAndWait`. It does not merge
    ///   the saves of others unless `automaticallyMergesChangesFromParent` is set.
    /// - Complexity: a context costs little; its objects cost memory until it is reset or released.
    /// - SeeAlso: `viewContext`, `NSManagedObjectContext.perform(schedule:_:)`.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new context on its queue, later, and returns at once.
    ///
    /// ```swift
    /// container.performBackgroundTask { context in
    ///     Memo(context: context).title = "Groceries"
    ///     do { try context.save() } catch { print("The note is not saved: \(error)") }
    /// }
    /// ```
    ///
    /// Save in the block: the context is released after it, and unsaved changes with it. Handle errors inside the
    /// block; in asynchronous code prefer the form that gives a result and rethrows.
    ///
    /// - Important: may be called on any thread. Blocks of several calls run at the same time. The compiler warns of
    ///   captures without `Sendable`; see `NSManagedObjectContext.perform(_:)`.
    /// - SeeAlso: `newBackgroundContext()`.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    #if compiler(>=6.2)
        /// Runs a block with a new context on its queue, and returns its result or rethrows its error.
        ///
        /// ```swift
        /// let id = try await container.performBackgroundTask { context in
        ///     let note = Memo(context: context)
        ///     note.title = "Groceries"
        ///     try context.save()
        ///     return note.objectID
        /// }
        /// ```
        ///
        /// Save in the block: the context is released after it, and unsaved changes with it. Managed objects must not
        /// leave the block: return ids or values. Cancelling the task has no effect.
        ///
        /// - Throws: the error of the block, with its type.
        /// - Important: may be called on any actor. Blocks of several calls run at the same time.
        /// - Complexity: a new context for each call; objects are registered anew, rows come from the coordinator's row
        ///   cache.
        /// - SeeAlso: `newBackgroundContext()`, `NSManagedObjectContext.perform(schedule:_:)`.
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
