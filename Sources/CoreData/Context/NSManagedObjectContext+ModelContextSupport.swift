// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of a context for a module above: insertions of whole graphs, merges at its own calls, its owners.

import Foundation

extension NSManagedObjectContext {
    /// Inserts objects that are in no context and lead to one another: all links stay, those without inverse, too.
    package func insertTogether(_ objects: [NSManagedObject]) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insertTogether(objects)
    }

    /// The next save inserts objects in the order of these lists.
    package func arrangeInsertions(_ lists: [[NSManagedObject]]) {
        checkQueue()
        state.tracker.arrange(lists)
    }

    /// The saves of other contexts wait until `mergeNow` is called, for a context that works for its caller.
    package func collectSaves() { state.setMergesAutomatically(true, of: self, whenCalled: true) }

    /// Merges what other contexts have saved, where the context works for its caller and nobody else does it.
    package func mergeNow() {
        checkQueue()
        RemoteChanges.mergePosted(in: state)
    }

    /// Whether a save would write anything: a deletion that others have saved is no change of this context.
    package var hasChangesToSave: Bool {
        hasChanges && state.tracker.unsaved.contains { $0.isUnsaved && !$0.isInaccessible }
    }

    /// The objects that the next save inserts, updates and deletes, in the order of their first changes.
    package var unsavedObjects: (inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) {
        checkQueue()
        return (state.tracker.inserted, state.tracker.updated, state.tracker.deleted)
    }

    /// The saves of other contexts are no concern any more, and those that wait are forgotten.
    package func ignoreSaves() {
        state.setMergesAutomatically(false, of: self)
        _ = state.relations.merges.take()
    }

    /// The registered objects, and from now on `isInHeldContext` of every object.
    package func beginHeld() -> [NSManagedObject] {
        checkQueue()
        state.registry.isOwnerHeld = true
        return state.registry.objects()
    }

    /// Whether other contexts have saved what was not merged yet.
    package var hasPostedSaves: Bool { state.relations.merges.isEmpty == false }
}

extension NSManagedObject {
    /// Whether objects of a module above hold the context.
    package final var isInHeldContext: Bool { heldTable.look { $0.isOwnerHeld } }
}
