// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces, copies and moves whole stores of one kind.

import Foundation

/// Unless a kind says otherwise (`StoreUpkeep+Files`), a store is the one file at its URL, and that file is always
/// whole.
package protocol StoreUpkeep: NSPersistentStore {
    /// Empties or removes the store at a URL that nobody has open, with everything that belongs to it. Nothing there:
    /// nothing is done.
    ///
    /// - Throws: 134090 when somebody has it open, 259 when it is no such store, 513 when it may not be written. It is
    ///   as it was then.
    static func destroy(at url: URL, options: [AnyHashable: Any]?) throws

    /// The state of a store in a file that nobody has open.
    ///
    /// - Throws: as `destroy`, and 260 when there is no store.
    static func unusedState(of url: URL, options: [AnyHashable: Any]?) throws -> StoreState

    /// Puts a copy of one store in the place of another one, or where there is none. At every moment the destination is
    /// the old store or the new one.
    ///
    /// - Parameter state: of the destination, which is replaced only if it is still in this state. Nobody can write to
    ///   it between this look and the replacement. nil for any state.
    /// - Throws: 260 when there is no source; 134110 when the destination is in another state; else as `destroy`.
    static func replace(
        at url: URL, options: [AnyHashable: Any]?, from source: URL, ifStill state: StoreState?) throws

    /// What is left of a store at a URL where none could be made.
    static func discard(at url: URL)

    /// Moves a closed store, with everything that belongs to it, to a place where there is none.
    static func move(_ url: URL, to destination: URL) throws

    /// A copy of the open store as it is now, where there is nothing yet.
    func copy(to url: URL) throws

    /// Goes on with the file at another URL.
    func relocate(to url: URL) throws

    /// The greatest key ever given below a root entity, as far as the store knows; 0 where it does not.
    func lastKey(below root: EntityLayout) throws -> Int64
}

extension StoreUpkeep {
    /// Replaces a store in whichever state.
    package static func replace(at url: URL, options: [AnyHashable: Any]?, from source: URL) throws {
        try replace(at: url, options: options, from: source, ifStill: nil)
    }
}
