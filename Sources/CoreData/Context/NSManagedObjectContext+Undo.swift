// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The undo manager of a context, and its calls.

public import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// Records changes for undo; nil (as it is until one is set) keeps no undo records at all.
    ///
    /// It does not record changes that were made before it is set; set off the context's queue, it records those of the
    /// running event, apart from deletions. Contexts may share one, also with actions of your own; such contexts should
    /// share a queue.
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
    /// A manager may be shared with contexts of other queues: their pending changes are recorded on those.
    func recordAtCheckpoint() {
        if queue.isCurrent(self), !state.tracker.event.isEmpty { processPendingChanges() }
    }

    func takeBack(_ record: UndoRecord) {
        guard record.epoch == state.undo.epoch, let registry = state.storedRegistry else { return }
        checkQueue()
        UndoApplication(state.tracker, registry, state.faults).takeBack(record)
        // Off its queue the context does not listen to the manager.
        if !queue.isCurrent(self) { processPendingChanges() }
    }
}
