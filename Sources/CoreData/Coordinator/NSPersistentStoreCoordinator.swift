// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public face of the coordinator: a model, and the stores that hold its objects.

public import Foundation

/// Stores were added, in the notification of that; an array of stores.
public let NSAddedPersistentStoresKey = "added"
/// Stores were removed, in the notification of that; an array of stores.
public let NSRemovedPersistentStoresKey = "removed"
/// A store was replaced, in the notification of that: the old store, the new one, and what became of ids.
public let NSUUIDChangedPersistentStoresKey = "changed"

extension NSNotification.Name {
    /// Stores were added to a coordinator, or removed.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "_NSPersistentStoreCoordinatorStoresDidChangeNotification")
}

/// Stands between contexts and stores: it knows which store holds which entity, and hands requests down and rows up.
///
/// May be used from any thread. The model is frozen when a coordinator is made with it.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {  // `stores` is guarded by `lock`
    /// The model of all objects here.
    public let managedObjectModel: NSManagedObjectModel
    /// For messages.
    open var name: String?

    final let model: ModelLayout
    /// Everything that is wrong with the model: no store can be added then.
    private let modelFailure: (any Error)?
    private let lock = NSRecursiveLock()
    private var stores: [NSPersistentStore] = []
    /// Contexts that merge what others save here.
    let followers = ContextList()

    /// Makes a coordinator without stores.
    ///
    /// With a model that cannot be used it takes no stores: adding one throws, and says everything that is wrong with
    /// the model.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        NSManagedObject.learnKeyPathNames()
        do {
            self.model = try model.compiledLayout()
            modelFailure = nil
        } catch {
            self.model = ModelLayout(entities: [])
            modelFailure = error
        }
    }

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    /// The store at a URL; nil when there is none.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Where a store is.
    open func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(filePath: "/dev/null")
    }

    /// Says where a store is to be found after its file was moved. The store keeps what it has open until it is added
    /// anew.
    ///
    /// - Returns: false when the store is not one of this coordinator's.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard persistentStores.contains(store) else { return false }
        store.url = url
        return true
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
        return try lock.withLock {
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
    /// - Throws: 134080 when the store is not one of this coordinator's; a store's error when it cannot be closed.
    open func remove(_ store: NSPersistentStore) throws {
        try lock.withLock {
            guard let position = stores.firstIndex(of: store) else {
                throw CoreDataError.storeOperation("The store is not one of this coordinator's.", store: store)
            }
            store.willRemove(from: self)
            try (store as? any RecordStore)?.close()
            stores.remove(at: position)
            store.identity.end()
            store.persistentStoreCoordinator = nil
            post([NSRemovedPersistentStoresKey: [store]])
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

    /// The id that a URI stands for.
    ///
    /// - Returns: nil when none of the stores has the URI's UUID, when the model lacks its entity, or when it is no
    ///   such URI at all.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata" else { return nil }
        guard
            let store = persistentStores.first(where: {
                $0.identifier.caseInsensitiveCompare(url.host ?? "") == .orderedSame
            })
        else { return nil }
        if let references = store.identity.references { return id(url, references, store.identity) }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, parts[1].first == "p", let key = Int64(parts[1].dropFirst()), key > 0,
            let layout = model.layout(named: String(parts[0]).removingPercentEncoding ?? String(parts[0]))
        else { return nil }
        return NSManagedObjectID(layout: layout, key: key, home: store.identity)
    }

    /// The id for a URI that has a reference in it. Slashes of the reference are percent-encoded.
    private func id(_ url: URL, _ references: ReferenceTable, _ home: StoreIdentity) -> NSManagedObjectID? {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath ?? ""
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[1].first == "p", let name = String(parts[0]).removingPercentEncoding,
            let layout = model.layout(named: name), let reference = ReferenceValue(text: parts[1].dropFirst())
        else { return nil }
        return NSManagedObjectID(layout: layout, key: references.key(of: reference, layout), home: home)
    }

    /// Runs a block on the calling thread while no other one changes the coordinator's stores.
    open func performAndWait(_ block: () -> Void) { lock.withLock(block) }

    /// Runs a block on another thread while no other one changes the coordinator's stores.
    open func perform(_ block: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async { [self] in performAndWait(block) }
    }

    private func post(_ info: [AnyHashable: Any]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: info)
    }
}
