// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the requests of a fetch to an incremental store, and the valid results.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Fetches of incremental stores") struct IncrementalFetchTests {
    private func saved() throws -> ShelfShop {
        let shop = try ShelfShop()
        for (title, pages) in [("Dune", 600), ("Emma", 400), ("Ubik", 200)] { shop.book(title, pages: pages) }
        try shop.context.save()
        return shop
    }

    private func request(_ format: String = "pages > 300") -> NSFetchRequest<Book> {
        let request = Book.request()
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        return request
    }

    @Test("a store that can only list records answers objects, ids, counts and dictionaries")
    func listing() throws {
        let shop = try saved()
        let context = shop.newContext()
        #expect(try context.fetch(request()).map(\.title) == ["Emma", "Dune"])
        #expect(try context.count(for: request()) == 2)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        ids.fetchLimit = 1
        #expect(try context.fetch(ids).map(shop.store.reference) == ["Book 3"])
        let sums = NSFetchRequest<NSDictionary>(entityName: "Book")
        sums.resultType = .dictionaryResultType
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(format: "sum:(pages)")
        sum.expressionResultType = .integer64AttributeType
        sums.propertiesToFetch = [sum]
        #expect(try context.fetch(sums).first?["sum"] as? Int == 1200)
    }

    @Test("dictionaries are computed from ids, and taken over from a store that computes them")
    func dictionaries() throws {
        let shop = try saved()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", "pages"]
        let book = shop.store.id("Book 1")
        shop.store.answer = { request, _ in request is NSSaveChangesRequest ? nil : [book] }
        #expect(try shop.newContext().fetch(request) == [["title": "Dune", "pages": 600]])
        shop.store.answer = { request, _ in
            request is NSSaveChangesRequest ? nil : [["title": "Emma", "pages": NSNull()] as [String: Any]]
        }
        #expect(try shop.newContext().fetch(request) == [["title": "Emma"]])
    }

    @Test(
        "a store learns the next reads: prefetched relationships, batches, and whether faults will do")
    func hints() throws {
        let shop = try saved()
        let request = request()
        _ = try shop.newContext().fetch(request)
        let plain = try #require(shop.store.requests.last as? NSFetchRequest<any NSFetchRequestResult>)
        #expect(plain.relationshipKeyPathsForPrefetching == nil)
        #expect(plain.fetchBatchSize == 0 && plain.returnsObjectsAsFaults)
        request.relationshipKeyPathsForPrefetching = ["author"]
        request.fetchBatchSize = 20
        request.returnsObjectsAsFaults = false
        let found = try shop.newContext().fetch(request)
        #expect(found.map(\.title) == ["Emma", "Dune"])
        let asked = shop.store.requests.compactMap { $0 as? NSFetchRequest<any NSFetchRequestResult> }
        let hinted = try #require(asked.last { $0.entity?.name == "Book" })
        #expect(hinted.relationshipKeyPathsForPrefetching == ["author"])
        #expect(hinted.fetchBatchSize == 20 && !hinted.returnsObjectsAsFaults)
    }

    @Test("unsaved changes are laid over the store's result, which is then fetched without a window")
    func overlay() throws {
        let shop = try saved()
        let emma = try #require(try shop.context.fetch(request("title == 'Emma'")).first)
        emma.pages = 10
        shop.book("Iliad", pages: 900)
        let request = request()
        request.fetchLimit = 1
        request.fetchOffset = 1
        #expect(try shop.context.fetch(request).map(\.title) == ["Dune"])
        let asked = try #require(shop.store.requests.last as? NSFetchRequest<any NSFetchRequestResult>)
        #expect(asked.fetchLimit == 0 && asked.fetchOffset == 0)
        #expect(asked.predicate?.evaluate(with: ["pages": 301]) == true)
        #expect(asked.entity?.name == "Book")
    }

    @Test("objects in predicates come as ids, and are found")
    func objectArguments() throws {
        let shop = try saved()
        let author = Author(context: shop.context)
        author.name = "Herbert"
        try shop.context.fetch(request("title == 'Dune'")).first?.author = author
        try shop.context.save()
        let request = Book.request()
        request.predicate = NSPredicate(format: "author == %@", author)
        #expect(try shop.context.fetch(request).map(\.title) == ["Dune"])
        let asked = try #require(shop.store.requests.last as? NSFetchRequest<any NSFetchRequestResult>)
        let comparison = try #require(asked.predicate as? CoreData.NSComparisonPredicate)
        #expect(comparison.rightExpression.constantValue as? NSManagedObjectID == author.objectID)
    }

    @Test("a store may answer with objects of the context it is given, with a number, with dictionaries")
    func ownAnswers() throws {
        let shop = try saved()
        let id = shop.store.id("Book 2")
        shop.store.answer = { request, context in
            guard let request = request as? NSFetchRequest<any NSFetchRequestResult> else { return nil }
            switch request.resultType {
            case .countResultType: return [NSNumber(value: 7)]
            case .dictionaryResultType: return [["title": "Emma", "pages": NSNull()] as [String: Any]]
            default: return [context!.object(with: id)]
            }
        }
        let context = shop.newContext()
        #expect(try context.fetch(Book.request()).map(\.title) == ["Emma"])
        #expect(try context.count(for: Book.request()) == 7)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        #expect(try context.fetch(dictionaries) == [["title": "Emma"]])
    }

    @Test("records that are gone when their values are read are left out")
    func gone() throws {
        let shop = try saved()
        let ids = ["Book 1", "Book 3"].map(shop.store.id)
        shop.store.records["Book 1"] = nil
        shop.store.answer = { request, _ in request is NSSaveChangesRequest ? nil : ids }
        let context = shop.newContext()
        #expect(try context.fetch(Book.request()).map(\.title) == ["Ubik"])
        let error = #expect(throws: CocoaError.self) { try context.existingObject(with: ids[0]) }
        #expect(error?.code == .managedObjectReferentialIntegrity)
    }

    @Test("relationships come from the answers of the store: to-ones, to-manys, ordered ones")
    func relationships() throws {
        let shop = try saved()
        let book = try #require(try shop.context.fetch(request("title == 'Dune'")).first)
        book.chapters = ["One", "Two", "Three"].map { heading in
            let chapter = Chapter(context: shop.context)
            chapter.heading = heading
            return chapter
        }
        let tag = Tag(context: shop.context)
        tag.name = "sand"
        book.tags = [tag]
        try shop.context.save()
        let context = shop.newContext()
        let other = try #require(try context.fetch(request("title == 'Dune'")).first)
        #expect(other.chapters.map(\.heading) == ["One", "Two", "Three"])
        #expect(other.tags.map(\.name) == ["sand"])
        #expect(other.tags.first?.books == [other])
        #expect(other.chapters.last?.book === other)
    }

    @Test("a request of a custom class reaches the store, and its result the caller")
    func ownRequests() throws {
        final class Inventory: NSPersistentStoreRequest {}
        final class Stock: NSPersistentStoreResult {}
        let shop = try saved()
        shop.store.answer = { request, _ in request is Inventory ? Stock() : nil }
        #expect(try shop.context.execute(Inventory()) is Stock)
        shop.store.answer = nil
        let error = #expect(throws: CocoaError.self) { try shop.context.execute(Inventory()) }
        #expect(error?.code == .persistentStoreUnsupportedRequestType)
    }

    @Test("the store learns of contexts' objects, and of their end")
    func registrations() throws {
        let shop = try saved()
        shop.context.reset()
        let id = shop.store.id("Book 1")
        func isTold(_ list: (ShelfStore) -> [NSManagedObjectID]) -> Bool {
            let end = Date(timeIntervalSinceNow: 20)
            while Date() < end {
                if shop.store.asking.withLock({ list(shop.store).contains(id) }) { return true }
                Thread.sleep(forTimeInterval: 0.002)
            }
            return false
        }
        shop.store.asking.withLock { (shop.store.registered, shop.store.unregistered) = ([], []) }
        let context = shop.newContext()
        var book: NSManagedObject? = context.object(with: id)
        let registered = isTold { $0.registered }
        #expect(registered)
        #expect(book != nil)
        book = nil
        let unregistered = isTold { $0.unregistered }
        #expect(unregistered)
    }
}
