// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effects of a save, and the state after a failed one.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Saving") struct SavingSpecification {
    /// Proves: C22, M10
    @Test("a save writes everything, and nothing is pending afterwards", arguments: StoreKind.all)
    func everything(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let kept = shop.book("kept", pages: 1)
        let gone = shop.book("gone")
        try shop.context.save()
        kept.pages = 2
        shop.context.delete(gone)
        let new = shop.book("new")
        try shop.context.save()
        #expect(!shop.context.hasChanges)
        #expect(!new.objectID.isTemporaryID)
        let context = shop.stack.newContext()
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(try shop.titles(request, in: context) == ["kept", "new"])
        #expect((context.object(with: kept.objectID) as? Book)?.pages == 2)
    }

    /// Proves: C22
    @Test("the objects of each save have ids that no earlier save gave", arguments: StoreKind.all)
    func idsOfSeveralSaves(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        var titles: [NSManagedObjectID: String] = [:]
        for count in [3, 1, 2] {
            let books = (0..<count).map { shop.book("\(count).\($0)") }
            try shop.context.save()
            for book in books { titles[book.objectID] = book.title }
        }
        #expect(titles.count == 6)
        let stored = try shop.stack.stored(Book.request()) { ($0.objectID, $0.title ?? "") }
        #expect(Dictionary(uniqueKeysWithValues: stored) == titles)
    }

    /// Proves: C22
    @Test("a link that two contexts add is there once", arguments: StoreKind.all)
    func linkAddedTwice(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let tag = Tag(context: shop.context)
        tag.name = "sand"
        try shop.context.save()
        let other = shop.stack.newContext()
        let theirs = try #require(try other.existingObject(with: book.objectID) as? Book)
        theirs.mutableSetValue(forKey: "tags").add(try other.existingObject(with: tag.objectID))
        book.mutableSetValue(forKey: "tags").add(tag)
        try other.save()
        shop.context.mergePolicy = NSMergePolicy.overwrite
        try shop.context.save()
        let request = Book.request()
        request.predicate = NSPredicate(format: "tags.@count == 1")
        #expect(try shop.titles(request, in: shop.stack.newContext()) == ["Dune"])
    }

    /// Proves: C22
    @Test("saved objects are there when the store is opened again", arguments: StoreKind.all.filter(\.isPersistent))
    func reopening(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c")
        nodes[0].children = [nodes[3], nodes[1], nodes[2]]
        nodes[1].neighbours = [nodes[2], nodes[3]]
        nodes[1].twin = nodes[2]
        try graph.context.save()
        try graph.stack.reopen()
        let request = Node.request()
        request.predicate = NSPredicate(format: "name == 'root'")
        let root = try #require(try graph.context.fetch(request).first)
        #expect(root.children.map(\.name) == ["c", "a", "b"])
        #expect(Set(root.children[1].neighbours.map(\.name)) == ["b", "c"])
        #expect(root.children[1].twin === root.children[2])
    }

    /// Proves: C22
    @Test("a save without changes does nothing", arguments: StoreKind.all)
    func nothing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        try shop.context.save()
        let book = shop.book("Dune")
        try shop.context.save()
        let before = book.objectID
        try shop.context.save()
        #expect(book.objectID == before)
    }

    /// Proves: C22, M10
    @Test("nothing is seen by others before the save", arguments: StoreKind.all)
    func isolation(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let other = shop.stack.newContext()
        let theirs = try #require(other.object(with: book.objectID) as? Book)
        book.pages = 2
        #expect(theirs.pages == 1)
        try shop.context.save()
        #expect(theirs.pages == 1)
        other.refresh(theirs, mergeChanges: false)
        #expect(theirs.pages == 2)
    }

    /// Proves: F98
    @Test("a failed save leaves everything pending; once corrected it succeeds", arguments: StoreKind.all)
    func failure(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let doomed = shop.book("doomed")
        try shop.context.save()
        book.pages = 2
        shop.context.delete(doomed)
        let nameless = Author(context: shop.context)
        #expect(shop.context.saveFailure() != nil)
        #expect(shop.context.updatedObjects == [book])
        #expect(shop.context.deletedObjects == [doomed])
        #expect(shop.context.insertedObjects == [nameless])
        #expect(Set(book.changedValues().keys) == ["pages"])
        nameless.name = "Frank"
        try shop.context.save()
        #expect(!shop.context.hasChanges)
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Dune"])
    }

    /// Proves: C22
    @Test("insertions that point at each other are saved in one go", arguments: StoreKind.all)
    func rings(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c")
        for index in 0..<3 { nodes[index].next = nodes[(index + 1) % 3] }
        nodes[0].neighbours = Set(nodes)
        try graph.context.save()
        let context = graph.stack.newContext()
        let first = try #require(context.object(with: nodes[0].objectID) as? Node)
        #expect(first.next?.next?.next === first)
        #expect(first.neighbours.count == 3)
    }

    /// Proves: C22
    @Test("two objects may swap a value that must be unique", arguments: StoreKind.all)
    func swap(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (one, two) = (shop.tag("one"), shop.tag("two"))
        try shop.context.save()
        one.name = "two"
        two.name = "one"
        #expect(shop.context.saveFailure() == nil)
        let context = shop.stack.newContext()
        #expect((context.object(with: one.objectID) as? CoreDataTestSupport.Tag)?.name == "two")
        #expect((context.object(with: two.objectID) as? CoreDataTestSupport.Tag)?.name == "one")
    }

    /// Proves: C22
    @Test("a new object may take the unique value of one that is deleted", arguments: StoreKind.all)
    func reuse(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let old = shop.tag("sf")
        try shop.context.save()
        shop.context.delete(old)
        let new = shop.tag("sf")
        #expect(shop.context.saveFailure() == nil)
        #expect(!new.objectID.isTemporaryID)
        #expect(new.objectID != old.objectID)
    }

    /// Proves: C21
    @Test("rollback takes back all changes, and reads no store", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let jane = shop.author("Jane")
        let dune = shop.book("Dune", pages: 1, by: frank)
        let emma = shop.book("Emma", by: jane)
        try shop.context.save()
        let other = shop.stack.newContext()
        (other.object(with: dune.objectID) as? Book)?.pages = 99
        try other.save()
        dune.pages = 2
        dune.author = jane
        shop.context.delete(emma)
        shop.book("new", by: frank)
        shop.context.rollback()
        #expect(!shop.context.hasChanges)
        #expect(dune.pages == 1)
        #expect(dune.author === frank)
        #expect(frank.books == [dune])
        #expect(jane.books == [emma])
        #expect(!emma.isDeleted)
        #expect(emma.author === jane)
    }

    /// Proves: C21, F24
    @Test("reset forgets every object; those still held are faults without a context", arguments: StoreKind.all)
    func reset(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let new = shop.book("new")
        book.pages = 7
        shop.context.reset()
        #expect(book.managedObjectContext == nil)
        #expect(book.isFault)
        #expect(new.managedObjectContext == nil)
        #expect(shop.context.registeredObjects.isEmpty)
        #expect(!shop.context.hasChanges)
        let again = try #require(try shop.context.fetch(Book.request()).first)
        #expect(again !== book)
        #expect(again.pages == 100)
    }

    /// Proves: C21, F24
    @Test("after a reset, properties of held objects read as nil or zero", arguments: StoreKind.all)
    func faultAfterReset(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let (book, fault) = (shop.book("Dune", pages: 3, by: author), shop.book("Emma", by: author))
        book.tags = [shop.tag("sf")]
        try shop.context.save()
        shop.context.refresh(fault, mergeChanges: false)
        let id = book.objectID
        shop.context.reset()
        for object in [book, fault] {
            #expect(object.value(forKey: "title") == nil)
            #expect(object.pages == 0)
            #expect(object.author == nil)
            #expect(object.tags.isEmpty)
            #expect(object.chapters.isEmpty)
            #expect(object.value(forKeyPath: "author.name") == nil)
            #expect(object.isFault)
            #expect(object.managedObjectContext == nil)
        }
        #expect(book.objectID == id)
        #expect(!book.hasChanges)
    }

    /// Proves: C21, L3
    @Test(
        "faults of a context that is gone have the attributes of their rows, and no objects", arguments: StoreKind.all,
        [true, false])
    func faultWithoutContext(store: StoreKind, isFetched: Bool) throws {
        let shop = try Bookshop(in: store)
        let saved = shop.book("Dune", by: shop.author("Ada"))
        try shop.context.save()
        var context: NSManagedObjectContext? = shop.stack.newContext()
        // A fetched fault has its row already.
        let fetched: [NSManagedObject] = try context?.fetch(Book.request()) ?? []
        let unread = context?.object(with: saved.objectID)
        let book = try #require((isFetched ? fetched.first : unread) as? Book)
        #expect(book.isFault)
        context = nil
        #expect(book.managedObjectContext == nil)
        #expect(book.title == "Dune")
        #expect(book.pages == 100)
        #expect(book.author == nil)
        #expect(book.tags.isEmpty)
    }

    /// Proves: C21
    @Test("the log says once that objects of an entity are read without a context")
    func logOfLostContext() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let shop = try Bookshop(in: .inMemory)
            let books = ["Dune", "Emma"].map { shop.book($0) }
            try shop.context.save()
            shop.context.reset()
            for book in books { _ = (book.title, book.pages) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "An object of the entity 'Book'").count == 2)
    }
}
