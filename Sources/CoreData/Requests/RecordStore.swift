// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of stores to the coordinator and to contexts.

import Foundation

/// What a kind of store takes for its URL.
package enum StoreAddressing {
    /// A file URL, one store for each.
    case file
    /// Any URL, one store for each, or none at all.
    case any
    /// A URL says nothing: the store is new each time.
    case none
}

/// A store that answers in rows and keys: the built-in ones, and the base classes of those that users write.
///
/// Its row cache is filled by the coordinator, too, after a save.
package protocol RecordStore: StoreUpkeep, RecordSource {
    static var addressing: StoreAddressing { get }

    /// Whether the store wants the objects of a save (`ChangeSet.objects`), with permanent keys. The same at all times.
    var takesObjects: Bool { get }

    /// Whether rows may be inserted under keys that another store gave. The same at all times.
    var takesKeys: Bool { get }

    /// Opens or creates the store for a model. Called once, before anything else but `metadata`.
    ///
    /// - Throws: a Cocoa error (134100, 259, 260, 513, ...); the file is then as it was.
    func open(model: ModelLayout, entities: [NSEntityDescription]) throws

    /// Lets go of files and connections. Nothing else is called afterwards.
    func close() throws

    /// What the store holds now, for as long as somebody holds that; nil when it cannot keep it while it changes.
    func generation() throws -> (any RecordSource)?

    /// What the store holds now, for a copy of it, however long that takes; the store itself when it cannot keep it.
    func copySource() throws -> any RecordSource

    /// Writes everything or nothing, metadata that was set after the store was opened included. Conflicts are an
    /// outcome, not an error.
    ///
    /// - Parameter confirm: asked once, when everything is written and nothing can be refused any more, but it is not
    ///   there for good; nobody else writes to the store meanwhile. `false` takes it back, as an error does: the
    ///   outcome then has neither conflicts nor `isWritten`. Not asked when there are conflicts.
    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome

    /// Does the work of a batch request: all of it, or nothing. Afterwards the row cache has no row that differs from
    /// the store's.
    ///
    /// - Parameter confirm: as for `save`.
    func perform(_ batch: StoreBatch, confirm: () throws -> Bool) throws -> BatchOutcome

    /// Executes a batch request as the program made it. Asked of stores that take objects alone.
    ///
    /// - Returns: the ids of the records, their number, or `true`; nil where the store leaves the request to the
    ///   context, which then makes the changes by objects.
    func performUnresolved(_ request: NSPersistentStoreRequest) throws -> Any?

    /// Whether a save that is confirmed cannot fail any more.
    var commitsSurely: Bool { get }

    /// Whether what was written can be taken back. A store that cannot writes after it was confirmed, and may fail
    /// then.
    var takesBack: Bool { get }

    /// Permanent keys for insertions to come: the first of `count` consecutive ones. They are never given again.
    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64

    /// Permanent keys for unsaved objects of one entity, one for each, in their order.
    func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64]
}

extension RecordStore {
    package static var addressing: StoreAddressing { .file }
    package var takesObjects: Bool { false }
    package var takesKeys: Bool { !takesObjects }
    package var takesBack: Bool { true }

    package func copySource() throws -> any RecordSource { try generation() ?? self }

    package func performUnresolved(_ request: NSPersistentStoreRequest) throws -> Any? { nil }

    package func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        let first = try reserveKeys(objects.count, for: layout)
        return (0..<Int64(objects.count)).map { first + $0 }
    }

    package func save(_ changes: ChangeSet) throws -> SaveOutcome { try save(changes) { true } }
}
