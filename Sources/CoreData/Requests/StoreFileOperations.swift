// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces, copies and moves whole stores of one kind.

import Foundation

/// By default a store is the one file at its URL, and that file is complete at all times; `StoreFileOperations+Files`
/// covers the exceptions.
package protocol StoreFileOperations: NSPersistentStore {
    /// Empties or removes the store at a URL and its other files. The store must not be open. Does nothing if there is
    /// no store.
    ///
    /// - Throws: 134090 if the store is open, 259 if the file is not such a store, 513 if it is not writable. The store
    ///   is unchanged then.
    static func destroy(at url: URL, options: [AnyHashable: Any]?) throws

    /// The state of a store's file, which must not be open.
    ///
    /// - Throws: as `destroy`, and 260 if there is no store.
    static func unusedState(of url: URL, options: [AnyHashable: Any]?) throws -> StoreState

    /// Puts a copy of one store in the place of another one, or at a URL without one. At every moment the destination
    /// is the old store or the new one.
    ///
    /// - Parameter state: the destination is replaced only if it is still in this state. No writer can change it
    ///   between this check and the replacement. nil for any state.
    /// - Throws: 260 if there is no source; 134110 if the destination is in another state; otherwise as `destroy`.
    static func replace(
        at url: URL, options: [AnyHashable: Any]?, from source: URL, ifStill state: StoreState?) throws

    /// Removes the remains of a store at a URL after its creation failed.
    static func discard(at url: URL)

    /// Moves a closed store and its other files to an unused URL.
    static func move(_ url: URL, to destination: URL) throws

    /// Copies the open store, as it is now, to an unused URL.
    func copy(to url: URL) throws

    /// Continues with the file at another URL.
    func relocate(to url: URL) throws

    /// The greatest key ever assigned below a root entity, as far as the store knows; 0 if it does not know one.
    func lastKey(below root: EntityLayout) throws -> Int64
}

extension StoreFileOperations {
    /// Replaces a store in any state.
    package static func replace(at url: URL, options: [AnyHashable: Any]?, from source: URL) throws {
        try replace(at: url, options: options, from: source, ifStill: nil)
    }
}
