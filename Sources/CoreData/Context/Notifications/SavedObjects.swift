// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects of a save, for its notifications and for the contexts that merge it.

/// The objects of a save. Their ids are made when an observer, or a context that merges the save, needs them.
package final class SavedObjects {
    package let inserted: [NSManagedObject]
    package let updated: [NSManagedObject]
    package let deleted: [NSManagedObject]

    init(inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    private(set) lazy var ids: SavedIDs = {
        var ids = SavedIDs()
        ids.inserted = inserted.ids
        ids.updated = updated.ids
        ids.deleted = deleted.ids
        return ids
    }()

    /// The sets of ids of a notification, by its keys. The contexts that merge the save use them again.
    var sets: [String: Set<NSManagedObjectID>] {
        if ids.sets.isEmpty {
            ids.sets = [
                NSInsertedObjectIDsKey: Set(roomy: ids.inserted), NSUpdatedObjectIDsKey: Set(roomy: ids.updated),
                NSDeletedObjectIDsKey: Set(roomy: ids.deleted),
            ]
        }
        return ids.sets
    }
}
