// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which objects a results controller shows after a fetch, and which requests it refuses.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Results of a controller") struct ResultsFetchingSpecification {
    /// Proves: R1, F120
    @Test("a fetch fills the results, silently, and may be repeated for another request", arguments: StoreKind.all)
    func fetching(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for title in ["B", "A", "C"] { shop.book(title, pages: title == "A" ? 9 : 1) }
        try shop.context.save()
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: nil, cacheName: nil)
        let log = ResultsLog(by: "title")
        controller.delegate = log
        #expect(controller.fetchedObjects == nil)
        #expect(controller.sections == nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.title) == ["A", "B", "C"])
        request.predicate = NSPredicate(format: "pages < 5")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        #expect(controller.fetchedObjects?.map(\.title) == ["A", "B", "C"])
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.title) == ["C", "B"])
        #expect(log.take() == [])
    }

    /// Proves: R2
    @Test(
        "an empty order is that of the first saves, unsaved objects last, and events keep it",
        arguments: StoreKind.all)
    func emptyOrder(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        var books: [Book] = []
        for (title, pages) in [("C", 1), ("A", 9), ("B", 1)] {
            books.append(shop.book(title, pages: pages))
            try shop.context.save()
        }
        let request = Book.request()
        request.sortDescriptors = []
        // An index, and a condition that may use it, change the order in which a store finds its rows.
        request.predicate = NSPredicate(format: "title >= 'A' AND title <= 'Z'")
        shop.book("X")
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: nil, cacheName: nil)
        let log = ResultsLog(by: "title")
        controller.delegate = log
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.title) == ["C", "A", "B", "X"])
        shop.book("Y")
        books[1].title = "D"
        shop.context.delete(books[0])
        shop.context.processPendingChanges()
        #expect(controller.fetchedObjects?.map(\.title) == ["D", "B", "X", "Y"])
        #expect(!log.take().isEmpty)
        try shop.context.save()
        #expect(Set(controller.fetchedObjects?.map(\.title) ?? []) == ["D", "B", "X", "Y"])
        #expect(controller.fetchedObjects?.prefix(2).map(\.title) == ["D", "B"])
        for (position, book) in (controller.fetchedObjects ?? []).enumerated() {
            #expect(controller.indexPath(forObject: book) == IndexPath(item: position, section: 0))
        }
    }

    @Test(
        "a window stays full when a result moves far behind it, and when most objects are deleted",
        arguments: StoreKind.forResults)
    func longWindow(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = (100..<170).map { shop.book("\($0)") }
        try shop.context.save()
        let shelf = try Shelf(shop) { $0.fetchLimit = 2 }
        #expect(shelf.titles == ["100", "101"])
        books[0].title = "999"
        shop.context.processPendingChanges()
        #expect(shelf.titles == ["101", "102"])
        for book in books[1..<60] { shop.context.delete(book) }
        shop.context.processPendingChanges()
        #expect(shelf.titles == ["160", "161"])
        for book in books[60..<69] { shop.context.delete(book) }
        shop.context.processPendingChanges()
        #expect(shelf.titles == ["169", "999"])
    }

    /// Proves: R2, R8
    @Test("an empty order may be cut and have sections", arguments: StoreKind.forResults)
    func emptyOrderParts(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for number in 0..<6 {
            shop.book("B\(number)", pages: number % 2)
            try shop.context.save()
        }
        let request = Book.request()
        request.sortDescriptors = []
        (request.fetchOffset, request.fetchLimit) = (1, 4)
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: "pages", cacheName: nil)
        let log = ResultsLog(by: "title")
        controller.delegate = log
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["1", "0"])
        #expect(controller.fetchedObjects?.map(\.title) == ["B1", "B3", "B2", "B4"])
        request.fetchBatchSize = 2
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.title) == ["B1", "B3", "B2", "B4"])
        if let first = try shop.context.fetch(Book.request()).first(where: { $0.title == "B1" }) {
            shop.context.delete(first)
        }
        shop.context.processPendingChanges()
        #expect(Set(controller.fetchedObjects?.map(\.title) ?? []) == ["B2", "B3", "B4", "B5"])
    }

    /// Proves: R2
    @Test("a request without sort descriptors is a mistake of the program; one that loses them later throws")
    func unordered() async throws {
        let shop = try Bookshop(in: .inMemory)
        let request = Book.request()
        request.sortDescriptors = []
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: nil, cacheName: nil)
        request.sortDescriptors = nil
        #expect(throws: CocoaError.self) { try controller.performFetch() }
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            _ = NSFetchedResultsController(
                fetchRequest: Book.request(), managedObjectContext: shop.context, sectionNameKeyPath: nil,
                cacheName: nil)
        }
    }

    /// Proves: R2
    @Test("bad requests throw, and the results before stay", arguments: StoreKind.forResults)
    func refused(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("A")
        let shelf = try Shelf(shop)
        let request = shelf.controller.fetchRequest
        request.predicate = NSPredicate(format: "colour = 1")
        #expect(throws: CocoaError.self) { try shelf.controller.performFetch() }
        request.predicate = nil
        request.resultType = .managedObjectIDResultType
        #expect(throws: CocoaError.self) { try shelf.controller.performFetch() }
        request.resultType = .managedObjectResultType
        #expect(shelf.titles == ["A"])
        for path in ["colour", "author.colour", "tags.name", "title.length"] {
            let other = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: path, cacheName: nil)
            #expect(throws: CocoaError.self, "\(path)") { try other.performFetch() }
            #expect(other.sections == nil)
        }
        shop.book("B")
        #expect(shelf.reports() == ["will", "insert B to 0.1", "did"])
    }

    /// Proves: R3
    @Test("paths and objects are inverse to each other", arguments: StoreKind.forResults)
    func paths(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for number in 0..<40 { shop.book("B\(number)", pages: number % 3) }
        let shelf = try Shelf(shop, "pages < 2", sections: "pages")
        for (section, info) in (shelf.controller.sections ?? []).enumerated() {
            for item in 0..<info.numberOfObjects {
                let path = IndexPath(item: item, section: section)
                #expect(shelf.controller.indexPath(forObject: shelf.controller.object(at: path)) == path)
            }
        }
        let outside = try #require(try shop.context.fetch(Book.request()).first { $0.pages == 2 })
        #expect(shelf.controller.indexPath(forObject: outside) == nil)
    }

    /// Proves: R3
    @Test("a path beyond the results is a mistake of the program")
    func beyond() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = try Shelf(try Bookshop(in: .inMemory))
            _ = shelf.controller.object(at: IndexPath(item: 7, section: 0))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("There is no object at [0, 7]: the sections have [0] objects."))
    }

    /// Proves: R26, F124
    @Test("a reset is not reported, and a fetch makes the controller good again", arguments: StoreKind.forResults)
    func reset(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("A")
        try shop.context.save()
        let shelf = try Shelf(shop)
        shop.context.reset()
        shop.book("B")
        #expect(shelf.reports() == [])
        try shelf.controller.performFetch()
        #expect(shelf.titles == ["A", "B"])
        shop.book("C")
        #expect(shelf.reports() == ["will", "insert C to 0.2", "did"])
    }

    /// Proves: R29
    @Test("without a delegate nothing is followed", arguments: StoreKind.forResults)
    func unfollowed(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("A")
        let shelf = try Shelf(shop)
        shelf.controller.delegate = nil
        try shelf.controller.performFetch()
        shop.book("B")
        shop.context.processPendingChanges()
        #expect(shelf.titles == ["A"])
        shelf.controller.delegate = shelf.log
        shop.book("C")
        #expect(shelf.reports() == [])
        #expect(shelf.titles == ["A"])
        try shelf.controller.performFetch()
        shop.book("D")
        #expect(shelf.reports() == ["will", "insert D to 0.3", "did"])
        #expect(shelf.titles == ["A", "B", "C", "D"])
    }

    /// Proves: R31, F125
    @Test("an array of results stays as it is", arguments: StoreKind.forResults)
    func copies(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("A")
        let shelf = try Shelf(shop, sections: "title")
        let objects = try #require(shelf.controller.fetchedObjects)
        let section = try #require(shelf.controller.sections?.first)
        shop.context.delete(book)
        shop.book("B")
        #expect(shelf.reports().count == 6)
        #expect(objects == [book])
        #expect(section.numberOfObjects == 1)
        #expect(section.objects?.first as? Book === book)
        #expect(shelf.titles == ["B"])
    }

    /// Proves: R33
    @Test("with a batch size objects stay faults", arguments: StoreKind.forResults, [nil, "pages", "author.name"])
    func batches(store: StoreKind, sections: String?) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        for number in 0..<100 { shop.book("B\(100 + number)", pages: number / 30, by: author) }
        try shop.context.save()
        let context = shop.stack.newContext()
        let keys = sections.map { [$0, "title"] } ?? ["title"]
        let shelf = try Shelf(shop, by: keys, sections: sections, in: context) { $0.fetchBatchSize = 10 }
        let objects = try #require(shelf.controller.fetchedObjects)
        #expect(objects.count == 100)
        #expect(objects.filter { !$0.isFault }.count <= 20)
        #expect(shelf.controller.sections?.map(\.numberOfObjects) == (sections == "pages" ? [30, 30, 30, 10] : [100]))
        objects[55].title = "A"
        let section = sections == "pages" ? 1 : 0
        let item = sections == "pages" ? 25 : 55
        #expect(shelf.reports() == ["will", "move A from \(section).\(item) to \(section).0", "did"])
    }

    /// Proves: R4, R33
    @Test(
        "a batch size changes no section", arguments: StoreKind.forResults,
        [["rating", "title"], ["-rating", "title"], ["title"], ["-pages", "-title"], ["published", "pages"]])
    func batchedSections(store: StoreKind, keys: [String]) throws {
        let shop = try Bookshop(in: store)
        for number in 0..<60 {
            let book = shop.book("B\(100 + number)", pages: number % 4)
            book.setValue(number % 5 == 0 ? nil : Double(number % 5), forKey: "rating")
        }
        try shop.context.save()
        for key in ["rating", "pages", "title"] {
            for predicate in [nil, "pages > 1"] {
                let (one, other) = (shop.stack.newContext(), shop.stack.newContext())
                let plain = try Shelf(shop, predicate, by: keys, sections: key, in: one)
                let batched = try Shelf(shop, predicate, by: keys, sections: key, in: other) { $0.fetchBatchSize = 7 }
                #expect(batched.sections == plain.sections)
                #expect(plain.sections.count > 1)
            }
        }
    }

    /// Proves: R34
    @Test("the name of a cache changes no answer", arguments: StoreKind.forResults)
    func caches(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for number in 0..<4 { shop.book("B\(number)", pages: number / 2) }
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        func sections(_ key: String?) throws -> [Int] {
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: key, cacheName: "Books")
            try controller.performFetch()
            #expect(controller.cacheName == "Books")
            return controller.sections?.map(\.numberOfObjects) ?? []
        }
        #expect(try sections("pages") == [2, 2])
        request.predicate = NSPredicate(format: "pages = 1")
        #expect(try sections("pages") == [2])
        #expect(try sections(nil) == [2])
        shop.book("B9", pages: 1)
        #expect(try sections("pages") == [3])
        try shop.context.save()
        #expect(try sections("pages") == [3])
        NSFetchedResultsController<Book>.deleteCache(withName: "Unknown")
        NSFetchedResultsController<Book>.deleteCache(withName: nil)
        #expect(try sections("title") == [1, 1, 1])
        NSFetchedResultsController<Book>.deleteCache(withName: "Books")
        #expect(try sections("pages") == [3])
    }
}
