// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how changes are undone and redone.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo") struct UndoSpecification {
    /// Proves: M17
    @Test("attributes go back and forth", arguments: StoreKind.all)
    func attributes(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        shop.context.step { book.pages = 3 }
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
        try shop.context.startRecording()
        shop.context.step {
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
        try shop.context.startRecording()
        var new: Book?
        shop.context.step { new = shop.book("new") }
        shop.context.step { shop.context.delete(old) }
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
        try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
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
        try shop.context.startRecording()
        shop.context.refreshAllObjects()
        shop.context.step { shop.context.delete(book) }
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
    @Test("an unread to-many goes back after a save as well", arguments: StoreKind.all)
    func coldToMany(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma) = (shop.book("Dune", by: frank), shop.book("Emma"))
        try shop.context.startRecording()
        shop.context.refreshAllObjects()
        shop.context.step {
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
        try shop.context.startRecording()
        shop.context.step { book.setValue("lent", forKey: "note") }
        shop.context.undo()
        #expect(book.value(forKey: "note") == nil)
    }

    /// Proves: M17
    @Test("changes of one event are one step; those that cancel out leave none", arguments: StoreKind.all)
    func coalescing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.startRecording()
        shop.context.step {
            book.pages = 2
            book.title = "Emma"
        }
        shop.context.step { shop.context.delete(shop.book("short-lived")) }
        #expect(try shop.context.count(for: Book.request()) == 1)
        shop.context.undo()
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Dune")
    }
}
