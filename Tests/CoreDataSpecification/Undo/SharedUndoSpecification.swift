// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how one undo manager serves several contexts, and actions that no context has registered.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Shared undo managers") struct SharedUndoSpecification {
    private final class Label {
        var text = "old"
    }

    private func set(_ label: Label, _ text: String, _ manager: UndoManager) {
        let old = label.text
        label.text = text
        manager.registerUndo(withTarget: label) { set($0, old, manager) }
    }

    /// Proves: M17
    @Test("a program's actions and changes of objects are taken back together, in order", arguments: StoreKind.all)
    func ownActions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        let label = Label()
        manager.beginUndoGrouping()
        book.pages = 2
        set(label, "new", manager)
        manager.setActionName("Editing")
        manager.endUndoGrouping()
        #expect(manager.undoCount == 1)
        #expect(manager.undoActionName == "Editing")
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(label.text == "old")
        #expect(manager.redoActionName == "Editing")
        manager.redo()
        #expect(book.pages == 2)
        #expect(label.text == "new")
        manager.undo()
        #expect(book.pages == 1)
        #expect(label.text == "old")
    }

    /// Proves: M17
    @Test("an action that changes objects while it is undone is redone with its changes", arguments: StoreKind.all)
    func changingAction(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: book) { $0.pages = 7 }
        manager.endUndoGrouping()
        manager.undo()
        #expect(book.pages == 7)
        manager.redo()
        #expect(book.pages == 1)
        manager.undo()
        #expect(book.pages == 7)
    }

    /// Proves: M17
    @Test("a group may hold changes of several contexts", arguments: StoreKind.all)
    func severalContexts(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let one = shop.book("Dune", pages: 1)
        let two = shop.book("Emma", pages: 1)
        let manager = try shop.context.startRecording()
        let other = shop.stack.newContext()
        other.undoManager = manager
        let there = try #require(other.object(with: two.objectID) as? Book)
        manager.beginUndoGrouping()
        one.pages = 2
        there.pages = 2
        manager.endUndoGrouping()
        manager.beginUndoGrouping()
        there.pages = 3
        manager.endUndoGrouping()
        try shop.context.save()
        try other.save()
        #expect(manager.undoCount == 2)
        shop.context.undo()
        #expect(there.pages == 2)
        #expect(one.pages == 2)
        other.undo()
        #expect(there.pages == 1)
        #expect(one.pages == 1)
        manager.redo()
        #expect(there.pages == 2)
        #expect(one.pages == 2)
    }

    /// Proves: C21, F76
    @Test("rollback takes only the context's own records", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (one, two) = (shop.book("Dune", pages: 1), shop.book("Emma", pages: 1))
        let manager = try shop.context.startRecording()
        let other = shop.stack.newContext()
        other.undoManager = manager
        let there = try #require(other.object(with: two.objectID) as? Book)
        let label = Label()
        shop.context.step { one.pages = 2 }
        shop.context.step { there.pages = 2 }
        shop.context.step { set(label, "new", manager) }
        shop.context.rollback()
        #expect(manager.undoCount == 2)
        manager.undo()
        #expect(label.text == "old")
        manager.undo()
        #expect(there.pages == 1)
        #expect(one.pages == 1)
        #expect(!manager.canUndo)
    }
}
