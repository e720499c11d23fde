// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A description of a store for a container: type, location and options.

public import Foundation

/// Type, location and options of a store to be added.
///
/// Set it up before the store is loaded; later changes have no effect on an open store.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// description.timeout = 10  // seconds to wait for another process
/// container.persistentStoreDescriptions = [description]
/// try await container.loadPersistentStores()
/// ```
///
/// Without further settings it describes a SQLite store that is migrated to the container's model by inference when it
/// is opened.
///
/// - Important: set up by one thread, then read by any.
/// - SeeAlso: `NSPersistentContainer.persistentStoreDescriptions`, `setOption(_:forKey:)`, `historyRetention`.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {  // set up once, then read
    /// The kind of store; `NSSQLiteStoreType` unless set.
    open var type = NSSQLiteStoreType
    /// The configuration of the model with the entities of the store; nil for all entities.
    open var configuration: String?
    /// The location of the store.
    open var url: URL?
    /// Whether the store is added on another thread. `false` unless set.
    open var shouldAddStoreAsynchronously = false
    private var values: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
    private var pragmas: [String: NSObject] = [:]

    /// Describes a SQLite store at a URL.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Describes a SQLite store at `/dev/null`: it is in memory and leaves no file when closed.
    public override convenience init() { self.init(url: URL(filePath: "/dev/null")) }

    /// Compares by content: equal descriptions describe the same store in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return self === other
            || type == other.type && configuration == other.configuration && url == other.url
                && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously
                && values == other.values && pragmas == other.pragmas
    }

    /// Equal descriptions have equal hashes.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(url)
        return hasher.finalize()
    }

    /// The options of the store.
    open var options: [String: NSObject] {
        pragmas.isEmpty ? values : values.merging([NSSQLitePragmasOption: pragmas as NSDictionary]) { $1 }
    }

    /// Sets one option; nil removes it.
    open func setOption(_ option: NSObject?, forKey key: String) { values[key] = option }

    /// Whether the store is opened read-only.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { values[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// The time in seconds to wait for a locked database; 240 unless set.
    open var timeout: TimeInterval {
        get { (values[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { values[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// SQLite pragmas by name.
    open var sqlitePragmas: [String: NSObject] { pragmas }

    /// Sets a SQLite pragma for every connection; nil removes it.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value }

    /// Whether a store of another version of the model is migrated. `true` unless set.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { values[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether the mapping of a migration is inferred from the two versions. `true` unless set.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { values[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Copies all settings: URL, type, configuration, options and pragmas.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.values = values
        copy.pragmas = pragmas
        return copy
    }

    /// The options for adding the store, including the default timeout.
    var storeOptions: [AnyHashable: Any] {
        (options as [AnyHashable: Any]).merging([NSPersistentStoreTimeoutOption: NSNumber(value: timeout)]) { set, _ in
            set
        }
    }

    private func flag(_ key: String) -> Bool { (values[key] as? NSNumber)?.boolValue ?? false }
}
