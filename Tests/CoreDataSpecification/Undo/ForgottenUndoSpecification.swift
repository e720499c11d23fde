// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect on undo when objects are rolled back, forgotten, read again, or changed by others.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo of forgotten objects") struct ForgottenUndoSpecification {
    /// Proves: F76, C21, L9
    @Test("without a manager undo does nothing, and rollback works", arguments: StoreKind.all)
    func withoutManager(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        let other = shop.book("Emma")
        shop.context.undo()
        shop.context.redo()
        #expect(book.pages == 2)
        #expect(other.isInserted)
        shop.context.rollback()
        #expect(book.pages == 1)
        #expect(other.managedObjectContext == nil)
        #expect(!shop.context.hasChanges)
    }

    /// Proves: F76, C21
    @Test("rollback empties the stacks: undo and redo do nothing afterwards", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        shop.context.step { book.pages = 3 }
        shop.context.undo()
        #expect(manager.canRedo)
        shop.context.rollback()
        #expect(!manager.canUndo)
        #expect(!manager.canRedo)
        shop.context.undo()
        shop.context.redo()
        #expect(book.pages == 1)
        #expect(!shop.context.hasChanges)
        shop.context.step { book.pages = 4 }
        shop.context.undo()
        #expect(book.pages == 1)
    }

    /// Proves: C21
    @Test("records that a manager kept past a rollback or a reset do nothing", arguments: StoreKind.all, [false, true])
    func keptRecords(store: StoreKind, resets: Bool) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        var made: Book?
        shop.context.step { made = shop.book("Emma") }
        shop.context.step { shop.context.delete(book) }
        shop.context.undoManager = nil
        if resets { shop.context.reset() } else { shop.context.rollback() }
        shop.context.undoManager = manager
        #expect(manager.undoCount == 3)
        while manager.canUndo { shop.context.undo() }
        #expect(!shop.context.hasChanges)
        #expect(made?.managedObjectContext == nil)
        #expect(try shop.context.fetch(Book.request()).first?.pages == 1)
    }

    /// Proves: C21
    @Test("reset empties the stacks", arguments: StoreKind.all)
    func reset(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        shop.context.reset()
        #expect(!manager.canUndo)
        shop.context.undo()
        #expect(try shop.context.fetch(Book.request()).first?.pages == 1)
    }

    /// Proves: M17, C18
    @Test("an object that was read again takes its old values back", arguments: StoreKind.all, [false, true])
    func refreshed(store: StoreKind, merges: Bool) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step {
            book.pages = 2
            book.author = frank
        }
        try shop.context.save()
        shop.context.refresh(book, mergeChanges: merges)
        shop.context.refresh(frank, mergeChanges: merges)
        shop.context.processPendingChanges()
        #expect(manager.undoCount == 1)
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.author == nil)
        #expect(frank.books.isEmpty)
        #expect(book.isUpdated)
    }

    /// Proves: M17, C26
    @Test("a save of others is no step, and stays", arguments: StoreKind.all)
    func merged(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        try shop.context.save()
        let other = shop.stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: other)
        let there = try #require(other.object(with: book.objectID) as? Book)
        there.title = "Emma"
        shop.book("new", in: other)
        try other.save()
        shop.context.mergeChanges(fromContextDidSave: try #require(log.notifications.last))
        #expect(manager.undoCount == 1)
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Emma")
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()).sorted() == ["Emma", "new"])
    }

    /// Proves: M17, C26, F69
    @Test("an object deleted by others is passed over", arguments: StoreKind.all)
    func mergedDeletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", pages: 1, by: frank)
        let second = shop.book("Emma", by: frank)
        let manager = try shop.context.startRecording()
        shop.context.step {
            book.pages = 2
            book.author = jane
            second.author = jane
        }
        try shop.context.save()
        let other = shop.stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: other)
        other.delete(other.object(with: book.objectID))
        other.delete(other.object(with: frank.objectID))
        try other.save()
        shop.context.mergeChanges(fromContextDidSave: try #require(log.notifications.last))
        #expect(manager.undoCount == 1)
        shop.context.undo()
        #expect(second.author == nil)
        #expect(jane.books.filter { !$0.isDeleted }.isEmpty)
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Emma"])
    }

    /// Proves: M17, C10
    @Test(
        "a record that is missing is passed over, even where reading it would stop the program",
        arguments: StoreKind.all)
    func missing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, second) = (shop.book("Dune", pages: 1), shop.book("Emma", pages: 1))
        try shop.context.startRecording()
        shop.context.step {
            book.pages = 2
            second.pages = 2
        }
        try shop.context.save()
        shop.context.refreshAllObjects()
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        try other.save()
        shop.context.shouldDeleteInaccessibleFaults = false
        shop.context.undo()
        #expect(book.isFault)
        #expect(second.pages == 1)
    }

    /// Proves: M17
    @Test("objects of a store that was removed stay away", arguments: StoreKind.all)
    func removedStore(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.startRecording()
        shop.context.step { shop.context.delete(book) }
        try shop.context.save()
        try shop.stack.coordinator.remove(shop.stack.store)
        shop.context.undo()
        #expect(book.managedObjectContext == nil)
        #expect(!shop.context.hasChanges)
    }
}
