// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of an event: deletes are propagated, undo is recorded, and the world is told.

import Foundation

/// # Order
/// 1. Delete rules are applied to what was deleted in the event, until nothing new is deleted.
/// 2. Insertions that were deleted again leave the context.
/// 3. The event becomes one undo record. What undo has set back to the last save is no longer changed.
/// 4. The event ends; then the did-change notification is posted, so that observers may change objects in a new event.
struct ChangeProcessing {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// - Parameter forSave: delete rules apply now even if they are put off to the save.
    func run(forSave: Bool = false) {
        guard !context.isProcessing, !context.tracker.event.isEmpty || context.tracker.invalidatedAll != nil || forSave
        else {
            return
        }
        context.isProcessing = true
        DeletePropagation(context).run(
            forSave ? .everything : context.propagatesDeletesAtEndOfEvent ? .event : .insertions)
        let gone = removeDeletedInsertions()
        UndoRecording(context).record()
        if context.tracker.hasUndone { UndoApplication(context).settle() }
        let changes = EventChanges(context.tracker, gone: gone)
        let ended = context.tracker.endEvent()
        context.isProcessing = false
        context.checkInvariants(of: ended)
        context.announceHasChanges()
        if !changes.isEmpty { ContextNotifications(context).postChanges(changes) }
        for object in gone { object.letGoOfLostOthers() }
    }

    private func removeDeletedInsertions() -> [NSManagedObject] {
        let gone = context.tracker.event.filter { $0.flags.isSuperset(of: [.inserted, .deleted]) }
        for object in gone {
            context.registry.unregister(object)
            object.flags.subtract([.inserted, .deleted, .updated, .propagated])
        }
        if !gone.isEmpty { context.tracker.compact(gone: gone.count) }
        return Array(gone)
    }
}

/// What one event changed, as observers are told.
struct EventChanges {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidatedAll: [NSManagedObjectID]?

    init(_ tracker: ChangeTracker, gone: [NSManagedObject]) {
        let gone = Set(gone.map(ObjectIdentifier.init))
        invalidatedAll = tracker.invalidatedAll
        tracker.event.lookAtEach { object in
            let flags = object.flags
            if !gone.isEmpty, gone.contains(ObjectIdentifier(object)) {
                // Of an insertion that was announced in an earlier event, observers learn that it is gone.
                if !flags.contains(.insertedInEvent) { deleted.append(object) }
            } else if flags.contains(.deletedInEvent) {
                deleted.append(object)
            } else if flags.contains(.insertedInEvent) {
                inserted.append(object)
            } else {
                if flags.contains(.updatedInEvent) { updated.append(object) }
                if flags.contains(.refreshedInEvent) { refreshed.append(object) }
            }
        }
    }

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidatedAll == nil
    }
}
