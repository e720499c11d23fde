// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies unsaved changes to the answer of a store.

import CoreDataFoundation
import Foundation

/// # Rule
/// A changed object of the entity never comes from the store's answer. It is in the result exactly if its present state
/// matches. So offset and limit are applied afterwards.
///
/// An object, because an optional value of this size costs look-ups more than the allocation in the few fetches that
/// need it.
final class PendingChangeOverlay {
    private let fetch: BoundFetch
    /// Changed objects of the entity, deleted ones included. Not empty.
    private let changed: [NSManagedObject]
    /// Finds the objects of rows; nil for objects without a context.
    private let registry: ObjectRegistry?
    /// Failed reads during the evaluation of a predicate fail the fetch.
    private let failures: ReadFailures
    /// The order of equal results on a page; nil for fetches without a position.
    private let ties: TieBreaking?

    /// nil if no unsaved change affects the fetch.
    ///
    /// - Parameters:
    ///   - unsaved: objects that may have changes, in the order of their first change.
    ///   - isAsked: whether the fetch includes the store of an object.
    init?(
        _ unsaved: ContiguousArray<NSManagedObject>, over fetch: BoundFetch, in registry: ObjectRegistry? = nil,
        _ failures: ReadFailures = ReadFailures(), ties: TieBreaking? = nil,
        isAsked: (NSManagedObject) -> Bool = { _ in true }
    ) {
        self.fetch = fetch
        self.registry = registry
        self.failures = failures
        self.ties = ties
        changed = unsaved.filter { $0.isUnsaved && Self.concerns(fetch, $0.table.layout) && isAsked($0) }
        if changed.isEmpty { return nil }
    }

    /// nil if none of a context's unsaved changes affects the fetch.
    ///
    /// - Parameter coordinator: chooses the stores of insertions.
    convenience init?(
        _ unsaved: ContiguousArray<NSManagedObject>, over route: RoutedFetch, in registry: ObjectRegistry,
        _ failures: ReadFailures, _ coordinator: NSPersistentStoreCoordinator?
    ) {
        self.init(
            unsaved, over: route.fetch, in: registry, failures, ties: route.fetch.paging.map { _ in route.tieOrder }
        ) { object in
            guard route.namesStores else { return true }
            let store =
                object.table.home?.store ?? object.objectExtension?.assignedStore
                ?? coordinator?.store(forInserting: object.table.layout)
            return route.stores.contains { $0 === store }
        }
    }

    private static func concerns(_ fetch: BoundFetch, _ layout: EntityLayout) -> Bool {
        fetch.includesSubentities ? layout.isKind(of: fetch.layout) : layout === fetch.layout
    }

    var count: Int { changed.count }

    /// Whether a row of the store's answer has to be left out.
    func hides(_ key: ObjectKey, _ home: StoreIdentity?) -> Bool {
        guard let object = registry?.object(key, home) else { return false }
        return hides(object)
    }

    func hides(_ object: NSManagedObject) -> Bool { object.isUnsaved }

    /// The changed objects that are not deleted, matching or not.
    var present: [NSManagedObject] { changed.filter { !$0.isMarkedDeleted } }

    /// The changed objects that match now, in the order of their first change.
    func matching() throws -> [NSManagedObject] {
        let evaluator = try fetch.predicate.map { try PredicateEvaluator($0) }
        let position = try ties.flatMap { ties in
            try fetch.paging.map { try ObjectPositionTest($0, fetch.prepared.sorting, ties) }
        }
        return try failures.throwing {
            try changed.filter { object in
                guard !object.isMarkedDeleted, try evaluator?.matches(object) ?? true else { return false }
                return try position?.includes(object) ?? true
            }
        }
    }
}
