// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of an event: delete rules, the undo record, and the did-change notification.

import Foundation
import Synchronization

/// # Order
/// 1. Delete rules are applied to the deletions of the event, until nothing new is deleted.
/// 2. Insertions that were deleted again leave the context.
/// 3. The event becomes one undo record. An object that undo has set back to the last save is no longer changed.
/// 4. The event ends; then the did-change notification is posted, so that observers may change objects in a new event.
struct ChangeProcessing {
    private let state: ContextState

    init(_ state: ContextState) { self.state = state }

    /// - Parameter forSave: delete rules apply now even if they are put off to the save.
    func run(forSave: Bool = false) {
        let tracker = state.tracker
        guard !tracker.isProcessing, !tracker.event.isEmpty || tracker.invalidatedAll != nil || forSave else { return }
        tracker.isProcessing = true
        applyDeleteRules(forSave)
        let gone = removeDeletedInsertions()
        UndoRecording(state).record()
        if tracker.hasUndone { tracker.settleUndone() }
        let changes = EventChanges(tracker, gone: gone)
        let ended = tracker.endEvent()
        tracker.isProcessing = false
        state.checkInvariants(of: ended)
        tracker.announceHasChanges()
        if !changes.isEmpty { state.notices.postChanges(changes) }
        for object in gone { object.letGoOfLostOthers() }
    }

    private func applyDeleteRules(_ forSave: Bool) {
        guard state.storedRegistry != nil else { return }
        let propagates = state.settings.propagatesDeletesAtEndOfEvent.load(ordering: .relaxed)
        let graph = DeletedObjects(tracker: state.tracker, faults: state.faults)
        DeletePropagation(graph: graph).run(forSave ? .everything : propagates ? .event : .insertions)
    }

    private func removeDeletedInsertions() -> [NSManagedObject] {
        let tracker = state.tracker
        let gone = tracker.event.filter { $0.flags.isSuperset(of: [.inserted, .deleted]) }
        for object in gone {
            state.registry.unregister(object)
            object.flags.subtract([.inserted, .deleted, .updated, .propagated])
        }
        if !gone.isEmpty { tracker.compact(gone: gone.count) }
        return Array(gone)
    }
}

/// The contents of the did-change notification of one event.
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
