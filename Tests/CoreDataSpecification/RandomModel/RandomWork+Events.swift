// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends events, and undoes and redoes them.

import CoreData
import Foundation

extension RandomWork {
    static func recordUndo(_ context: NSManagedObjectContext) {
        let manager = UndoManager()
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        context.undoManager = manager
    }

    func process() {
        context.processPendingChanges()
        endEvent()
    }

    /// If an event leaves the reference unchanged, the manager may or may not have recorded a step, so all steps are
    /// removed.
    func endEvent(forSave: Bool = false) { endEvent(of: level, forSave: forSave) }

    func endEvent(of level: Level, forSave: Bool = false) {
        let history = level.reference.history
        let isDirty = level.isDirtyInEvent
        level.reference.endEvent(forSave: forSave)
        level.hasRefreshed = false
        level.isDirtyInEvent = false
        guard history.isRecording, isDirty, level.reference.state == history.eventStart else { return }
        level.context.performAndWait { level.context.processPendingChanges() }
        clearUndo(of: level)
    }

    func clearUndo() { clearUndo(of: level) }

    func clearUndo(of level: Level) {
        level.context.undoManager?.removeAllActions()
        level.reference.history.clear(level.reference.state)
    }

    func beginGroup() {
        guard let manager = context.undoManager else { return }
        while manager.groupingLevel > 0 { manager.endUndoGrouping() }
        manager.beginUndoGrouping()
        level.reference.history.closeGroup()
    }

    func travel(_ operation: Operation) {
        process()
        while let manager = context.undoManager, manager.groupingLevel > 0 { manager.endUndoGrouping() }
        if case .undo = operation {
            context.undo()
            level.reference.undo()
        } else {
            context.redo()
            level.reference.redo()
        }
        beginGroup()
    }
}
