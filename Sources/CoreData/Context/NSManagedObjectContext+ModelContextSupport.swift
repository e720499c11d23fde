// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of a context for a higher module: insertion of whole graphs, explicit merges, the owners of objects.

import Foundation

extension NSManagedObjectContext {
    /// Inserts objects without a context that refer to each other: keeps all links, including those without an inverse.
    package func insertTogether(_ objects: [NSManagedObject]) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insertTogether(objects)
    }

    /// Makes the next save insert objects in the order of these lists.
    package func arrangeInsertions(_ lists: [[NSManagedObject]]) {
        checkQueue()
        state.tracker.arrange(lists)
    }

    /// Collects the saves of other contexts until `mergeNow` is called, for a context that runs on its caller's thread.
    package func collectSaves() { state.setMergesAutomatically(true, of: self, whenCalled: true) }

    /// Merges the collected saves of other contexts, if the context runs on its caller's thread.
    package func mergeNow() {
        checkQueue()
        RemoteChanges.mergePosted(in: state)
    }

    /// Whether a save would write anything. A deletion that another context has saved is not a change of this context.
    package var hasChangesToSave: Bool {
        hasChanges && state.tracker.unsaved.contains { $0.isUnsaved && !$0.isInaccessible }
    }

    /// The objects that the next save inserts, updates and deletes, in the order of their first changes.
    package var unsavedObjects: (inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) {
        checkQueue()
        return (state.tracker.inserted, state.tracker.updated, state.tracker.deleted)
    }

    /// Calls a body with the objects of each save of this context, before the save's notifications.
    package func followSaves(_ body: @escaping (SavedObjects) -> Void) { state.notices.savesBody = body }

    /// Whether a higher module follows the first changes since a save, which `_heldByContext` reports.
    package var isWatched: Bool {
        get { state.registry.isOwnerWatched }
        set { state.registry.isOwnerWatched = newValue }
    }

    /// Stops collecting the saves of other contexts, and drops the collected ones.
    package func ignoreSaves() {
        state.setMergesAutomatically(false, of: self)
        _ = state.relations.merges.take()
    }

    /// The registered objects. From now on `isInHeldContext` is true for every object.
    package func beginHeld() -> [NSManagedObject] {
        checkQueue()
        state.registry.isOwnerHeld = true
        return state.registry.objects()
    }

    /// Whether there are unmerged saves of other contexts.
    package var hasPostedSaves: Bool { state.relations.merges.isEmpty == false }
}

extension NSManagedObject {
    /// Whether objects of a higher module retain the context.
    package final var isInHeldContext: Bool { heldTable.look { $0.isOwnerHeld } }

    /// Whether the context's `isWatched` is set.
    package final var isInWatchedContext: Bool { heldTable.look { $0.isOwnerWatched } }

    /// Whether both objects are in one context.
    package final func isInContext(of other: NSManagedObject) -> Bool {
        heldTable.look { mine in other.heldTable.look { $0.ownerName != nil && $0.ownerName == mine.ownerName } }
    }
}
