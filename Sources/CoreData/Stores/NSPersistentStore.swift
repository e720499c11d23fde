// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The common base of all stores: location, identity, options and metadata.

public import Foundation

/// A container of objects: a database, a document, or memory.
///
/// Only coordinators create stores.
open class NSPersistentStore: NSObject {
    /// A kind of store, identified by the name in its metadata.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The value of `NSStoreTypeKey` in the metadata.
        public let rawValue: String
        /// Creates a type by name. A custom type needs a registered store class before it is used.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A SQLite database in the layout of Apple's Core Data.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Rows in memory, lost with the coordinator.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// A binary document in OpenCoreData's own format, see `NSBinaryStoreType`.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// An XML document in Apple's format.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }

    /// The coordinator that contains the store; nil before it is added and after it is removed.
    open internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { ownerLock.withLock { owner } }
        set { ownerLock.withLock { owner = newValue } }
    }
    private weak var owner: NSPersistentStoreCoordinator?  // guarded by `ownerLock`
    private let ownerLock = NSLock()
    /// The configuration of the model with the entities of the store; nil for the default configuration
    /// with all entities.
    open var configurationName: String { configuration ?? "PF_DEFAULT_CONFIGURATION_NAME" }
    /// The options with which the store was added.
    open private(set) var options: [AnyHashable: Any]?
    /// The location of the store. A coordinator sets it.
    open var url: URL?
    /// The kind of store, equal to `NSStoreTypeKey` of its metadata.
    open var type: String { "" }
    /// Whether `NSReadOnlyPersistentStoreOption` was given.
    open var isReadOnly: Bool {
        (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue
            ?? (options?[NSReadOnlyPersistentStoreOption] as? Bool) ?? false
    }
    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The store's UUID, which is part of permanent object ids.
    open var identifier: String! {
        get { identity.identifier }
        set {
            identity = StoreIdentity(
                identifier: newValue ?? UUID().uuidString, store: self, references: identity.references,
                registrations: identity.registrations)
        }
    }
    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The metadata of the store: `NSStoreTypeKey`, `NSStoreUUIDKey`, the model's version hashes, and custom values.
    ///
    /// The next save writes a new value to the file. May be used on any thread.
    open var metadata: [String: Any]! {
        get { metadataValues.current }
        set { metadataValues.set(newValue ?? [:]) }
    }

    /// The migration that ran when the store was added; nil if none was needed. Set before the store is returned.
    public internal(set) final var migrationReport: MigrationReport?

    /// The observers of the coordinator that opens the store, which sets it before; nil until then.
    package internal(set) final var observation: StoreObservation?

    package final let configuration: String?
    final var identity = StoreIdentity(identifier: UUID().uuidString, store: nil) {
        didSet { if identity !== oldValue { oldValue.end(of: self) } }
    }
    package final let metadataValues = MetadataValues()

    /// Called by a coordinator.
    ///
    /// - Parameters:
    ///   - root: the coordinator that will own the store.
    ///   - name: the configuration with the entities of the store; nil for all entities.
    ///   - url: the location of the store; ignored by stores in memory.
    ///   - options: see `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        configuration = name
        self.options = options
        self.url = url
        super.init()
        persistentStoreCoordinator = root
        identity = StoreIdentity(identifier: UUID().uuidString, store: self)
    }

    @_silgen_name("ocd_create_store")
    convenience init(
        created root: NSPersistentStoreCoordinator?, _ name: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) {
        self.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    /// Creates a store with the initializer `init(persistentStoreCoordinator:configurationName:at:options:)` of the
    /// class itself; see `NSManagedObject.create(_:_:)`.
    @_silgen_name("ocd_create_store")
    final class func create(
        _ root: consuming NSPersistentStoreCoordinator?, _ name: consuming String?, _ url: consuming URL,
        _ options: consuming [AnyHashable: Any]?
    ) -> NSPersistentStore

    deinit { identity.end(of: self) }

    /// Reads the metadata. The coordinator calls it before it uses the store.
    ///
    /// - Throws: a Cocoa error when the metadata cannot be read.
    open func loadMetadata() throws {}

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from its coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Reads the metadata of the store at a URL, without adding it to a coordinator.
    ///
    /// - Throws: a Cocoa error when there is no such store or it cannot be read.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CoreDataError.unsupportedRequest("reading the metadata of a \(self) without opening it", store: nil)
    }

    /// The class that migrates stores of this class by objects: `NSMigrationManager`, unless a subclass overrides it.
    ///
    /// For programs that create their migration manager from it. Automatic migration uses `NSMigrationManager` for all
    /// stores.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    /// Replaces the metadata of the store at a URL immediately.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CoreDataError.unsupportedRequest("writing the metadata of a \(self) without opening it", store: nil)
    }
}
