// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A copy of a store that stages change, and that replaces the store at their end.

import Foundation

/// A copy of a store in a file. It replaces the store only if the store was not changed after the copy, so no save of
/// another program is lost.
package struct WorkingCopy {
    private let store: URL
    private let copy: URL
    private let storeClass: any RecordStore.Type
    private let options: [AnyHashable: Any]?
    private let state: StoreState

    /// Copies a store that no connection has open.
    ///
    /// - Parameters:
    ///   - copy: an unused URL.
    ///   - options: the options of the store.
    /// - Throws: 134090 for a SQLite store in use, 640, or another error of the file system.
    package init(of store: URL, at copy: URL, type: String, options: [AnyHashable: Any]?) throws {
        self.store = store
        self.copy = copy
        self.options = options
        storeClass = try StoreRegistry.storeClass(type)
        // Before the copy: a save between the two is in the copy, but the replacement is refused nevertheless.
        state = try storeClass.unusedState(of: store, options: options)
        try storeClass.replace(at: copy, options: nil, from: store)
    }

    /// Replaces the store by the closed copy.
    ///
    /// - Throws: 134110 if the store was changed after the copy, 134090 for a SQLite store in use, 640, or another
    ///   error of the file system. The store is then unchanged.
    package func putInPlace() throws {
        try storeClass.replace(at: store, options: options, from: copy, ifStill: state)
    }
}
