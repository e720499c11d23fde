// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The copy of a store that stages change, and that takes the place of the store at their end.

import Foundation

/// A copy of a store in a file. It takes the place of the store only if nobody has written to the store meanwhile, so
/// no save that another program has made in the time of the work is lost.
package struct WorkingCopy {
    private let store: URL
    private let copy: URL
    private let storeClass: any RecordStore.Type
    private let options: [AnyHashable: Any]?
    private let state: StoreState

    /// Copies a store that nobody has open.
    ///
    /// - Parameters:
    ///   - copy: a place where there is nothing.
    ///   - options: those of the store.
    /// - Throws: 134090 for a SQLite store in use, 640, or another error of the file system.
    package init(of store: URL, at copy: URL, type: String, options: [AnyHashable: Any]?) throws {
        self.store = store
        self.copy = copy
        self.options = options
        storeClass = try StoreRegistry.storeClass(type)
        // Before the copy: a save between the two is in the copy, and the replacement is refused nevertheless.
        state = try storeClass.unusedState(of: store, options: options)
        try storeClass.replace(at: copy, options: nil, from: store)
    }

    /// Replaces the store by the closed copy.
    ///
    /// - Throws: 134110 when somebody has written to the store since it was copied, 134090 for a SQLite store in use,
    ///   640, or another error of the file system. The store is as before.
    package func putInPlace() throws {
        try storeClass.replace(at: store, options: options, from: copy, ifStill: state)
    }
}
