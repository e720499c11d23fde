// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source of a context, for reads and saves: the stores of a coordinator, or a parent context.

import Foundation

/// The level below a context. Everything that a context reads comes from here, and its saves go here, so no stage asks
/// whether the context has a parent. Documentation/Internals/Contexts.md, Contexts-4.
protocol ContextSource: AnyObject {
    /// The coordinator at the end of the chain of parents.
    var coordinator: NSPersistentStoreCoordinator? { get }

    /// The parent context; nil where the source is a coordinator.
    var parent: NSManagedObjectContext? { get }

    /// The contexts that may merge saves to this source.
    var followers: ContextList { get }

    /// The rows that faults would be fulfilled with: known ones that are not too old, else read.
    ///
    /// - Parameters:
    ///   - home: nil for records that no store has yet; they come from a parent.
    ///   - maxAge: for how many seconds a cached row serves; negative: for ever.
    /// - Returns: rows under the keys asked for, in any order; none for a record that is gone.
    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow]

    /// The members of a to-many for each of several owners of one store, in order where the relationship is ordered.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]

    /// The row as it is now, past every cached one; nil for a record that is gone.
    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow?

    /// The store of a record that is not registered in the context; nil for one that no store has yet.
    func home(of reference: Reference) -> StoreIdentity?

    /// Gives insertions of an ancestor their permanent ids.
    func assignPermanentIDs(to keys: [ObjectKey]) throws

    /// The results below the unsaved changes of the context.
    ///
    /// - Parameter windowed: whether the answer may be cut: no record will be added to it or removed from it.
    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer

    /// How many records there are.
    ///
    /// - Parameter windowed: whether only those in the window count.
    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int

    /// Writes the changes: all of them, or none where there are conflicts or a failure.
    ///
    /// - Throws: an error with which nothing was written at all.
    func save(_ changes: [StoreChanges]) throws -> SourceSave
}

extension ContextSource {
    /// Whether the source is a parent: it takes more than a store does, and has no row cache.
    var isNested: Bool { parent != nil }
}

/// A member of a to-many.
struct Member {
    let key: ObjectKey
    /// nil for an object that no store has yet.
    let home: StoreIdentity?
}

/// The result of a save in a source.
struct SourceSave {
    /// One for each set of changes.
    var outcomes: [SaveOutcome]
    /// The error of a store.
    var failure: (any Error)?
    /// The stores without this save, where a store has failed.
    var unwritten: [NSPersistentStore] = []
}
