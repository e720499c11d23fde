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

    /// - Parameters:
    ///   - forSave: delete rules apply now even if they are put off to the save.
    ///   - look: called with the objects of the event after the delete rules.
    ///
    /// Every fetch asks: without changes it is an inlined test that counts no reference.
    @inline(__always)
    func run(forSave: Bool = false, look: (ContiguousArray<NSManagedObject>) -> Void = { _ in }) {
        if state.tracker.hasPending || forSave { process(forSave, look) }
    }

    private func process(_ forSave: Bool, _ look: (ContiguousArray<NSManagedObject>) -> Void) {
        let tracker = state.tracker
        guard !tracker.isProcessing else { return }
        tracker.isProcessing = true
        applyDeleteRules(forSave)
        look(tracker.event)
        let gone = removeDeletedInsertions()
        recordUndo()
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

    /// Without an undo manager it is one test.
    private func recordUndo() {
        guard let manager = state.undo.recordingManager, state.storedRegistry != nil else { return }
        UndoRecording(
            history: state.undo, tracker: state.tracker, faults: state.faults, isSaving: state.saves.isSaving
        ).record(in: manager)
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

extension EventChanges {
    /// - Parameter gone: insertions that were deleted again.
    init(_ tracker: ChangeTracker, gone: [NSManagedObject]) {
        self.init()
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
}
