// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps a copy of a store before its migration.

import Foundation

/// Documentation/Internals/SchemaMigration.md, SchemaMigration-M12.
struct KeptOriginal {
    private let store: URL
    private let type: String
    private let options: [AnyHashable: Any]?
    let url: URL

    /// nil if the options ask for no copy.
    init?(of store: URL, _ type: String, checksum: String, _ options: [AnyHashable: Any]?) {
        guard StoreFlag.isSet(MigrationOption.keepsOriginal, in: options) else { return nil }
        self.store = store
        self.type = type
        self.options = options
        url = StoreFiles.free(beside: store, "before", checksum: checksum)
    }

    /// Copies a SQLite store that no connection has open.
    ///
    /// - Returns: a function that returns whether the store is unchanged since the copy.
    /// - Throws: 134090 for a store in use, 640, and other errors of the file system. There is no copy then.
    func copy() throws -> () -> Bool {
        // Taking the lock proves that no other connection has the store open, and checkpoints the WAL.
        try DatabaseReservation(store, options: options, isMigrating: true).end()
        let place = store.resolvingSymlinksInPath()
        try MigrationSpace(url: place).require(bytes: Int64(StoreFiles.size(place)))
        let state = FileState(of: place)
        try StoreRegistry.storeClass(type).replace(at: url, options: nil, from: store)
        return { FileState(of: place) == state }
    }

    /// Removes the copy of a store that was not migrated.
    func discard() {
        (try? StoreRegistry.storeClass(type))?.discard(at: url)
    }
}
