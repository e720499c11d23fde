// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public face of moving to another store.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Copies all objects of a store into a new one, of any kind, and uses that from then on; "Save As", for one.
    ///
    /// The old store is removed from the coordinator; its file stays as it is. The new one takes its place, has a UUID
    /// of its own, the same configuration, and the old one's metadata as far as users added any.
    ///
    /// Contexts go on with the new store, unsaved changes and undo included; ids that somebody holds mean the same
    /// objects in it, and URIs of the old store are still understood by this coordinator. Into a store that gives ids
    /// of its own (XML and binary stores, subclasses of `NSIncrementalStore` and `NSAtomicStore`) ids change: then no
    /// context may have unsaved changes, objects become faults, undo is cleared, and `MigratedObjectIDs` in the
    /// did-change notification has the new ids.
    ///
    /// - Parameters:
    ///   - url: where there is nothing yet; ignored for a store in memory.
    ///   - options: those that the new store is added with.
    /// - Returns: the new store.
    /// - Throws: 516 when there is something at the URL, 134070 for a store of another coordinator and for unsaved
    ///   changes as above, 134110 when the new store refuses objects, 134080 when it cannot hold the model, 260 when
    ///   large data of the old store is missing, 640 (no space), or what else the stores say. The old store is in use
    ///   as before then, and nothing is left of the new one.
    /// - Important: waits for the queues of all contexts of the coordinator, and keeps them waiting. Nobody may use a
    ///   context of the confinement type meanwhile.
    /// - Complexity: memory for the keys of the largest entity and for one batch of rows; for all objects into a store
    ///   that gives ids of its own.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        guard let records = store as? any RecordStore else { throw StoreMigration.unknown(store) }
        return try StoreMigration(self, records, to: url, storeType, options).run()
    }

    /// Copies all objects of a store into a new one, and uses that from then on; see
    /// `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: url, options: options, withType: type.rawValue)
    }
}
