// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The coordinator: the stores of a model, and the requests that contexts pass to them.

public import Foundation

/// User info key of the notification of added stores; an array of stores.
public let NSAddedPersistentStoresKey = "added"
/// User info key of the notification of removed stores; an array of stores.
public let NSRemovedPersistentStoresKey = "removed"
/// User info key of the notification of a migrated store: an array of the old store, the new one, and the
/// `MigratedObjectIDs` that map old ids to new ones.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSNotification.Name {
    /// The stores of an iCloud account are about to change. Never posted; declared for programs that observe it.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// The notification's object, a store, is about to be removed from its coordinator and can still be read. Posted on
    /// the removing thread, without user info.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Stores were added to the notification's object, a coordinator, or removed or migrated.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "_NSPersistentStoreCoordinatorStoresDidChangeNotification")
}

/// Connects contexts and stores: it knows the store of each entity, passes requests down, and returns rows.
///
/// A container makes one. Make one by hand for a store of a special kind, for several stores with configurations, or to
/// read the metadata of files.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model)
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
///
/// let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
/// context.persistentStoreCoordinator = coordinator
/// try context.performAndWait {
///     Memo(context: context).title = "Groceries"
///     try context.save()
/// }
/// try coordinator.remove(store)  // closes the file
///
/// let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
/// let fits = Notebook.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)  // true
/// ```
///
/// Errors of stores are Cocoa errors; `addPersistentStore` leaves the coordinator without the store after one of them.
///
/// - Important: thread-safe. Creating a coordinator freezes the model: a change of it traps from then on.
/// - Complexity: contexts of one coordinator share a row cache for each store. A second coordinator on the same file
///   reads its rows again, and meets conflicts like another process.
/// - SeeAlso: `NSPersistentContainer`, `NSPersistentStore`, `destroyPersistentStore(at:type:options:)`.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {  // `stores` is guarded by `storesLock`
    /// The model of all objects in the stores.
    public let managedObjectModel: NSManagedObjectModel
    /// A name for logs and messages.
    open var name: String?

    final let model: ModelLayout
    /// Prepared fetches of this model, for reuse.
    final let preparedFetches = PreparedFetchCache()
    /// All defects of the model. A coordinator with an invalid model accepts no stores.
    private let modelFailure: (any Error)?
    let storesLock = NSRecursiveLock()
    private var stores: [NSPersistentStore] = [] {
        didSet {
            let store = stores.count == 1 && stores[0].configuration == nil ? stores[0] : nil
            storesOfEverything = (store as? any RecordStore).map { [$0] }
        }
    }
    /// Stores during their removal: they receive no new requests, but may still have to answer earlier ones.
    private var storesBeingRemoved: [NSPersistentStore] = []
    /// Signals, under its own lock, that a store has been removed.
    private let removalCondition = NSCondition()
    /// The running saves of all threads.
    private var saves: [RunningSave] = []  // guarded by `storesLock`
    /// The only store, if it contains all entities. Cached with its cast, because every fetch needs it; an array, so
    /// that a fetch does not allocate one.
    private var storesOfEverything: [any RecordStore]?
    /// The observers of the stores' operations.
    package final let observation = StoreObservation()
    /// Contexts that merge the saves of other contexts automatically.
    let followers = ContextList()
    /// All contexts directly below the coordinator.
    let contexts = ContextList()
    /// Follows the commits to the stores.
    let remoteChanges = CoordinatorRemoteChanges()
    /// The identities of removed stores.
    private let formerIdentities = FormerIdentities()  // used under `storesLock`
    /// The id mappings of store migrations, the latest last.
    private var migrations: [MigratedObjectIDs] = []

    /// Creates a coordinator without stores.
    ///
    /// If the model is invalid, adding a store throws an error with all its defects.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        do {
            self.model = try model.compiledLayout()
            modelFailure = nil
        } catch {
            self.model = ModelLayout(entities: [])
            modelFailure = error
        }
    }

    /// A coordinator with an empty model, as a placeholder. Use `init(managedObjectModel:)`.
    public convenience override init() { self.init(managedObjectModel: NSManagedObjectModel()) }

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { attachedStores }

    /// The stores, without calling an override of `persistentStores`.
    final var attachedStores: [NSPersistentStore] { storesLock.withLock { stores } }

    /// The only store, if it contains all entities; nil with several stores, or if a configuration excludes entities.
    final var soleStores: [any RecordStore]? { storesLock.withLock { storesOfEverything } }

    /// The store at a URL; nil if no store is open there.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        attachedStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Whether a store with the file at a URL is open here, or not yet closed.
    final func isOpen(_ url: URL) -> Bool {
        storesLock.withLock { stores + storesBeingRemoved }.contains {
            $0.url?.standardizedFileURL == url.standardizedFileURL
        }
    }

    /// The location of a store.
    open func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(filePath: "/dev/null")
    }

    /// Changes the URL of a store, after its file was moved or copied there.
    ///
    /// The method moves no file. A SQLite store closes its file and opens the one at the URL, which must exist and have
    /// the same UUID. Other stores write their next save there. Call it while no context reads or saves.
    ///
    /// - Returns: false when the store does not belong to this coordinator, or cannot use the URL; it
    ///   is then unchanged.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        storesLock.withLock {
            guard stores.contains(store), let records = store as? any RecordStore,
                persistentStore(for: url).map({ $0 === store }) ?? true
            else { return false }
            guard (try? records.relocate(to: url)) != nil else { return false }
            remoteChanges.storeWillBeRemoved(store)
            remoteChanges.storeWasAdded(store, to: self)
            return true
        }
    }

    /// Opens or creates a store and adds it.
    ///
    /// ```swift
    /// do {
    ///     try coordinator.addPersistentStore(type: .sqlite, at: url)
    /// } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
    ///     print(error.localizedDescription)  // names the entities that differ
    ///     try coordinator.addPersistentStore(
    ///         type: .sqlite, at: url,
    ///         options: [
    ///             NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ///         ])
    /// }
    /// ```
    ///
    /// A file that is missing or empty becomes a new store. A store of another version of the model is migrated only
    /// with `NSMigratePersistentStoresAutomaticallyOption`; descriptions of a container set it.
    ///
    /// - Parameters:
    ///   - storeType: one of `registeredStoreTypes`: `NSSQLiteStoreType`, `NSInMemoryStoreType`, `NSXMLStoreType`,
    ///     `NSBinaryStoreType`, or a custom type.
    ///   - configuration: the configuration of the model with the entities of the store; nil for all entities. A model
    ///     without configurations opens a store of all entities by any name, as does every model by "Default".
    ///   - storeURL: the location of the store; nil for one in memory.
    ///   - options: `NSReadOnlyPersistentStoreOption`, `NSSQLitePragmasOption`, `NSPersistentStoreTimeoutOption` and
    ///     others.
    /// - Throws: 134100 for a store of another model, 134000 for an unknown type, 134060 for a model with faults,
    ///   134110 and above for a migration that failed, 134090 for a file that is locked, or an error of the file system
    ///   (260, 259, 513, 134080). The file is then unchanged.
    /// - Important: may be called on any thread; other calls of the coordinator wait.
    /// - SeeAlso: `remove(_:)`, `NSPersistentContainer.loadPersistentStores()`,
    ///   `metadataForPersistentStore(type:at:options:)`.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        if let modelFailure { throw modelFailure }
        if let storeURL {
            waitForRemoval(from: storeURL, options)
            try Self.migration.runStages(
                of: AddedStore(
                    url: storeURL, type: storeType, configuration: configuration, options: options,
                    model: managedObjectModel))
        }
        return try storesLock.withLock {
            let store = try StoreOpening(self).open(storeType, configuration, storeURL, options)
            formerIdentities.hand(to: store)
            stores.append(store)
            store.didAdd(to: self)
            remoteChanges.storeWasAdded(store, to: self)
            post([NSAddedPersistentStoresKey: [store]])
            return store
        }
    }

    /// Opens or creates a store and adds it; `addPersistentStore(ofType:configurationName:at:options:)` describes
    /// options and errors.
    ///
    /// ```swift
    /// do {
    ///     try coordinator.addPersistentStore(type: .sqlite, at: url)
    /// } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
    ///     print(error.localizedDescription)  // names the entities that differ
    ///     try coordinator.addPersistentStore(
    ///         type: .sqlite, at: url,
    ///         options: [
    ///             NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ///         ])
    /// }
    /// ```
    ///
    /// - Returns: the store, which `remove(_:)` and `NSFetchRequest.affectedStores` take.
    @discardableResult
    open func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store of a description.
    ///
    /// - Parameters:
    ///   - storeDescription: the place, the type and the options of the store.
    ///   - block: called at the end with nil or the error, before the method returns. If the description requests
    ///     asynchronous loading, it is called later, on another thread: it must not use properties of an actor then.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let block = Handover(block)
        let add: @Sendable () -> Void = { [self] in
            do {
                try addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration,
                    at: storeDescription.url,
                    options: storeDescription.storeOptions)
                block.value(storeDescription, nil)
            } catch {
                block.value(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { DispatchQueue.global().async(execute: add) } else { add() }
    }

    /// Closes a store and removes it. Its objects in contexts can no longer be realized or saved, unless the store is
    /// added again: ids and objects then refer to its records as before.
    ///
    /// Waits for running requests to the store; other requests to the coordinator are not blocked. A later fetch or
    /// save of the store either completes or throws 134070.
    ///
    /// - Throws: 134070 when the store does not belong to this coordinator, or is already being removed; an error of
    ///   the store if closing it fails, although it is removed. A call within a save of the store throws 134070 and has
    ///   no effect, because it would wait for itself.
    open func remove(_ store: NSPersistentStore) throws {
        try storesLock.withLock {
            try requireOwn(store)
            try requireNoOwnSave(of: store)
            postWillRemove(store)
            store.willRemove(from: self)
            try requireOwn(store)  // an observer may have removed it
            stores.removeAll { $0 === store }
            remoteChanges.storeWillBeRemoved(store)
            storesBeingRemoved.append(store)
            formerIdentities.keep(store)
            store.identity.end(of: store)
        }
        // Without the lock, because closing waits for a running request, which may need the coordinator.
        let closing = Result { try (store as? any RecordStore)?.close() }
        storesLock.withLock {
            storesBeingRemoved.removeAll { $0 === store }
            store.persistentStoreCoordinator = nil
            post([NSRemovedPersistentStoresKey: [store]])
        }
        removalCondition.withLock { removalCondition.broadcast() }
        try closing.get()
    }

    /// Waits until a store that is being removed has closed its file, at most for the timeout of a locked file.
    private func waitForRemoval(from url: URL, _ options: [AnyHashable: Any]?) {
        let place = url.standardizedFileURL
        guard place.path != "/dev/null" else { return }
        let end = Date(timeIntervalSinceNow: StoreTimeout.value(options) / .seconds(1))
        removalCondition.lock()
        defer { removalCondition.unlock() }
        while storesLock.withLock({ storesBeingRemoved.contains { $0.url?.standardizedFileURL == place } }) {
            guard removalCondition.wait(until: end) else { return }
        }
    }

    /// - Throws: 134070 when this thread is within a save of the store.
    private func requireNoOwnSave(of store: NSPersistentStore) throws {
        guard saves.contains(where: { $0.isOfThisThread && $0.stores.contains { $0 === store } }) else { return }
        throw CoreDataError.storeOperation(
            "The store is being saved by the code that removes it: remove it when the save is over.", store: store)
    }

    /// Registers a save by this thread to stores, for the duration of the body.
    func saving<T>(to stores: [NSPersistentStore], _ body: () throws -> T) rethrows -> T {
        let save = RunningSave(stores: stores)
        storesLock.withLock { saves.append(save) }
        defer { storesLock.withLock { saves.removeAll { $0 === save } } }
        return try body()
    }

    private func requireOwn(_ store: NSPersistentStore) throws {
        guard stores.contains(store) else {
            throw CoreDataError.storeOperation("The store is not one of this coordinator's.", store: store)
        }
    }

    /// Replaces the metadata of a store. The next save writes them.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) { store.metadata = metadata }

    /// The metadata of a store.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Reads the metadata of the store at a URL, without adding it.
    ///
    /// - Throws: 134000 for an unknown type; 260, 259, 257 or 134080 for a file that is not a readable store
    ///   of the type.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreRegistry.storeClass(storeType).metadataForPersistentStore(with: url)
    }

    /// Reads the metadata of the store at a URL, without adding it.
    open class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Replaces the metadata of the store at a URL immediately.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`, or 513 when the store is not writable.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreRegistry.storeClass(storeType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// Replaces the metadata of the store at a URL immediately.
    open class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }

    /// The id for a URI. For a URI of a store that was migrated here, the id in the new store.
    ///
    /// ```swift
    /// let uri = note.objectID.uriRepresentation()  // a file may keep its text
    /// if let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) {
    ///     let same = try context.existingObject(with: id)
    ///     print(same.objectID == note.objectID)  // true
    /// }
    /// ```
    ///
    /// - Parameter url: `NSManagedObjectID.uriRepresentation()` of a permanent id, perhaps from a file or from another
    ///   process.
    /// - Returns: nil when no store has the URI's UUID, when the model lacks its entity, or when the URI is malformed.
    ///   An id is no proof that the record exists.
    /// - Important: thread-safe.
    /// - Complexity: a look-up in memory.
    /// - SeeAlso: `NSManagedObjectContext.existingObject(with:)`.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        if let id = id(ofPlainURI: url.absoluteString) { return id }
        guard url.scheme == "x-coredata" else { return nil }
        let host = url.host ?? ""
        // A migration that transfers a store's identity also holds the lock.
        return storesLock.withLock {
            if let store = store(identified: host) {
                return StoredRow(url, model, store.identity.references).flatMap(id(of:))
            }
            return movedRow(url).flatMap(id(of:))
        }
    }

    private func store(identified identifier: String) -> NSPersistentStore? {
        (stores + storesBeingRemoved).first { $0.identifier.caseInsensitiveCompare(identifier) == .orderedSame }
    }

    private func id(of row: StoredRow) -> NSManagedObjectID? {
        store(identified: row.store).map { NSManagedObjectID(layout: row.layout, key: row.key, home: $0.identity) }
    }

    /// The row of a URI after all migrations; nil if its store was not migrated here.
    private func movedRow(_ url: URL) -> StoredRow? {
        var current: StoredRow?
        for migration in migrations {
            current = current.map { migration.row(for: $0) ?? $0 } ?? migration.row(for: url)
        }
        return current
    }

    /// Replaces a store by another one.
    ///
    /// - Parameter passIdentity: transfers the identity of the old store and returns the mapping of its ids. It runs
    ///   under the lock that URI look-ups take.
    func exchange(
        _ old: NSPersistentStore, for new: NSPersistentStore, passIdentity: () -> MigratedObjectIDs
    ) -> MigratedObjectIDs {
        storesLock.withLock {
            let ids = passIdentity()
            stores.removeAll { $0 === new }
            if let position = stores.firstIndex(of: old) { stores[position] = new }
            remoteChanges.storeWillBeRemoved(old)
            remoteChanges.storeWasAdded(new, to: self)
            migrations.append(ids)
            return ids
        }
    }

    /// Lets contexts use a store like the coordinator's own, until `exchange` or `removeTemporary`.
    func addTemporarily(_ store: NSPersistentStore) { storesLock.withLock { stores.append(store) } }

    func removeTemporary(_ store: NSPersistentStore) { storesLock.withLock { stores.removeAll { $0 === store } } }

    /// Posts a notification of added, removed or migrated stores.
    func post(_ info: [AnyHashable: Any]?) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: info)
    }

    func postWillRemove(_ store: NSPersistentStore) {
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }
}

/// A running save and its thread.
private final class RunningSave {
    let stores: [NSPersistentStore]
    private let thread = pthread_self()

    init(stores: [NSPersistentStore]) { self.stores = stores }

    var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
