// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of stores to the coordinator and to contexts.

import Foundation

/// The meaning of the URL for a kind of store.
package enum StoreAddressing {
    /// A file URL, one store for each.
    case file
    /// Any URL, one store for each, or none at all.
    case any
    /// The URL is ignored: each store is new.
    case none
}

/// A store that answers in rows and keys: the built-in ones, and the base classes of custom stores.
///
/// The coordinator, too, adds rows to its row cache, after a save.
package protocol RecordStore: StoreFileOperations, RecordSource {
    static var addressing: StoreAddressing { get }

    /// Whether the store needs the objects of a save (`ChangeSet.objects`), with permanent keys. Constant.
    var takesObjects: Bool { get }

    /// Whether rows may be inserted under keys that another store assigned. Constant.
    var takesKeys: Bool { get }

    /// Opens or creates the store for a model. Called once, before anything else but `metadata`.
    ///
    /// - Throws: a Cocoa error (134100, 259, 260, 513, ...); the file is then unchanged.
    func open(model: ModelLayout, entities: [NSEntityDescription]) throws

    /// Closes files and connections. No other call follows.
    func close() throws

    /// The present content of the store, readable for as long as the result is retained; nil if the store cannot
    /// preserve it while it changes.
    func generation() throws -> (any RecordSource)?

    /// The present content of the store for a copy that may take any time; the store itself if it cannot preserve its
    /// content.
    func copySource() throws -> any RecordSource

    /// Writes everything or nothing, including metadata that was set after the store was opened. Conflicts are an
    /// outcome, not an error.
    ///
    /// - Parameter confirm: called once, before the commit, when nothing can be refused any more and no other writer
    ///   can interfere. Returning `false` rolls back, as an error does: the outcome then has neither conflicts nor
    ///   `isWritten`. Not called if there are conflicts.
    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome

    /// Executes a batch request: all of it or nothing. Afterwards the row cache contains no row that differs from the
    /// store's.
    ///
    /// - Parameter confirm: as for `save`.
    func perform(_ batch: StoreBatch, confirm: () throws -> Bool) throws -> BatchOutcome

    /// Executes a batch request as the program made it. Called only for stores that take objects.
    ///
    /// - Returns: the ids of the records, their number, or `true`; nil if the store leaves the request to the context,
    ///   which then changes the objects.
    func performUnresolved(_ request: NSPersistentStoreRequest) throws -> Any?

    /// Whether a confirmed save cannot fail.
    var guaranteesCommit: Bool { get }

    /// Whether the store can roll back. A store that cannot writes only after the confirmation, and may fail then.
    var canRollBack: Bool { get }

    /// Reserves permanent keys for future insertions, and returns the first of `count` consecutive ones. They are never
    /// assigned again.
    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64

    /// Permanent keys for unsaved objects of one entity, one for each, in their order.
    func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64]
}

extension RecordStore {
    package static var addressing: StoreAddressing { .file }
    package var takesObjects: Bool { false }
    package var takesKeys: Bool { !takesObjects }
    package var canRollBack: Bool { true }

    package func copySource() throws -> any RecordSource { try generation() ?? self }

    package func performUnresolved(_ request: NSPersistentStoreRequest) throws -> Any? { nil }

    package func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        let first = try reserveKeys(objects.count, for: layout)
        return (0..<Int64(objects.count)).map { first + $0 }
    }

    package func save(_ changes: ChangeSet) throws -> SaveOutcome { try save(changes) { true } }
}
