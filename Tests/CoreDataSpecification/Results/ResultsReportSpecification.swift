// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which changes of its context a results controller reports, and in which order.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Reports of results") struct ResultsReportSpecification {
    /// A shop with saved books.
    private func shop(_ store: StoreKind, _ titles: String...) throws -> (Bookshop, [Book]) {
        let shop = try Bookshop(in: store)
        let books = titles.map { shop.book($0) }
        try shop.context.save()
        return (shop, books)
    }

    /// Proves: R11, R12, F121
    @Test("one pair around all that one event changes", arguments: StoreKind.all)
    func pair(store: StoreKind) throws {
        let (shop, books) = try self.shop(store, "A", "B")
        let shelf = try Shelf(shop)
        shop.book("C")
        shop.context.delete(books[0])
        books[1].pages = 7
        #expect(shelf.log.take() == [])
        #expect(
            shelf.reports() == ["will", "delete A at 0.0", "insert C to 0.1", "update B from 0.1 to 0.0", "did"])
        #expect(shelf.log.former == [books])
        try shop.context.save()
        #expect(shelf.reports() == [])
        #expect(shelf.titles == ["B", "C"])
    }

    /// Proves: R11
    @Test("from the section reports on, the results are the new ones", arguments: StoreKind.forResults)
    func results(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("A", pages: 1)
        try shop.context.save()
        let shelf = try Shelf(shop, sections: "pages")
        var seen: [[String]] = []
        shelf.log.onReport = { [unowned shelf] _ in seen.append(shelf.sections) }
        shop.book("B", pages: 2)
        #expect(shelf.reports() == ["will", "insert section 1 2 of 1", "insert B to 1.0", "did"])
        #expect(seen == [["1:A"], ["1:A", "2:B"], ["1:A", "2:B"], ["1:A", "2:B"]])
        shelf.log.onReport = { _ in }
    }

    /// Proves: R11
    @Test("a save, a fetch and the end of a block are ends of events", arguments: StoreKind.forResults)
    func ends(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let shelf = try Shelf(shop)
        shop.book("A")
        try shop.context.save()
        #expect(shelf.log.take() == ["will", "insert A to 0.0", "did"])
        shop.book("B")
        _ = try shop.context.fetch(Book.request())
        #expect(shelf.log.take() == ["will", "insert B to 0.1", "did"])
        try shop.context.save()
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let counts = QueueCounts()
        await context.perform {
            let request = Book.request()
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let log = ResultsLog(by: "title")
            controller.delegate = log
            (counts.controller, counts.log) = (controller, log)
            counts.error = (try? controller.performFetch()) == nil
            Book(context: context).title = "C"
        }
        #expect(!counts.error)
        #expect(counts.log?.reports == ["will", "insert C to 0.2", "did"])
        await context.perform { (counts.controller, counts.log) = (nil, nil) }
    }

    private final class QueueCounts: @unchecked Sendable {  // used by one block after another
        var controller: NSFetchedResultsController<Book>?
        var log: ResultsLog?
        var error = false
    }

    /// Proves: R13
    @Test("a change at the same place is an update, with the place it has now", arguments: StoreKind.forResults)
    func update(store: StoreKind) throws {
        let (shop, books) = try self.shop(store, "B", "C", "D")
        let shelf = try Shelf(shop)
        books[1].pages = 1
        #expect(shelf.reports() == ["will", "update C from 0.1 to 0.1", "did"])
        books[1].pages = 2
        shop.book("A")
        #expect(shelf.reports() == ["will", "insert A to 0.0", "update C from 0.1 to 0.2", "did"])
    }

    /// Proves: R14
    @Test("a change of place is a move, and others that make room are silent", arguments: StoreKind.forResults)
    func move(store: StoreKind) throws {
        let (shop, books) = try self.shop(store, "B", "D", "F", "H")
        let shelf = try Shelf(shop)
        books[0].title = "G"
        #expect(shelf.reports() == ["will", "move G from 0.0 to 0.2", "did"])
        books[1].title = "E"
        #expect(shelf.reports() == ["will", "update E from 0.0 to 0.0", "did"])
        #expect(shelf.titles == ["E", "F", "G", "H"])
        // Two objects that swap their places: one of them moves.
        (books[1].title, books[2].title) = ("F", "E")
        let reports = shelf.reports()
        #expect(reports.count == 4)
        #expect(reports.filter { $0.hasPrefix("move") }.count == 1)
        #expect(shelf.titles == ["E", "F", "G", "H"])
    }

    /// Proves: R15, R16, R17, F122
    @Test("sections first, then deletions, insertions, moves, updates", arguments: StoreKind.forResults)
    func order(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let titles = ["A1", "A2", "B1", "B2", "C1", "D1", "D2"]
        let books = Dictionary(uniqueKeysWithValues: titles.map { ($0, shop.book($0, pages: Int($0.utf8.first ?? 0))) })
        try shop.context.save()
        let shelf = try Shelf(shop, by: ["pages", "title"], sections: "pages")
        #expect(shelf.sections == ["65:A1,A2", "66:B1,B2", "67:C1", "68:D1,D2"])
        for title in ["A1", "A2", "C1"] { if let book = books[title] { shop.context.delete(book) } }
        shop.book("E2", pages: 69)
        shop.book("E1", pages: 69)
        shop.book("B0", pages: 66)
        books["D2"]?.title = "D0"
        books["B2"]?.setValue(1.5, forKey: "rating")
        #expect(
            shelf.reports() == [
                "will", "delete section 2 67 of 0", "delete section 0 65 of 0", "insert section 2 69 of 2",
                "delete C1 at 2.0", "delete A2 at 0.1", "delete A1 at 0.0", "insert B0 to 0.0", "insert E1 to 2.0",
                "insert E2 to 2.1", "move D0 from 3.1 to 1.0", "update B2 from 1.1 to 0.2", "did",
            ])
        #expect(shelf.sections == ["66:B0,B1,B2", "68:D0,D1", "69:E1,E2"])
    }

    /// Proves: R17
    @Test("inserted sections ascend, moves and updates go by their new paths", arguments: StoreKind.forResults)
    func severalOfEach(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = Dictionary(
            uniqueKeysWithValues: ["A", "B", "C", "D", "E"].map { ($0, shop.book($0, pages: 5)) })
        try shop.context.save()
        let shelf = try Shelf(shop, by: ["pages", "title"], sections: "pages")
        // In another order than the reports.
        shop.book("G", pages: 9)
        shop.book("F", pages: 1)
        books["B"]?.pages = 9
        books["A"]?.pages = 1
        for title in ["E", "C", "D"] { books[title]?.setValue(1.5, forKey: "rating") }
        #expect(
            shelf.reports() == [
                "will", "insert section 0 1 of 2", "insert section 2 9 of 2", "insert F to 0.1", "insert G to 2.1",
                "move A from 0.0 to 0.0", "move B from 0.1 to 2.0", "update C from 0.2 to 1.0",
                "update D from 0.3 to 1.1", "update E from 0.4 to 1.2", "did",
            ])
    }

    /// Proves: R18
    @Test("a move stays one where its section goes or comes", arguments: StoreKind.forResults)
    func moveOfSections(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (a, b) = (shop.book("A", pages: 1), shop.book("B", pages: 2))
        try shop.context.save()
        let shelf = try Shelf(shop, by: ["pages"], sections: "pages")
        a.pages = 2
        #expect(shelf.reports() == ["will", "delete section 0 1 of 0", "move A from 0.0 to 0.0", "did"])
        b.pages = 3
        #expect(shelf.reports() == ["will", "insert section 1 3 of 1", "move B from 0.1 to 1.0", "did"])
        a.pages = 4
        #expect(
            shelf.reports() == [
                "will", "delete section 0 2 of 0", "insert section 1 4 of 1", "move A from 0.0 to 1.0", "did",
            ])
    }

    @Test(
        "a change of a related object is reported where it changes a value that the request reads",
        arguments: StoreKind.forResults)
    func related(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (first, second) = (shop.author("A"), shop.author("B"))
        shop.book("Dune", by: first)
        shop.book("Emma", by: second)
        try shop.context.save()
        let sorted = try Shelf(shop, by: ["author.name"])
        let matching = try Shelf(shop, "author.name != 'X'")
        first.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "born")
        #expect(sorted.reports() == [] && matching.reports() == [])
        first.name = "A"
        #expect(sorted.reports() == [] && matching.reports() == [])
        first.name = "C"
        #expect(sorted.reports() == ["will", "move Dune from 0.0 to 0.1", "did"])
        #expect(matching.reports() == ["will", "update Dune from 0.0 to 0.0", "did"])
        first.name = "X"
        #expect(sorted.reports() == ["will", "update Dune from 0.1 to 0.1", "did"])
        #expect(matching.reports() == ["will", "delete Dune at 0.0", "did"])
    }

    /// Proves: R19, F123
    @Test("coming to match inserts, ceasing to match deletes, all else is silent", arguments: StoreKind.forResults)
    func membership(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (long, short) = (shop.book("Long", pages: 900), shop.book("Short", pages: 9))
        let author = shop.author("Ada")
        try shop.context.save()
        let shelf = try Shelf(shop, "pages > 100")
        short.pages = 101
        long.pages = 99
        #expect(shelf.reports() == ["will", "delete Long at 0.0", "insert Short to 0.0", "did"])
        long.pages = 1
        author.name = "Bob"
        shop.tag("new")
        shop.context.delete(long)
        #expect(shelf.reports() == [])
    }

    /// Proves: R20
    @Test("subentities belong to the results or not, as the request says", arguments: StoreKind.forResults)
    func subentities(store: StoreKind) throws {
        let company = try Company(in: store)
        let log = ResultsLog(by: "name")
        func controller(_ entity: String, _ includesSubentities: Bool) throws -> NSFetchedResultsController<Person> {
            let request = NSFetchRequest<Person>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.includesSubentities = includesSubentities
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: company.context, sectionNameKeyPath: nil, cacheName: nil)
            controller.delegate = log
            try controller.performFetch()
            return controller
        }
        func reports() -> [String] {
            company.manager("Mary")
            company.employee("Eve")
            company.context.processPendingChanges()
            return log.take().filter { $0.hasPrefix("insert") }
        }
        let whole = try controller("Person", true)
        #expect(reports() == ["insert Eve to 0.0", "insert Mary to 0.1"])
        whole.delegate = nil
        let employees = try controller("Employee", false)
        #expect(reports() == ["insert Eve to 0.1"])
        employees.delegate = nil
        let managers = try controller("Manager", true)
        #expect(reports() == ["insert Mary to 0.2"])
        managers.delegate = nil
    }

    /// Proves: R25
    @Test("a refresh reports updates and moves", arguments: StoreKind.forResults)
    func refresh(store: StoreKind) throws {
        let (shop, books) = try self.shop(store, "A", "B", "C")
        let shelf = try Shelf(shop)
        shop.context.refresh(books[1], mergeChanges: true)
        #expect(shelf.reports() == ["will", "update B from 0.1 to 0.1", "did"])
        shop.context.refresh(books[1], mergeChanges: false)
        #expect(shelf.reports() == ["will", "update B from 0.1 to 0.1", "did"])
        let other = shop.stack.newContext()
        let theirs = try #require(try other.existingObject(with: books[0].objectID) as? Book)
        theirs.title = "D"
        try other.save()
        shop.context.refreshAllObjects()
        #expect(
            shelf.reports() == [
                "will", "move D from 0.0 to 0.2", "update B from 0.1 to 0.0", "update C from 0.2 to 0.1", "did",
            ])
    }

    /// Decided by the calls of an `NSFetchedResultsControllerDelegate` during `rollback()` and `undo()`.
    /// Proves: R27
    @Test(
        "rollback and undo report the objects that they bring back and take away", .tags(.assumed),
        arguments: StoreKind.forResults)
    func takenBack(store: StoreKind) throws {
        let (shop, books) = try self.shop(store, "A", "B")
        let (a, b) = (books[0], books[1])
        let shelf = try Shelf(shop)
        shop.book("C")
        shop.context.delete(a)
        b.title = "D"
        _ = shelf.reports()
        #expect(shelf.titles == ["C", "D"])
        shop.context.rollback()
        let reports = shelf.reports()
        #expect(reports.filter { $0.hasPrefix("delete") }.count == 1)
        #expect(
            reports.filter { !$0.hasPrefix("delete") } == [
                "will", "insert A to 0.0", "update B from 0.1 to 0.1", "did",
            ])
        #expect(shelf.titles == ["A", "B"])
        shop.context.undoManager = UndoManager()
        b.title = "E"
        _ = shelf.reports()
        shop.context.undo()
        #expect(shelf.reports() == ["will", "update B from 0.1 to 0.1", "did"])
        shop.book("F")
        shop.context.delete(a)
        _ = shelf.reports()
        #expect(shelf.titles == ["B", "F"])
        shop.context.undo()
        #expect(shelf.reports() == ["will", "delete F at 0.1", "insert A to 0.0", "did"])
        #expect(shelf.titles == ["A", "B"])
    }

    /// Proves: R30
    @Test("controllers do not disturb each other, and released ones are silent", arguments: StoreKind.forResults)
    func lifetimes(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let first = try Shelf(shop)
        var second: Shelf? = try Shelf(shop, "pages > 100")
        let log = try #require(second?.log)
        shop.book("A", pages: 200)
        #expect(first.reports() == ["will", "insert A to 0.0", "did"])
        #expect(log.take() == ["will", "insert A to 0.0", "did"])
        log.forgetController()
        second = nil
        shop.book("B", pages: 200)
        #expect(first.reports() == ["will", "insert B to 0.1", "did"])
        #expect(log.take() == [])
        var delegate: ResultsLog? = ResultsLog(by: "title")
        weak let held = delegate
        first.controller.delegate = delegate
        delegate = nil
        #expect(held == nil)
        #expect(first.controller.delegate == nil)
        shop.book("C", pages: 200)
        shop.context.processPendingChanges()
        withExtendedLifetime(second) {}
    }

    /// Decided by the calls of an `NSFetchedResultsControllerDelegate` that changes objects in
    /// `controller(_:didChange:…)`.
    /// Proves: R32
    @Test("changes of a delegate are reported afterwards", .tags(.assumed), arguments: StoreKind.forResults)
    func nested(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let shelf = try Shelf(shop)
        shelf.log.onReport = { report in
            if report == "insert A to 0.0" {
                shop.book("B")
                shop.context.processPendingChanges()
            }
        }
        shop.book("A")
        #expect(
            shelf.reports() == ["will", "insert A to 0.0", "did", "will", "insert B to 0.1", "did"])
    }

    @Test("the delegate's controller equals the one that was made", arguments: StoreKind.forResults)
    func face(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let shelf = try Shelf(shop)
        let book = shop.book("A")
        _ = shelf.reports()
        let face = try #require(shelf.log.controller)
        #expect(shelf.controller.isEqual(face))
        #expect(face == shelf.controller)
        #expect(face.hash == shelf.controller.hash)
        #expect(face.fetchRequest.entityName == "Book")
        #expect(face.indexPath(forObject: book) == IndexPath(item: 0, section: 0))
        #expect(try !Shelf(shop).controller.isEqual(face))
    }
}
