// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lays unsaved changes over what a store answered.

import CoreDataFoundation
import Foundation

/// # Rule A changed object of the entity never comes from the store's answer. It is in the result exactly when it
/// matches as it is now. So the window is cut afterwards.
struct PendingChangeOverlay {
    private let context: NSManagedObjectContext
    private let fetch: BoundFetch
    /// Changed objects of the entity, deleted ones included. Not empty.
    private let changed: [NSManagedObject]

    /// nil where the context has no unsaved changes that concern the fetch.
    init?(_ context: NSManagedObjectContext, _ route: RoutedFetch) {
        let unsaved = context.tracker.unsaved
        if unsaved.isEmpty { return nil }
        self.context = context
        fetch = route.fetch
        changed = unsaved.filter { Self.concerns(route, $0, context) }
        if changed.isEmpty { return nil }
    }

    private static func concerns(_ route: RoutedFetch, _ object: NSManagedObject, _ context: NSManagedObjectContext)
        -> Bool
    {
        guard object.hasChanges else { return false }
        let (layout, wanted) = (object.table.layout, route.fetch.layout)
        guard route.fetch.includesSubentities ? layout.isKind(of: wanted) : layout === wanted else { return false }
        guard route.namesStores else { return true }
        let store =
            object.table.home?.store ?? object.rare?.assignedStore
            ?? context.persistentStoreCoordinator?.store(forInserting: layout)
        return route.stores.contains { $0 === store }
    }

    var count: Int { changed.count }

    /// Whether a row of the store's answer is to be left out here.
    func hides(_ key: ObjectKey, _ home: StoreIdentity?) -> Bool {
        guard let object = context.registry.object(key, home) else { return false }
        return hides(object)
    }

    func hides(_ object: NSManagedObject) -> Bool { object.hasChanges }

    /// The changed objects that are not deleted, whether they match or not.
    var present: [NSManagedObject] { changed.filter { !$0.isDeleted } }

    /// The changed objects that match now, in the order in which they were changed.
    func matching() throws -> [NSManagedObject] {
        let evaluator = try fetch.predicate.map { try PredicateEvaluator($0) }
        return try changed.filter { object in
            guard !object.isDeleted else { return false }
            return try evaluator?.matches(object) ?? true
        }
    }
}
