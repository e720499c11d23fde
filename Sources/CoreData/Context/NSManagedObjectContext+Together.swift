// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a module above this one needs of a context: insertions of whole graphs, and merges at its own calls.

import Foundation

extension NSManagedObjectContext {
    /// Inserts objects that are in no context and lead to one another: all links stay, those without inverse, too.
    package func insertTogether(_ objects: [NSManagedObject]) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insertTogether(objects)
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

    /// Whether other contexts have saved what was not merged yet.
    package var hasPostedSaves: Bool { state.family.merges.isEmpty == false }
}
