// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lays unsaved changes over what a store answered.

import CoreDataFoundation
import Foundation

/// # Rule
/// A changed object of the entity asked for is never taken from the store's answer, whatever the store thinks of it: it
/// is in the
/// result exactly when it matches as it is now. So the window has to be cut afterwards.
struct PendingChangeOverlay {
    private let context: NSManagedObjectContext
    private let resolution: FetchResolution
    /// Changed objects of the entity, deleted ones included.
    private let changed: [NSManagedObject]

    init(_ context: NSManagedObjectContext, _ resolution: FetchResolution, _ stores: [any RecordStore]) {
        self.context = context
        self.resolution = resolution
        let settings = resolution.settings
        changed = context.tracker.unsaved.filter { object in
            guard object.hasChanges else { return false }
            let layout = object.table.layout
            guard settings.includesSubentities ? layout.isKind(of: resolution.layout) : layout === resolution.layout
            else {
                return false
            }
            guard settings.affectedStores != nil else { return true }
            let store =
                object.table.home?.store ?? object.rare?.assignedStore
                ?? context.persistentStoreCoordinator?.store(forInserting: layout)
            return stores.contains { $0 === store }
        }
    }

    init(empty context: NSManagedObjectContext, _ resolution: FetchResolution) {
        self.context = context
        self.resolution = resolution
        changed = []
    }

    var isEmpty: Bool { changed.isEmpty }
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
        let evaluator = try resolution.predicate.map { try PredicateEvaluator($0) }
        return try changed.filter { object in
            guard !object.isDeleted else { return false }
            return try evaluator?.matches(object) ?? true
        }
    }
}
