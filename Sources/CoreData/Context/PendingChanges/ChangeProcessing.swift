// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of an event: delete rules, the undo record, and the did-change notification.

import Foundation
import Synchronization

/// # Order
/// 1. Applies delete rules to the deletions of the event, until no more objects are deleted.
/// 2. Removes insertions that were deleted again from the context.
/// 3. Makes one undo record of the event. An object that undo has restored to the last save is no longer updated.
/// 4. Ends the event; then posts the did-change notification, so that observers may change objects in a new event.
struct ChangeProcessing {
    private let tracker: ChangeTracker
    private let notices: ContextNotices
    private let undo: UndoHistory
    private let saves: SaveProgress
    private let failures: ReadFailures
    /// nil before the first use of an object.
    private let faults: FaultFulfilment?

    init(_ state: ContextState) {
        tracker = state.tracker
        notices = state.notices
        undo = state.undo
        saves = state.saves
        failures = state.failures
        faults = state.storedRegistry == nil ? nil : state.faults
    }

    /// - Parameters:
    ///   - forSave: applies delete rules now even if they are deferred to the save.
    ///   - undoable: the objects whose changes undo takes back; nil for all of the event.
    ///   - look: called with the objects of the event after the delete rules.
    func run(
        forSave: Bool = false, undoable: Set<ObjectIdentifier>? = nil,
        look: (ContiguousArray<NSManagedObject>) -> Void = { _ in }
    ) {
        guard !tracker.isProcessing, tracker.hasPending || forSave else { return }
        tracker.isProcessing = true
        applyDeleteRules(forSave)
        look(tracker.event)
        let gone = removeDeletedInsertions()
        recordUndo(of: undoable)
        if tracker.hasUndone { tracker.dropRevertedUpdates() }
        let changes = EventChanges(tracker, gone: gone)
        let ended = tracker.endEvent()
        tracker.isProcessing = false
        ContextInvariants(tracker, faults?.registry).check(ended)
        tracker.announceHasChanges()
        if !changes.isEmpty { notices.postChanges(changes) }
        for object in gone { object.releaseDetachedObjects() }
    }

    private func applyDeleteRules(_ forSave: Bool) {
        guard let faults else { return }
        let propagates = tracker.settings.propagatesDeletesAtEndOfEvent.load(ordering: .relaxed)
        let scope: DeletionScope = forSave ? .everything : propagates ? .event : .insertions
        let graph = DeletedObjects(scope: scope, tracker: tracker, failures: failures, faults: faults)
        DeletePropagation(graph: graph).run()
    }

    /// Without an undo manager it costs one test.
    private func recordUndo(of undoable: Set<ObjectIdentifier>?) {
        guard let manager = undo.recordingManager, let faults else { return }
        UndoRecording(history: undo, tracker: tracker, faults: faults, isSaving: saves.isSaving)
            .record(in: manager, only: undoable)
    }

    /// The objects that the event has changed so far; nil if nothing is recorded.
    var undoable: Set<ObjectIdentifier>? {
        if undo.recordingManager == nil { return nil }
        let changed = tracker.event.lazy.filter {
            $0.objectExtension?.eventBase != nil || $0.flags.contains(.inserted)
        }
        return Set(changed.map(ObjectIdentifier.init))
    }

    private func removeDeletedInsertions() -> [NSManagedObject] {
        let gone = tracker.event.filter { $0.flags.isSuperset(of: [.inserted, .deleted]) }
        for object in gone {
            faults?.registry.unregister(object)
            object.flags.subtract([.inserted, .deleted, .updated, .propagated])
        }
        if !gone.isEmpty { tracker.compact(gone: gone.count) }
        return Array(gone)
    }
}

extension ContextState {
    /// Ends the event, if there is one. Every fetch calls it: without changes it is an inlined test without reference
    /// counting.
    @inline(__always) func processChanges() {
        if tracker.hasPending { ChangeProcessing(self).run() }
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
                // Observers know an insertion that was announced in an earlier event, so they are notified of its
                // deletion.
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
