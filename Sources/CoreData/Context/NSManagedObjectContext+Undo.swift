// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The undo manager of a context, and its calls.

public import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// The manager that records changes for undo; nil, as it is until one is set, keeps no undo records.
    ///
    /// ```swift
    /// let manager = UndoManager()
    /// context.undoManager = manager
    ///
    /// let note = Memo(context: context)
    /// note.title = "Groceries"
    /// try context.save()
    /// manager.removeAllActions()  // an undo goes back to here
    ///
    /// manager.beginUndoGrouping()
    /// manager.setActionName("Rename")
    /// note.title = "Grocery list"
    /// manager.endUndoGrouping()
    ///
    /// manager.undo()  // note.title is "Groceries"
    /// manager.redo()  // note.title is "Grocery list"
    /// ```
    ///
    /// Each event is a group, unless the program begins and ends groups itself. A save keeps the recorded actions: call
    /// `removeAllActions()` where undo must not change saved values.
    ///
    /// The manager does not record changes that were made before it is set; set off the context's queue, it records
    /// those of the running event, apart from deletions. Contexts may share one, also with actions of the program; such
    /// contexts should share a queue.
    ///
    /// - Important: may be set on any thread; use the manager on the context's queue.
    /// - Complexity: without a manager a change costs nothing more. With one, each changed object keeps its row of
    ///   before.
    /// - SeeAlso: `undo()`, `redo()`, `rollback()`.
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

    func undo(_ record: UndoRecord) {
        guard record.epoch == state.undo.epoch, let registry = state.storedRegistry else { return }
        checkQueue()
        UndoApplication(state.tracker, registry, state.faults).undo(record)
        // Called outside its queue, the context ignores the manager.
        if !queue.isCurrent(self) { processPendingChanges() }
    }
}
