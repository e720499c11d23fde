// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies unsaved changes to the answer of a store.

import CoreDataFoundation
import Foundation

/// # Rule A changed object of the entity never comes from the store's answer. It is in the result exactly when it
/// matches as it is now. So the window is cut afterwards.
///
/// An object, as an optional value of this size costs look-ups more than making one where it is needed.
final class PendingChangeOverlay {
    private let fetch: BoundFetch
    /// Changed objects of the entity, deleted ones included. Not empty.
    private let changed: [NSManagedObject]
    /// Finds the objects of rows; nil for objects that are in no context.
    private let registry: ObjectRegistry?
    /// Reads of values that a predicate asks for fail the fetch.
    private let failures: ReadFailures

    /// nil where no unsaved change concerns the fetch.
    ///
    /// - Parameters:
    ///   - unsaved: objects that may have changes, in the order in which they were changed.
    ///   - isAsked: whether the fetch asks the store of an object.
    init?(
        _ unsaved: ContiguousArray<NSManagedObject>, over fetch: BoundFetch, in registry: ObjectRegistry? = nil,
        _ failures: ReadFailures = ReadFailures(), isAsked: (NSManagedObject) -> Bool = { _ in true }
    ) {
        self.fetch = fetch
        self.registry = registry
        self.failures = failures
        changed = unsaved.filter { $0.isUnsaved && Self.concerns(fetch, $0.table.layout) && isAsked($0) }
        if changed.isEmpty { return nil }
    }

    /// nil where none of a context's unsaved changes concerns the fetch.
    ///
    /// - Parameter coordinator: chooses the stores of insertions.
    convenience init?(
        _ unsaved: ContiguousArray<NSManagedObject>, over route: RoutedFetch, in registry: ObjectRegistry,
        _ failures: ReadFailures, _ coordinator: NSPersistentStoreCoordinator?
    ) {
        self.init(unsaved, over: route.fetch, in: registry, failures) { object in
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

    /// Whether a row of the store's answer is to be left out here.
    func hides(_ key: ObjectKey, _ home: StoreIdentity?) -> Bool {
        guard let object = registry?.object(key, home) else { return false }
        return hides(object)
    }

    func hides(_ object: NSManagedObject) -> Bool { object.isUnsaved }

    /// The changed objects that are not deleted, whether they match or not.
    var present: [NSManagedObject] { changed.filter { !$0.isMarkedDeleted } }

    /// The changed objects that match now, in the order in which they were changed.
    func matching() throws -> [NSManagedObject] {
        let evaluator = try fetch.predicate.map { try PredicateEvaluator($0) }
        return try failures.throwing {
            try changed.filter { object in
                guard !object.isMarkedDeleted else { return false }
                return try evaluator?.matches(object) ?? true
            }
        }
    }
}
