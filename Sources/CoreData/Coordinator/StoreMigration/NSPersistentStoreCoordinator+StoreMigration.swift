// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public methods that migrate a store to another type or location.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Copies all objects of a store into a new one of any type and continues with the new one, for example for "Save
    /// As".
    ///
    /// ```swift
    /// let export = folder.appending(path: "Notebook.xml")
    /// let document = try coordinator.migratePersistentStore(store, to: export, type: .xml)
    /// print(coordinator.persistentStores == [document])  // true: the database is closed, and unchanged
    /// ```
    ///
    /// The old store is removed from the coordinator; its file is unchanged. The new one takes its place with its own
    /// UUID, the same configuration, and the custom metadata of the old one.
    ///
    /// Contexts continue with the new store, with unsaved changes and undo. Existing ids refer to the same objects in
    /// it, and the coordinator still resolves URIs of the old store. A store that assigns its own ids (XML and binary
    /// stores, subclasses of `NSIncrementalStore` and `NSAtomicStore`) changes all ids: no context may then have
    /// unsaved changes, objects become faults, the undo stack is cleared, and `MigratedObjectIDs` in the did-change
    /// notification maps the ids.
    ///
    /// - Parameters:
    ///   - store: a store of this coordinator.
    ///   - url: an unused location; ignored for a store in memory.
    ///   - options: the options of the new store.
    ///   - storeType: the type of the new store.
    /// - Returns: the new store.
    /// - Throws: 516 when the URL is in use, 134070 for a store of another coordinator and for unsaved changes as
    ///   above, 134110 when the new store rejects objects, 134080 when it cannot represent the model, 260 when large
    ///   data of the old store is missing, 640 (no space), or another error of the stores. The old store then stays in
    ///   use, and the new one is removed.
    /// - Important: waits for the queues of all contexts of the coordinator, and blocks them until it returns. Contexts
    ///   of the confinement type must not be used during the call.
    /// - Complexity: memory for the keys of the largest entity and for one batch of rows; memory for all objects if the
    ///   new store assigns its own ids.
    /// - SeeAlso: `NSPersistentStore.backup(to:)` for a copy of the same type.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        guard let records = store as? any RecordStore else { throw StoreMigration.unknown(store) }
        return try StoreMigration(self, records, to: url, storeType, options).run()
    }

    /// Copies all objects of a store into a new one and continues with the new one; see
    /// `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: url, options: options, withType: type.rawValue)
    }
}
