// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 6: undo.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 6: undo") @MainActor struct Undoing {
    @Test("undo and redo") func undo() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: undo
        let manager = UndoManager()
        context.undoManager = manager

        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        manager.removeAllActions()  // an undo goes back to here

        manager.beginUndoGrouping()
        manager.setActionName("Rename")
        note.title = "Grocery list"
        manager.endUndoGrouping()

        manager.undo()  // note.title is "Groceries"
        manager.redo()  // note.title is "Grocery list"
        // end
        #expect(note.title == "Grocery list")
        context.undo()
        #expect(note.title == "Groceries")
    }
}
