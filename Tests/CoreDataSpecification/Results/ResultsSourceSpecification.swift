// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which changes elsewhere reach a results controller: of related objects, other contexts, parents, and windows.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Sources of results") struct ResultsSourceSpecification {
    /// Proves: R21
    @Test("changes of related objects move, insert and delete", arguments: StoreKind.forResults)
    func related(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
        shop.book("X", by: ada)
        shop.book("Y", by: bob)
        try shop.context.save()
        let sorted = try Shelf(shop, by: ["author.name"])
        let sectioned = try Shelf(shop, by: ["author.name"], sections: "author.name")
        let matching = try Shelf(shop, "author.name BEGINSWITH 'A'")
        ada.name = "Cid"
        #expect(sorted.reports() == ["will", "move X from 0.0 to 0.1", "did"])
        #expect(
            sectioned.reports() == [
                "will", "delete section 0 Ada of 0", "insert section 1 Cid of 1", "move X from 0.0 to 1.0", "did",
            ])
        #expect(matching.reports() == ["will", "delete X at 0.0", "did"])
        bob.setValue(Date(), forKey: "born")
        #expect(sorted.reports() + sectioned.reports() + matching.reports() == [])
        bob.name = "Ann"
        #expect(sorted.reports() == ["will", "update Y from 0.0 to 0.0", "did"])
        #expect(matching.reports() == ["will", "insert Y to 0.0", "did"])
        #expect(sectioned.sections == ["Ann:Y", "Cid:X"])
    }

    /// Proves: R21
    @Test("through to-manys, aggregates, subqueries, several steps", arguments: StoreKind.forResults)
    func far(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ada = shop.author("Ada")
        let (x, y) = (shop.book("X", pages: 1, by: ada), shop.book("Y", pages: 2, by: ada))
        let tag = shop.tag("old")
        x.tags = [tag]
        try shop.context.save()
        let predicates = [
            "ANY tags.name = 'new'", "SUBQUERY(tags, $t, $t.name = 'new').@count > 0", "author.books.@sum.pages > 10",
            "SUBQUERY(author.books, $b, $b.pages > 50).@count > 0",
        ]
        let shelves = try predicates.map { try Shelf(shop, $0) }
        tag.name = "new"
        y.pages = 100
        shop.context.processPendingChanges()
        #expect(shelves.map(\.titles) == [["X"], ["X"], ["X", "Y"], ["X", "Y"]])
        tag.name = "old"
        y.pages = 1
        shop.context.processPendingChanges()
        #expect(shelves.map(\.titles) == [[], [], [], []])
    }

    /// Proves: R21, R24
    @Test("related objects that another context changed", arguments: StoreKind.forResults)
    func relatedElsewhere(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ada = shop.author("Ada")
        shop.book("X", by: ada)
        try shop.context.save()
        let context = shop.stack.newContext()
        let shelf = try Shelf(shop, "author.name = 'Bob'", in: context)
        #expect(shelf.titles == [])
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        ada.name = "Bob"
        try shop.context.save()
        context.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
        #expect(shelf.reports() == ["will", "insert X to 0.0", "did"])
    }

    /// Proves: R22
    @Test("the results stay the window that a fetch gives", arguments: StoreKind.forResults)
    func window(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = ["B", "C", "D", "E", "F"].map { shop.book($0) }
        try shop.context.save()
        let shelf = try Shelf(shop) { ($0.fetchOffset, $0.fetchLimit) = (1, 2) }
        #expect(shelf.titles == ["C", "D"])
        shop.book("A")
        #expect(shelf.reports() == ["will", "delete D at 0.1", "insert B to 0.0", "did"])
        shop.context.delete(books[1])
        #expect(shelf.reports() == ["will", "delete C at 0.1", "insert D to 0.1", "did"])
        books[4].pages = 1
        #expect(shelf.reports() == [])
        books[0].title = "Z"
        #expect(shelf.reports() == ["will", "delete Z at 0.0", "insert E to 0.1", "did"])
        #expect(shelf.titles == ["D", "E"])
    }

    /// Proves: R22
    @Test("a window over many objects is filled up from the store", arguments: StoreKind.forResults)
    func refilled(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for number in 100..<400 { shop.book("B\(number)") }
        try shop.context.save()
        let context = shop.stack.newContext()
        let shelf = try Shelf(shop, in: context) { ($0.fetchOffset, $0.fetchLimit) = (2, 3) }
        #expect(context.registeredObjects.count < 100)
        for round in 0..<200 {
            let first = shelf.controller.object(at: IndexPath(item: round % 3, section: 0))
            if round.isMultiple(of: 2) { context.delete(first) } else { first.title = "Z\(round)" }
            context.processPendingChanges()
        }
        #expect(try shelf.titles == shop.titles(shelf.controller.fetchRequest, in: context))
        #expect(shelf.titles.count == 3)
    }

    /// Proves: R23
    @Test("an unsaved change of a related object counts from the fetch on", arguments: StoreKind.forResults)
    func unsavedRelations(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ada = shop.author("Ada")
        shop.book("X", by: ada)
        try shop.context.save()
        ada.name = "Bob"
        let shelf = try Shelf(shop, "author.name = 'Bob'")
        #expect(shelf.titles == ["X"])
        try shop.context.save()
        #expect(shelf.reports() == [])
        #expect(try shop.titles(shelf.controller.fetchRequest) == ["X"])
    }

    /// Proves: R24, F65, F124
    @Test("merges report registered objects, faults and strangers", arguments: StoreKind.forResults)
    func merges(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = ["A", "B", "C"].map { shop.book($0, pages: 200) }
        let small = shop.book("D", pages: 1)
        shop.book("E", pages: 1)
        try shop.context.save()
        let context = shop.stack.newContext()
        let shelf = try Shelf(shop, "pages > 100", in: context)
        let realized = try #require(shelf.controller.fetchedObjects?.first)
        #expect(realized.pages == 200)
        #expect(shelf.controller.fetchedObjects?.map(\.isFault) == [false, true, true])
        let saves = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: shop.context)
        books[0].title = "Z"
        shop.context.delete(books[1])
        books[2].pages = 300
        small.pages = 200
        shop.book("F", pages: 200)
        shop.book("G", pages: 1)
        try shop.context.save()
        context.mergeChanges(fromContextDidSave: try #require(saves.notifications.last))
        // The deleted object is a fault without a record, so it has no title.
        #expect(
            shelf.reports() == [
                "will", "delete - at 0.1", "insert D to 0.1", "insert F to 0.2", "move Z from 0.0 to 0.3",
                "update C from 0.2 to 0.0", "did",
            ])
        #expect(context.registeredObjects.filter { !$0.isDeleted }.count == 4)
    }

    /// Proves: R24
    @Test("a merge of ids by hand, and of faults without values", arguments: StoreKind.forResults)
    func remote(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = ["A", "B"].map { shop.book($0, pages: 200) }
        try shop.context.save()
        let context = shop.stack.newContext()
        let shelf = try Shelf(shop, "pages > 100", in: context)
        #expect(shelf.controller.fetchedObjects?.map(\.isFault) == [true, true])
        books[0].title = "C"
        books[1].pages = 1
        try shop.context.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: books.map(\.objectID)], into: [context])
        #expect(shelf.reports() == ["will", "delete B at 0.1", "update C from 0.0 to 0.0", "did"])
    }

    /// Proves: R24
    @Test("saves that the context merges automatically are reported", arguments: StoreKind.forResults)
    func automaticMerges(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("A")
        try shop.context.save()
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        context.automaticallyMergesChangesFromParent = true
        let shelf = try context.performAndWait { QueueShelf(try Shelf(shop, in: context)) }
        book.title = "C"
        shop.book("B")
        try shop.context.save()
        let reports = await context.perform { shelf.shelf?.reports() }
        #expect(reports == ["will", "insert B to 0.0", "update C from 0.0 to 0.1", "did"])
        await context.perform { shelf.shelf = nil }
    }

    /// Proves: R28
    @Test("a child sees its parent's unsaved state and its own changes", arguments: StoreKind.forResults)
    func child(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        child.automaticallyMergesChangesFromParent = true
        var (titles, reports): ([String], [[String]]) = ([], [])
        try child.performAndWait {
            let saved = parent.performAndWait {
                let book = Book(context: parent)
                book.title = "A"
                return book.objectID
            }
            let shelf = try Shelf(shop, in: child)
            titles = shelf.titles
            shop.book("B", in: child)
            reports.append(shelf.reports())
            try child.save()
            reports.append(shelf.reports())
            try child.existingObject(with: saved).setValue("C", forKey: "title")
            reports.append(shelf.reports())
            child.rollback()
            reports.append(shelf.reports())
        }
        #expect(titles == ["A"])
        #expect(
            reports == [
                ["will", "insert B to 0.1", "did"], [], ["will", "move C from 0.0 to 0.1", "did"],
                ["will", "move A from 0.1 to 0.0", "did"],
            ])
    }

    /// Proves: R28
    @Test("a child that merges sees its parent's later saves", arguments: StoreKind.forResults)
    func mergingChild(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        child.automaticallyMergesChangesFromParent = true
        nonisolated(unsafe) let bookshop = shop  // used by the child's queue from here on
        let shelf = try await child.perform { QueueShelf(try Shelf(bookshop, in: child)) }
        try await parent.perform {
            Book(context: parent).title = "A"
            try parent.save()
        }
        let titles = await child.perform { shelf.shelf?.titles }
        #expect(titles == ["A"])
        await child.perform { shelf.shelf = nil }
    }

    private final class QueueShelf: @unchecked Sendable {  // used only on the context's queue
        var shelf: Shelf?
        init(_ shelf: Shelf) { self.shelf = shelf }
    }
}
