// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces and copies whole stores. Documentation/Internals/Stores.md, "The coordinator".

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Destroys the store at a URL with all its files: for a SQLite store also the write-ahead log and the folder of
    /// large data.
    ///
    /// Use it to begin anew, or to remove the data of an account.
    ///
    /// ```swift
    /// try coordinator.destroyPersistentStore(at: url, type: .sqlite)  // removes it from the coordinator first
    /// try coordinator.addPersistentStore(type: .sqlite, at: url)  // a new, empty store
    /// ```
    ///
    /// A store that this coordinator has open there is removed first. A SQLite store leaves an empty file, as in
    /// Apple's framework; adding a store there creates a new one. A missing store and a store in memory need no action.
    ///
    /// - Parameters:
    ///   - url: the place of the store.
    ///   - storeType: its type.
    ///   - options: `NSPersistentStoreForceDestroyOption` also destroys a file that is not a store, or that is open
    ///     elsewhere; `NSPersistentStoreTimeoutOption` is the time to wait for others that have the store open.
    /// - Throws: 134090 when the store is open elsewhere (in another coordinator or process; another framework with a
    ///   rollback journal is seen only while it reads or writes), 259 when the file is not a store of the type, 513
    ///   when it is not writable, 134000 for an unknown type, 134091 for a class that does not define the meaning of
    ///   its URLs. The file is then unchanged.
    /// - Important: may be called on any thread. Objects of the store in contexts can no longer be realized or saved.
    /// - Complexity: for a file independent of the number of records.
    /// - SeeAlso: `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:type:)`,
    ///   `remove(_:)`.
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

    /// Replaces a store by a copy of another one, or creates the copy if the destination does not exist, for example to
    /// restore a backup.
    ///
    /// A store that this coordinator has open at the destination is removed first; add it again afterwards. The source
    /// may be open and in use: the copy contains its state at one moment. At every moment, even if the program is
    /// killed, the destination is the complete old or new store. The copy has the UUID of its source.
    ///
    /// - Parameters:
    ///   - destinationURL: the place of the store to replace, or of the new one.
    ///   - destinationOptions: as for `destroyPersistentStore(at:ofType:options:)`.
    ///   - sourceURL: the store to copy.
    ///   - sourceOptions: ignored.
    ///   - sourceType: the type of both.
    /// - Throws: 260 when there is no source, 259 when the source or an existing destination is not a store of the
    ///   type, 134090 when the destination is open elsewhere, 513, 640 (no space) or another error of the file system.
    ///   The destination is then unchanged.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType sourceType: String
    ) throws {
        let storeClass = try StoreRegistry.storeClass(sourceType)
        guard destinationURL.standardizedFileURL != sourceURL.standardizedFileURL else {
            throw CoreDataError.cannotChangeStore(url: sourceURL, reason: "It cannot be replaced by itself.")
        }
        // The source is checked first, so that an invalid source removes no store.
        _ = try storeClass.metadataForPersistentStore(with: sourceURL)
        try release(destinationURL)
        try storesLock.withLock {
            try storeClass.replace(at: destinationURL, options: destinationOptions, from: sourceURL)
        }
    }

    /// Replaces a store by a copy of another one; see
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

    /// Called without the coordinator's lock, because removal waits for running requests that may need it.
    private func release(_ url: URL) throws {
        guard url.path != "/dev/null", let store = persistentStore(for: url) else { return }
        try remove(store)
    }
}

extension NSPersistentStore {
    /// Copies the open store to a new file. An addition to Apple's API.
    ///
    /// The copy contains the saved state of one moment, including large data. While it is made, contexts, other
    /// coordinators and other processes may read and write. The copy has the UUID of this store: do not add both to one
    /// coordinator. Restore it with `replacePersistentStore`. Thread-safe.
    ///
    /// - Throws: 516 when the URL is in use, 134091 for a store that is not a file (use
    ///   `migratePersistentStore`), 134070 when the store is not open, 513, 640 (no space) or another error of
    ///   the file system. No file remains then.
    /// - Complexity: proportional to the size of the store, in bounded memory.
    public func backup(to url: URL) throws {
        guard let store = self as? any RecordStore else {
            throw CoreDataError.unsupportedRequest("a copy of a store of type \(type)", store: self)
        }
        guard !StoreFiles.exists(url) else { throw CoreDataError.storeExists(url) }
        try store.copy(to: url)
    }
}
