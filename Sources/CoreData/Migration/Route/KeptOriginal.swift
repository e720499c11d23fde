// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps a copy of a store before its migration.

import Foundation

/// Migration-M15.
struct KeptOriginal {
    private let store: StoreLocation
    /// nil on a server, which makes the copy in the transaction of the migration.
    let url: URL?

    /// nil if the options ask for no copy.
    init?(of store: StoreLocation, checksum: String) {
        guard StoreFlag.isSet(MigrationOption.keepsOriginal, in: store.options) else { return nil }
        self.store = store
        url = store.server == nil ? StoreFiles.free(beside: store.url, "before", checksum: checksum) : nil
    }

    /// Copies the file of a store that nobody has open.
    ///
    /// - Returns: a function that returns whether the store is unchanged since the copy.
    /// - Throws: 134090 for a store in use, 640, and other errors of the file system. There is no copy then.
    func copy() throws -> () -> Bool {
        guard let url else { return { true } }
        // Taking the lock proves that no other connection has the store open, and checkpoints the WAL.
        let storeClass = try StoreRegistry.storeClass(store.type)
        _ = try storeClass.unusedState(of: store.url, options: store.options)
        let place = store.url.resolvingSymlinksInPath()
        try MigrationSpace(url: place).require(bytes: Int64(StoreFiles.size(place)))
        let state = FileState(of: place)
        try storeClass.replace(at: url, options: nil, from: store.url)
        return { FileState(of: place) == state }
    }

    /// Removes the copy of a store that was not migrated.
    func discard() {
        if let url { (try? StoreRegistry.storeClass(store.type))?.discard(at: url) }
    }
}
