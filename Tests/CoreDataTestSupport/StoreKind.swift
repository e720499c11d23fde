// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kinds of stores that every behaviour is tested on.

public import CoreData
import Foundation

#if canImport(JSONStore)
    import JSONStore
#endif
#if canImport(CoreDataPostgreSQL)
    import CoreDataPostgreSQL
#endif

/// A kind of store.
public enum StoreKind: String, Sendable, CaseIterable, CustomStringConvertible {
    case sqlite
    case inMemory
    #if canImport(JSONStore)
        /// The example of a store that users write: `Examples/JSONStore`.
        case json
    #endif
    case xml
    case binary
    #if canImport(CoreDataPostgreSQL)
        /// In a database of the server that `COREDATA_PG_URL` names (`Scripts/with-postgres`).
        case postgresql
    #endif

    /// The kinds that are available here, or those of them that `COREDATA_KINDS` lists, with commas between them.
    public static let all: [StoreKind] = {
        let wanted = ProcessInfo.processInfo.environment["COREDATA_KINDS"]?.split(separator: ",").map(String.init)
        return allCases.filter { $0.isAvailable && wanted?.contains($0.rawValue) != false }
    }()

    /// Whether the requirements of the kind are met: a server.
    private var isAvailable: Bool {
        #if canImport(CoreDataPostgreSQL)
            if self == .postgresql { return Self.serverURL != nil }
        #endif
        return true
    }

    /// The database for stores in PostgreSQL; nil without a server.
    public static let serverURL = ProcessInfo.processInfo.environment["COREDATA_PG_URL"]

    /// Kinds of stores that keep their data when they are closed.
    public static let persistent = all.filter(\.isPersistent)
    /// The kinds of the library itself, for long tests.
    public static let builtIn: [StoreKind] = [.sqlite, .inMemory, .xml, .binary].filter(all.contains)

    public var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .inMemory: NSInMemoryStoreType
        #if canImport(JSONStore)
            case .json:
                Self.registeredJSONStore
        #endif
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        #if canImport(CoreDataPostgreSQL)
            case .postgresql:
                Self.registeredPostgreSQLStore
        #endif
        }
    }

    #if canImport(CoreDataPostgreSQL)
        private static let registeredPostgreSQLStore: String = {
            PostgreSQLStore.register()
            return NSPostgreSQLStoreType
        }()
    #endif

    /// Whether a store is a schema of a database, and no file.
    public var isOnServer: Bool { rawValue == "postgresql" }

    #if canImport(JSONStore)
        private static let registeredJSONStore: String = {
            JSONStore.register()
            return JSONStore.storeType.rawValue
        }()
    #endif

    /// The location of a store: a file, or a schema with a name made from the file's.
    public func place(_ file: URL) -> URL {
        guard isOnServer, let server = Self.serverURL else { return file }
        let name = (file.deletingLastPathComponent().lastPathComponent + "_" + file.lastPathComponent).lowercased()
        let schema = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return URL(string: server + (server.contains("?") ? "&" : "?") + "schema=\(schema)") ?? file
    }

    /// The options of tests' stores. Where all suites run at once, a test may wait for longer than a moment of a store
    /// on a server stays by default.
    fileprivate func options(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
        #if canImport(CoreDataPostgreSQL)
            if isOnServer { return [NSPostgreSQLGenerationTimeoutOption: 600].merging(options ?? [:]) { $1 } }
        #endif
        return options
    }

    /// Whether saved data exist when the store is opened again.
    public var isPersistent: Bool { self != .inMemory }

    /// Whether contexts can be pinned to a moment of the store; with others they stay unpinned.
    public var canBePinned: Bool { [.sqlite, .inMemory, .xml, .binary].contains(self) || isOnServer }

    /// Whether inserted objects get their permanent ids before the store saves them: a save that fails
    /// leaves them the ids.
    public var givesIDsBeforeSaving: Bool { rawValue == "json" }

    /// Whether stores keep a history on request.
    public var keepsHistory: Bool { [.sqlite, .inMemory].contains(self) || isOnServer }

    public static let pinnable = all.filter(\.canBePinned)

    /// Whether several coordinators may write to one file, each seeing the saves of the others.
    public var isShared: Bool { ![.inMemory, .xml, .binary].contains(self) }

    public var description: String { rawValue }
}

/// A stack on a new store, which goes away with it.
public final class Stack {
    public let kind: StoreKind
    public let folder: URL
    public let url: URL
    public private(set) var coordinator: NSPersistentStoreCoordinator
    public private(set) var context: NSManagedObjectContext
    public let model: NSManagedObjectModel
    private let observers: [any StoreObserver]

    /// - Parameter observers: observe the stack's coordinator.
    public init(
        _ kind: StoreKind, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        observers: [any StoreObserver] = []
    ) throws {
        self.kind = kind
        self.model = model
        self.observers = observers
        folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        if kind.isPersistent { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        url = kind.place(folder.appending(path: "Store.sqlite"))
        (coordinator, context) = try Self.open(kind, model, url, options, observers)
    }

    deinit {
        if kind.isOnServer {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            try? coordinator.destroyPersistentStore(at: url, ofType: kind.type)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    public var store: NSPersistentStore { coordinator.persistentStores[0] }

    /// A new object of an entity, in the context.
    public func insert(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    /// Another context on the same coordinator.
    public func newContext(
        _ type: NSManagedObjectContextConcurrencyType = .confined
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A value of each object that a request finds, read in an unused context.
    public func stored<Object: NSManagedObject, Value>(
        _ request: NSFetchRequest<Object>, _ value: (Object) throws -> Value
    ) throws -> [Value] {
        let context = newContext()
        return try withExtendedLifetime(context) { try context.fetch(request).map(value) }
    }

    /// Releases everything and opens the store again. Only for kinds that are persistent.
    public func reopen(options: [AnyHashable: Any]? = nil) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        (coordinator, context) = try Self.open(kind, model, url, options, observers)
    }

    /// Another coordinator on the same file, as another process has.
    public func secondCoordinator(_ options: [AnyHashable: Any]? = nil) throws
        -> (NSPersistentStoreCoordinator, NSManagedObjectContext)
    {
        try Self.open(kind, model, url, options)
    }

    private static func open(
        _ kind: StoreKind, _ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any]?,
        _ observers: [any StoreObserver] = []
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if !observers.isEmpty { coordinator.storeObservers = observers }
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : url,
            options: kind.options(options))
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }
}
