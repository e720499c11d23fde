// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results that are read page by page: those of a fetch, in its order, few objects at a time.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: C3, C4, C5, C7, C8
@MainActor @Suite("Results page by page") struct PagedResultsSpecification {
    private static func request(_ size: Int = 5, _ change: (NSFetchRequest<Book>) -> Void = { _ in })
        -> NSFetchRequest<Book>
    {
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchBatchSize = size
        change(request)
        return request
    }

    private static func shop(_ kind: StoreKind, books count: Int) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        for number in 0..<count { shop.book("Book \(number)", pages: number) }
        try shop.context.save()
        shop.context.reset()
        return shop
    }

    @Test("they are those of a fetch, and few objects are there at a time", arguments: StoreKind.all)
    func bounded(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 103)
        let results = try shop.context.fetchPaged(Self.request(), keptPages: 2)
        #expect(results.count == 103)
        #expect(results.pageSize == 5)
        #expect(shop.context.registeredObjects.isEmpty)
        var pages: [Int] = []
        var most = 0
        for book in results {
            pages.append(book.pages)
            most = max(most, shop.context.registeredObjects.count)
        }
        #expect(pages == Array(0..<103))
        #expect(most <= 11)
        #expect(results.reversed().map(\.pages) == Array((0..<103).reversed()))
        #expect(results[50].title == "Book 50")
        #expect(results[50] === results[50])
        #expect(try results.object(at: 102).pages == 102)
        #expect(results.dropFirst(100).map(\.pages) == [100, 101, 102])
        #expect(try results.objectID(at: 7) == shop.context.fetch(Self.request())[7].objectID)
    }

    @Test("the pages that were used last are kept, as many as the program wants", arguments: StoreKind.all)
    func keptPages(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 30)
        let results = try shop.context.fetchPaged(Self.request(), keptPages: 2)
        for index in [0, 5, 1, 10] { #expect(results[index].pages == index) }
        let kept = shop.context.registeredObjects.compactMap { ($0 as? Book)?.pages }
        #expect(kept.sorted() == Array(0..<5) + Array(10..<15))
    }

    @Test("all settings of the request count: predicate, direction, window, values at once", arguments: StoreKind.all)
    func requests(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 40)
        let changes: [(NSFetchRequest<Book>) -> Void] = [
            { $0.predicate = NSPredicate(format: "pages < 12 OR pages == 30") },
            { $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)] },
            { ($0.fetchOffset, $0.fetchLimit) = (7, 9) },
            { $0.fetchOffset = 38 },
            { $0.fetchOffset = 400 },
            { $0.predicate = NSPredicate(value: false) },
            { $0.predicate = NSPredicate { object, _ in (object as? Book)?.pages ?? 0 > 20 } },
            { $0.predicate = NSPredicate(format: "FUNCTION(title, 'length') > 6") },
        ]
        for change in changes {
            let request = Self.request(4, change)
            let expected = try shop.context.fetch(request).map(\.pages)
            #expect(try shop.context.fetchPaged(request).map(\.pages) == expected, "\(request)")
        }
        let whole = try shop.context.fetchPaged(Self.request { $0.returnsObjectsAsFaults = false })
        #expect(!whole[3].isFault)
        let faults = try shop.stack.newContext().fetchPaged(Self.request())
        #expect(faults[3].isFault)
    }

    /// Proves: C8
    @Test("objects that have values take those of the store when the request says so", arguments: StoreKind.all)
    func refreshed(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 12)
        let held = try shop.context.fetch(Self.request(0))
        let titles = held.map(\.title)
        held[7].setValue(3.0, forKey: "rating")
        let other = shop.stack.newContext()
        for book in try other.fetch(Book.request()) { book.title = "new" }
        try other.save()
        let stale = try shop.context.fetchPaged(Self.request())
        #expect(stale.map(\.title) == titles)
        let results = try shop.context.fetchPaged(Self.request { $0.shouldRefreshRefetchedObjects = true })
        #expect(results[6] === held[6])
        #expect(held[5...9].map(\.title) == Array(repeating: "new", count: 5))
        #expect(held[0].title == titles[0])
        #expect(held[7].value(forKey: "rating") as? Double == 3)
        #expect(results.map(\.title) == Array(repeating: "new", count: 12))
    }

    @Test("unsaved changes count as they were at the time of the fetch", arguments: StoreKind.all)
    func pendingChanges(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 60)
        let books = try shop.context.fetch(Self.request())
        books[10].pages = 1_000
        books[11].pages = 25
        shop.context.delete(books[20])
        shop.book("New", pages: 33)
        shop.book("Last", pages: 2_000)
        for descending in [false, true] {
            for (offset, limit) in [(0, 0), (9, 20), (50, 0)] {
                let request = Self.request(7) { request in
                    request.predicate = NSPredicate(format: "pages != 12")
                    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: !descending)]
                    (request.fetchOffset, request.fetchLimit) = (offset, limit)
                }
                let expected = try shop.context.fetch(request).map(\.objectID)
                let results = try shop.context.fetchPaged(request)
                #expect(results.map(\.objectID) == expected)
                #expect(results.indices.map { results.objectID(at: $0) } == expected)
            }
        }
        let results = try shop.context.fetchPaged(Self.request())
        let before = results.map(\.title)
        shop.book("Too late", pages: 1)
        try shop.context.save()
        #expect(results.map(\.title) == before)
        #expect(results.indices.allSatisfy { !results.objectID(at: $0).isTemporaryID })
        #expect(results.last?.title == "Last")
    }

    @Test("more changes than not are put in order as well", arguments: StoreKind.all)
    func manyChanges(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 50)
        for book in try shop.context.fetch(Self.request()) where book.pages % 3 != 0 { book.pages = 200 - book.pages }
        let request = Self.request {
            $0.sortDescriptors = [
                NSSortDescriptor(key: "inPrint", ascending: true), NSSortDescriptor(key: "pages", ascending: false),
            ]
        }
        let expected = try shop.context.fetch(request).map(\.pages)
        #expect(try shop.context.fetchPaged(request).map(\.pages) == expected)
    }

    @Test("a child has its own changes and those of its parents in one order", arguments: StoreKind.all)
    func children(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 60)
        let root = shop.stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = root
        let theirs = try root.fetch(Self.request())
        theirs[5].pages = 41
        root.delete(theirs[7])
        shop.book("Root's", pages: 11, in: root)
        let own = try child.fetch(Self.request())
        own[0].pages = 300
        shop.book("Child's", pages: 12, in: child)
        let request = Self.request(8)
        let expected = try child.fetch(request).map(\.objectID)
        let results = try child.fetchPaged(request, keptPages: 2)
        #expect(results.map(\.objectID) == expected)
        #expect(results.map(\.pages) == (try child.fetch(request).map(\.pages)))
        #expect(results.contains { $0.title == "Root's" && !$0.isInserted })
        #expect(results.contains { $0.title == "Child's" && $0.isInserted })
        try child.save()
        try root.save()
        #expect(results.contains { $0.title == "Root's" })
        #expect(results.indices.allSatisfy { !results[$0].objectID.isTemporaryID })
    }

    @Test("a record deleted after the fetch is an inaccessible fault in its place", arguments: StoreKind.all)
    func deleted(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 30)
        let context = shop.stack.newContext()
        let results = try context.fetchPaged(Self.request())
        #expect(results[0].pages == 0)
        let doomed = try shop.context.fetch(
            Self.request { $0.predicate = NSPredicate(format: "pages IN {12, 13, 29}") })
        for book in doomed { shop.context.delete(book) }
        try shop.context.save()
        #expect(results.count == 30)
        #expect(results[11].title == "Book 11")
        #expect(results[12].title == nil)
        #expect(results[12].isDeleted)
        #expect(results[29].title == nil)
        #expect(results[28].title == "Book 28")
    }

    @Test("after a reset, and for other holders, objects are as always", arguments: StoreKind.all)
    func reset(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 30)
        let results = try shop.context.fetchPaged(Self.request())
        let held = results[2]
        for index in results.indices { _ = results[index].pages }
        #expect(results[2] === held)
        shop.context.reset()
        #expect(results[2] !== held)
        #expect(results.map(\.pages) == Array(0..<30))
    }

    @Test("objects of subentities and of several stores are in one order", arguments: StoreKind.all)
    func mixed(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let second = try firm.stack.coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil,
            at: kind.isPersistent ? kind.place(firm.stack.folder.appending(path: "Second.sqlite")) : nil, options: nil)
        for number in 0..<5 {
            let person = firm.insert(number % 2 == 0 ? "Manager" : "Person", ["name": "p\(number)", "number": number])
            firm.context.assign(person, to: second)
        }
        try firm.context.save()
        for key in ["number", "name", "age"] {
            for ascending in [true, false] {
                let request = Firm.request("Person")
                request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
                request.fetchBatchSize = 3
                let expected = try firm.context.fetch(request)
                let results = try firm.newContext().fetchPaged(request)
                #expect(results.map(\.objectID) == expected.map(\.objectID), "\(key)")
                #expect(results.map(\.entity.name) == expected.map(\.entity.name))
                #expect(Firm.names(Array(results)) == Firm.names(expected))
            }
        }
    }

    @Test("requests without objects, and names that the model lacks, are errors", arguments: StoreKind.all)
    func errors(kind: StoreKind) throws {
        let shop = try Self.shop(kind, books: 3)
        let wrong: [(NSFetchRequest<Book>) -> Void] = [
            { $0.resultType = .countResultType }, { $0.resultType = .dictionaryResultType },
            { $0.predicate = NSPredicate(format: "titel == 'x'") },
            { $0.entity = shop.stack.model.entitiesByName["Author"] },
        ]
        shop.author("Lem")
        try shop.context.save()
        for (number, change) in wrong.enumerated() {
            let request = Self.request {
                $0.sortDescriptors = nil
                change($0)
            }
            let error = #expect(throws: CocoaError.self, "\(number)") { try shop.context.fetchPaged(request) }
            #expect((error as NSError?)?.code == NSCoreDataError)
        }
    }

    @Test("an invalid index traps with a sentence") func places() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            _ = try shop.context.fetchPaged(Book.request())[0]
        }
    }
}
