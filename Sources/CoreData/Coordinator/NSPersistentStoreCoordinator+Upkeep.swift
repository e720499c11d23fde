// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whole stores: destroyed, replaced, copied. Documentation/Stores.md, "The coordinator".

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Destroys the store at a URL, with everything that belongs to it: for a SQLite store the write-ahead log and the
    /// folder of large data.
    ///
    /// A store that this coordinator has open there is removed first. As with Apple an empty file stays behind from a
    /// SQLite store, which is as good as none to whoever adds a store there. Where nothing is, nothing is done, and for
    /// a type that is in memory as well.
    ///
    /// - Parameter options: `NSPersistentStoreForceDestroyOption` destroys a file that is no store, too, and one that
    ///   others have open; `NSPersistentStoreTimeoutOption` says how long those are waited for.
    /// - Throws: 134090 when somebody else has the store open (in another coordinator, or another process; seen for
    ///   stores in WAL mode, and while they are used for others), 259 when the file is no store of the type, 513 when
    ///   it may not be written, 134000 for an unknown type, 134091 for a class that does not say what its URLs stand
    ///   for. The file is as it was then.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        let storeClass = try StoreRegistry.storeClass(storeType)
        try release(url)
        try storesLock.withLock { try storeClass.destroy(at: url, options: options) }
    }

    /// Destroys the store at a URL; see `destroyPersistentStore(at:ofType:options:)`.
    public func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
    }

    /// Puts a copy of one store in the place of another one, or where there is none yet: a backup back, for one.
    ///
    /// A store that this coordinator has open at the destination is removed first; add it again afterwards. The source
    /// may be open, and written to: the copy is what it holds at one moment. At every moment, even when the program is
    /// killed, there is the old store at the destination, whole, or the new one. The copy has the UUID of its source.
    ///
    /// - Parameters:
    ///   - destinationOptions: as those of `destroyPersistentStore(at:ofType:options:)`.
    ///   - sourceOptions: none mean anything.
    /// - Throws: 260 when there is no source, 259 when it, or what is at the destination, is no store of the type,
    ///   134090 when somebody else has the destination open, 513, 640 (no space) or what else the file system says. The
    ///   destination is as it was then.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType sourceType: String
    ) throws {
        let storeClass = try StoreRegistry.storeClass(sourceType)
        guard destinationURL.standardizedFileURL != sourceURL.standardizedFileURL else {
            throw CoreDataError.cannotChangeStore(url: sourceURL, reason: "It cannot be replaced by itself.")
        }
        // First what may be wrong with the source: nothing is removed for its sake.
        _ = try storeClass.metadataForPersistentStore(with: sourceURL)
        try release(destinationURL)
        try storesLock.withLock {
            try storeClass.replace(at: destinationURL, options: destinationOptions, from: sourceURL)
        }
    }

    /// Puts a copy of one store in the place of another one; see
    /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Without the coordinator's lock: a removal waits for answers that may need it.
    private func release(_ url: URL) throws {
        guard url.path != "/dev/null", let store = persistentStore(for: url) else { return }
        try remove(store)
    }
}

extension NSPersistentStore {
    /// Copies the open store to a place where there is nothing yet. Ours, beside Apple's API.
    ///
    /// The copy is what was saved at one moment, large data beside the database included; contexts, other coordinators
    /// and other processes read and write meanwhile. It has the UUID of this store: do not add both to one coordinator.
    /// Put it back with `replacePersistentStore`. Any thread.
    ///
    /// - Throws: 516 when there is something at the URL, 134091 for a store that is no file (use
    ///   `migratePersistentStore`), 134070 when the store is not open, 513, 640 (no space) or what else the file system
    ///   says. Nothing is left behind then.
    /// - Complexity: in proportion to the size of the store; memory stays bounded.
    public func backup(to url: URL) throws {
        guard let store = self as? any RecordStore else {
            throw CoreDataError.unsupportedRequest("a copy of a store of type \(type)", store: self)
        }
        guard !StoreFiles.exists(url) else { throw CoreDataError.storeExists(url) }
        try store.copy(to: url)
    }
}
