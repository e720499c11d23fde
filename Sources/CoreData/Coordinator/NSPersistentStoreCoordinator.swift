// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public face of the coordinator: a model, and the stores that hold its objects.

public import Foundation

/// Stores were added, in the notification of that; an array of stores.
public let NSAddedPersistentStoresKey = "added"
/// Stores were removed, in the notification of that; an array of stores.
public let NSRemovedPersistentStoresKey = "removed"
/// A store was migrated, in the notification of that: an array of the old store, the new one, and the
/// `MigratedObjectIDs` that say what became of ids.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSNotification.Name {
    /// The stores of an iCloud account are about to change. Never posted here; the name is there for programs that observe it.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// A store, the object, is about to be removed from its coordinator, and can still be asked for what is in it. Posted on
    /// the thread that does it; there is no user info.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Stores were added to a coordinator, the object, removed, or migrated.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "_NSPersistentStoreCoordinatorStoresDidChangeNotification")
}

/// Stands between contexts and stores: it knows which store holds which entity, and hands requests down and rows up.
///
/// May be used from any thread. The model is frozen when a coordinator is made with it.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {  // `stores` is guarded by `storesLock`
    /// The model of all objects here.
    public let managedObjectModel: NSManagedObjectModel
    /// For messages.
    open var name: String?

    final let model: ModelLayout
    /// Everything that is wrong with the model: no store can be added then.
    private let modelFailure: (any Error)?
    let storesLock = NSRecursiveLock()
    private var stores: [NSPersistentStore] = [] {
        didSet {
            let store = stores.count == 1 && stores[0].configuration == nil ? stores[0] : nil
            storeOfEverything = store as? any RecordStore
        }
    }
    /// Those that are being removed: nobody is sent to them any more, and they may still have something to answer.
    private var leaving: [NSPersistentStore] = []
    /// Signals, under its own lock, that one of them has gone.
    private let departures = NSCondition()
    /// The saves that are under way, of all threads.
    private var saves: [RunningSave] = []  // guarded by `storesLock`
    /// The store, where there is one alone, and it holds all entities: asked for at every fetch, so it is cast once.
    private var storeOfEverything: (any RecordStore)?
    /// Contexts that merge what others save here.
    let followers = ContextList()
    /// All contexts that have the coordinator as their own.
    let contexts = ContextList()
    /// What became of the ids of stores that were migrated, the latest last.
    private var migrations: [MigratedObjectIDs] = []

    /// Makes a coordinator without stores.
    ///
    /// With a model that cannot be used it takes no stores: adding one throws, and says everything that is wrong with
    /// the model.
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

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { storesLock.withLock { stores } }

    /// The store that holds every object; nil where there are several, or where a configuration leaves entities out.
    final var soleStore: (any RecordStore)? { storesLock.withLock { storeOfEverything } }

    /// The store at a URL; nil when there is none.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Whether the file at a URL is that of a store which is open here, or not closed yet.
    final func isOpen(_ url: URL) -> Bool {
        storesLock.withLock { stores + leaving }.contains { $0.url?.standardizedFileURL == url.standardizedFileURL }
    }

    /// Where a store is.
    open func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(filePath: "/dev/null")
    }

    /// Makes a store go on at another URL, after its file was moved or copied there.
    ///
    /// Nothing is moved by this. A SQLite store lets go of the file it has open and opens the one at the URL, which
    /// must be there and have the same UUID. Other stores write their next save there. Call it while no context reads
    /// or saves.
    ///
    /// - Returns: false when the store is not one of this coordinator's, or cannot go on there; it is as it was then.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        storesLock.withLock {
            guard stores.contains(store), let records = store as? any RecordStore,
                persistentStore(for: url).map({ $0 === store }) ?? true
            else { return false }
            return (try? records.relocate(to: url)) != nil
        }
    }

    /// Opens a store, or makes one where there is none, and adds it.
    ///
    /// - Parameters:
    ///   - storeType: one of `registeredStoreTypes`: `NSSQLiteStoreType`, `NSInMemoryStoreType`, `NSXMLStoreType`,
    /// `NSBinaryStoreType`,
    ///     or one of your own.
    ///   - configuration: the configuration of the model whose entities the store holds; nil for all.
    ///   - storeURL: where the store is; nil for one in memory.
    ///   - options: `NSReadOnlyPersistentStoreOption`, `NSSQLitePragmasOption`, `NSPersistentStoreTimeoutOption` and
    ///     the like.
    /// - Throws: 134100 for a store of another model, 134000 for an unknown type, or what the file system says (260,
    ///   259, 513, 134080).
    ///   The file is then as it was.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        if let modelFailure { throw modelFailure }
        if let storeURL { waitForDeparture(from: storeURL, options) }
        return try storesLock.withLock {
            let store = try StoreOpening(self).open(storeType, configuration, storeURL, options)
            stores.append(store)
            store.didAdd(to: self)
            post([NSAddedPersistentStoresKey: [store]])
            return store
        }
    }

    /// Opens a store, or makes one where there is none, and adds it; see
    /// `addPersistentStore(ofType:configurationName:at:options:)`.
    @discardableResult
    open func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store that a description tells of.
    ///
    /// - Parameter block: called when it is done, with nil or the error: before this returns, or on another thread when
    ///   the
    ///   description asks for that.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let add: @Sendable () -> Void = { [self] in
            do {
                try addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration,
                    at: storeDescription.url,
                    options: storeDescription.storeOptions)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { DispatchQueue.global().async(execute: add) } else { add() }
    }

    /// Closes a store and forgets it. Its objects in contexts cannot be faulted in or saved any more.
    ///
    /// Waits for what the store is being asked; others may use the coordinator meanwhile. A fetch or save that was on
    /// its way to the store is carried out, or throws 134070.
    ///
    /// - Throws: 134070 when the store is not one of this coordinator's, or is being removed already; a store's error
    ///   when it cannot be closed: it is removed then, too. A call inside of a save of the store throws 134070 and
    ///   changes nothing: it would wait for itself.
    open func remove(_ store: NSPersistentStore) throws {
        try storesLock.withLock {
            try requireOwn(store)
            try requireNoOwnSave(of: store)
            postWillRemove(store)
            store.willRemove(from: self)
            try requireOwn(store)  // whoever was told may have removed it
            stores.removeAll { $0 === store }
            leaving.append(store)
            store.identity.end(of: store)
        }
        // Without the lock: it waits for a question that the store is being asked, and whose answer may need the
        // coordinator.
        let closing = Result { try (store as? any RecordStore)?.close() }
        storesLock.withLock {
            leaving.removeAll { $0 === store }
            store.persistentStoreCoordinator = nil
            post([NSRemovedPersistentStoresKey: [store]])
        }
        departures.withLock { departures.broadcast() }
        try closing.get()
    }

    /// Waits while a store that is being removed still has its file open, at most as long as a lock is waited for.
    private func waitForDeparture(from url: URL, _ options: [AnyHashable: Any]?) {
        let place = url.standardizedFileURL
        guard place.path != "/dev/null" else { return }
        let timeout = (try? SQLiteStoreOptions(options))?.timeout ?? .seconds(5)
        let end = Date(timeIntervalSinceNow: timeout / .seconds(1))
        departures.lock()
        defer { departures.unlock() }
        while storesLock.withLock({ leaving.contains { $0.url?.standardizedFileURL == place } }) {
            guard departures.wait(until: end) else { return }
        }
    }

    /// - Throws: 134070 when this thread is inside of a save of the store.
    private func requireNoOwnSave(of store: NSPersistentStore) throws {
        guard saves.contains(where: { $0.isOfThisThread && $0.stores.contains { $0 === store } }) else { return }
        throw CoreDataError.storeOperation(
            "The store is being saved by the code that removes it: remove it when the save is over.", store: store)
    }

    /// Notes that this thread saves to stores, for as long as the body takes.
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

    /// Replaces the metadata of a store; it is written with the next save.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) { store.metadata = metadata }

    /// The metadata of a store.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// The metadata of the store at a URL, without opening it for use.
    ///
    /// - Throws: 134000 for an unknown type; 260, 259, 257 or 134080 for a file that cannot be read as such a store.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreRegistry.storeClass(storeType).metadataForPersistentStore(with: url)
    }

    /// The metadata of the store at a URL, without opening it for use.
    open class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Replaces the metadata of the store at a URL at once.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`, or 513 when it may not be written.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try StoreRegistry.storeClass(storeType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// Replaces the metadata of the store at a URL at once.
    open class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }

    /// The id that a URI stands for. That of a store which was migrated here gives the id in the new store.
    ///
    /// - Returns: nil when none of the stores has the URI's UUID, when the model lacks its entity, or when it is no
    ///   such URI at all.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata" else { return nil }
        let host = url.host ?? ""
        // A migration that passes a store's identity on holds the lock, too.
        return storesLock.withLock {
            if let store = store(identified: host) {
                return StoredRow(url, model, store.identity.references).flatMap(id(of:))
            }
            return movedRow(url).flatMap(id(of:))
        }
    }

    private func store(identified identifier: String) -> NSPersistentStore? {
        (stores + leaving).first { $0.identifier.caseInsensitiveCompare(identifier) == .orderedSame }
    }

    private func id(of row: StoredRow) -> NSManagedObjectID? {
        store(identified: row.store).map { NSManagedObjectID(layout: row.layout, key: row.key, home: $0.identity) }
    }

    /// The row of a URI after all migrations; nil when its store was not migrated here.
    private func movedRow(_ url: URL) -> StoredRow? {
        var current: StoredRow?
        for migration in migrations {
            current = current.map { migration.row(for: $0) ?? $0 } ?? migration.row(for: url)
        }
        return current
    }

    /// Puts a store in the place of another one.
    ///
    /// - Parameter passIdentity: passes the identity of the old store on, and returns the new ids for its ids. It runs
    ///   under the lock that look-ups of URIs take.
    func exchange(
        _ old: NSPersistentStore, for new: NSPersistentStore, passIdentity: () -> MigratedObjectIDs
    ) -> MigratedObjectIDs {
        storesLock.withLock {
            let ids = passIdentity()
            stores.removeAll { $0 === new }
            if let position = stores.firstIndex(of: old) { stores[position] = new }
            migrations.append(ids)
            return ids
        }
    }

    /// Makes a store one of the coordinator's, as far as contexts see it, until `exchange` or `withdraw`.
    func lend(_ store: NSPersistentStore) { storesLock.withLock { stores.append(store) } }

    func withdraw(_ store: NSPersistentStore) { storesLock.withLock { stores.removeAll { $0 === store } } }

    /// Posts that stores were added, removed or migrated.
    func post(_ info: [AnyHashable: Any]?) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: info)
    }

    func postWillRemove(_ store: NSPersistentStore) {
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }
}

/// A save, and the thread that is inside of it.
private final class RunningSave {
    let stores: [NSPersistentStore]
    private let thread = pthread_self()

    init(stores: [NSPersistentStore]) { self.stores = stores }

    var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
