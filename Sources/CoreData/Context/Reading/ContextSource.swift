// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source of a context, for reads and saves: the stores of a coordinator, or a parent context.

import Foundation

/// The level below a context. A context reads everything from here and saves to it, so no part of a context checks
/// whether the context has a parent. Documentation/Internals/Contexts.md, Contexts-4.
protocol ContextSource: AnyObject {
    /// The coordinator at the end of the chain of parents.
    var coordinator: NSPersistentStoreCoordinator? { get }

    /// The parent context; nil if the source is a coordinator.
    var parent: NSManagedObjectContext? { get }

    /// The contexts that may merge saves of this source.
    var followers: ContextList { get }

    /// The rows for faults: cached ones that are not too old, others from the store or parent.
    ///
    /// - Parameters:
    ///   - home: nil for records that have no store yet; their rows come from a parent.
    ///   - maxAge: how many seconds a cached row may be used; negative without limit.
    /// - Returns: rows for the keys, in any order; no row for a deleted record.
    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow]

    /// The members of a to-many relationship for each of several owners in one store, in order if the relationship is
    /// ordered.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]

    /// The present row, bypassing every cache; nil for a deleted record.
    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow?

    /// The store of a record that is not registered in the context; nil if it has no store yet.
    func home(of reference: Reference) -> StoreIdentity?

    /// Assigns permanent ids to insertions of an ancestor.
    func assignPermanentIDs(to keys: [ObjectKey]) throws

    /// The results, without the unsaved changes of the context.
    ///
    /// - Parameter windowed: whether offset and limit may be applied: the context will not add or remove records.
    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer

    /// The number of records.
    ///
    /// - Parameter windowed: whether only records within offset and limit count.
    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int

    /// Writes the changes: all of them, or none if there are conflicts or a failure.
    ///
    /// - Throws: an error if nothing was written at all.
    func save(_ changes: [StoreChanges]) throws -> SourceSave
}

extension ContextSource {
    /// Whether the source is a parent context: it accepts more than a store does, and has no row cache.
    var isNested: Bool { parent != nil }
}

/// A member of a to-many relationship.
struct Member {
    let key: ObjectKey
    /// nil for an object that has no store yet.
    let home: StoreIdentity?
}

/// The result of a save in a source.
struct SourceSave {
    /// One for each set of changes.
    var outcomes: [SaveOutcome]
    /// The error of a store.
    var failure: (any Error)?
    /// The stores that lack this save because a store has failed.
    var unwritten: [NSPersistentStore] = []
}
