// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how changes are taken back and made again.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo") struct UndoSpecification {
    /// Proves: L10
    @Test("a context has no undo manager until one is set; undo does nothing then", arguments: StoreKind.all)
    func none(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        #expect(shop.context.undoManager == nil)
        let book = shop.book("Dune")
        shop.context.undo()
        #expect(book.isInserted)
        shop.context.undoManager = UndoManager()
        #expect(shop.context.undoManager?.levelsOfUndo == 0)
    }

    /// Proves: M17
    @Test("attributes go back and forth", arguments: StoreKind.all)
    func attributes(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        step(shop) { book.pages = 2 }
        step(shop) { book.pages = 3 }
        shop.context.undo()
        #expect(book.pages == 2)
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(!book.hasPersistentChangedValues)
        shop.context.redo()
        shop.context.redo()
        #expect(book.pages == 3)
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect((context.object(with: book.objectID) as? Book)?.pages == 3)
    }

    /// Proves: M17
    @Test("both ends of relationships go back and forth", arguments: StoreKind.all)
    func relationships(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        let sf = shop.tag("sf")
        try record(shop)
        step(shop) {
            book.author = jane
            book.tags = [sf]
        }
        shop.context.undo()
        #expect(book.author === frank)
        #expect(frank.books == [book])
        #expect(jane.books.isEmpty)
        #expect(sf.books.isEmpty)
        shop.context.redo()
        #expect(jane.books == [book])
        #expect(book.tags == [sf])
    }

    /// Proves: M17
    @Test("insertions and deletions go back and forth", arguments: StoreKind.all)
    func insertionsAndDeletions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let old = shop.book("old", by: shop.author("Frank"))
        try record(shop)
        var new: Book?
        step(shop) { new = shop.book("new") }
        step(shop) { shop.context.delete(old) }
        #expect(shop.context.deletedObjects == [old])
        shop.context.undo()
        #expect(!old.isDeleted)
        #expect(old.author?.books == [old])
        shop.context.undo()
        #expect(shop.context.insertedObjects.isEmpty)
        #expect(try shop.titles(Book.request()) == ["old"])
        shop.context.redo()
        #expect(new?.isInserted == true)
        #expect(new?.title == "new")
        shop.context.redo()
        #expect(old.isDeleted)
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["new"])
    }

    /// Proves: M17
    @Test("a save in between does not stop undo", arguments: StoreKind.all)
    func acrossSaves(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        step(shop) { book.pages = 2 }
        try shop.context.save()
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.isUpdated)
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect((context.object(with: book.objectID) as? Book)?.pages == 1)
    }

    /// Proves: M17
    @Test("a deletion that was saved can be taken back, with its relationships", arguments: StoreKind.all)
    func savedDeletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", by: shop.author("Frank"))
        let sf = shop.tag("sf")
        book.tags = [sf]
        try record(shop)
        shop.context.refreshAllObjects()
        step(shop) { shop.context.delete(book) }
        try shop.context.save()
        shop.context.undo()
        #expect(book.isInserted)
        #expect(book.title == "Dune")
        #expect(book.tags == [sf])
        #expect(sf.books == [book])
        try shop.context.save()
        let context = shop.stack.newContext()
        let read = try #require(try context.fetch(Book.request()).first)
        #expect(read.author?.name == "Frank")
        #expect(read.tags.map(\.name) == ["sf"])
        #expect(read.tags.first?.books == [read])
    }

    /// Proves: M17
    @Test("a to-many that nobody has read goes back after a save as well", arguments: StoreKind.all)
    func coldToMany(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma) = (shop.book("Dune", by: frank), shop.book("Emma"))
        try record(shop)
        shop.context.refreshAllObjects()
        step(shop) {
            dune.author = nil
            emma.author = frank
        }
        #expect(frank.hasFault(forRelationshipNamed: "books"))
        try shop.context.save()
        shop.context.undo()
        #expect(frank.books == [dune])
        #expect(emma.author == nil)
        shop.context.redo()
        #expect(frank.books == [emma])
        shop.context.undo()
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect((context.object(with: frank.objectID) as? Author)?.books.map(\.title) == ["Dune"])
    }

    /// Proves: M17
    @Test("transient values go back too", arguments: StoreKind.all)
    func transients(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try record(shop)
        step(shop) { book.setValue("lent", forKey: "note") }
        shop.context.undo()
        #expect(book.value(forKey: "note") == nil)
    }

    /// Proves: M17
    @Test("changes of one event are one step; those that cancel out leave none", arguments: StoreKind.all)
    func coalescing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        step(shop) {
            book.pages = 2
            book.title = "Emma"
        }
        step(shop) { shop.context.delete(shop.book("short-lived")) }
        #expect(try shop.context.count(for: Book.request()) == 1)
        shop.context.undo()
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Dune")
    }

    /// Proves: M18
    @Test("changes while registration is disabled stay when others are taken back", arguments: StoreKind.all)
    func disabledRegistration(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        step(shop) { book.pages = 2 }
        shop.context.processPendingChanges()
        shop.context.undoManager?.disableUndoRegistration()
        let other = shop.book("Emma")
        shop.context.processPendingChanges()
        shop.context.undoManager?.enableUndoRegistration()
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(other.isInserted)
        #expect(shop.context.undoManager?.canUndo == false)
    }

    /// Proves: M18
    @Test("a group of several events is one step", arguments: StoreKind.all)
    func groups(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        shop.context.undoManager?.beginUndoGrouping()
        book.pages = 2
        shop.context.processPendingChanges()
        book.pages = 3
        shop.context.processPendingChanges()
        shop.context.undoManager?.endUndoGrouping()
        shop.context.undo()
        #expect(book.pages == 1)
    }

    /// Proves: C21, L9
    @Test("rollback empties the undo stack", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop)
        step(shop) { book.pages = 2 }
        shop.context.rollback()
        #expect(book.pages == 1)
        shop.context.undo()
        shop.context.redo()
        #expect(book.pages == 1)
        #expect(!shop.context.hasChanges)
    }

    /// Saves, and keeps undo records from here on; each `step` is a group.
    private func record(_ shop: Bookshop) throws {
        try shop.context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        shop.context.undoManager = manager
    }

    private func step(_ shop: Bookshop, _ body: () -> Void) {
        shop.context.processPendingChanges()
        shop.context.undoManager?.beginUndoGrouping()
        body()
        shop.context.processPendingChanges()
        shop.context.undoManager?.endUndoGrouping()
    }
}
