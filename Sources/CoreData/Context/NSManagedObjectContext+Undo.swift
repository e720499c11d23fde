// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The undo manager of a context, and its calls.

public import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// Records changes for undo; nil, the default, keeps no undo records.
    ///
    /// It does not record changes that were made before it is set. If it is set outside the context's queue, it records
    /// the changes of the current event, except deletions. Several contexts may share a manager, which may also have
    /// other actions of the program; such contexts should share a queue.
    public var undoManager: UndoManager? {
        get { state.settings.read(\.undoManager) }
        set {
            if queue.isCurrent(self) { processPendingChanges() }
            state.settings.exchange(newValue, \.undoManager)
            state.settings.exchange(newValue.map { UndoObserver(of: $0, for: self) as AnyObject }, \.undoObserver)
        }
    }
}

extension NSManagedObjectContext: UndoTarget {
    /// A manager may be shared with contexts on other queues: their pending changes are recorded on those queues.
    func recordAtCheckpoint() {
        if queue.isCurrent(self), !state.tracker.event.isEmpty { processPendingChanges() }
    }

    func takeBack(_ record: UndoRecord) {
        guard record.epoch == state.undo.epoch, let registry = state.storedRegistry else { return }
        checkQueue()
        UndoApplication(state.tracker, registry, state.faults).takeBack(record)
        // Called outside its queue, the context ignores the manager.
        if !queue.isCurrent(self) { processPendingChanges() }
    }
}
