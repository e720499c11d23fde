// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns an insertion to a store, if several stores contain its entity.

import Foundation

struct StoreChoice {
    let coordinator: NSPersistentStoreCoordinator?

    func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject, object.isInserted else {
            preconditionFailure("Only an unsaved insertion can be assigned to a store.")
        }
        precondition(
            coordinator?.holds(object.table.layout, in: store) == true,
            "The store \(store.identifier ?? "") does not hold the entity '\(object.table.layout.name)'.")
        object.extensionMade.assignedStore = store
    }
}
