// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States in which context a fetch request executes itself.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Requests that execute themselves") struct CurrentContextSpecification {
    private static func titles(_ request: NSFetchRequest<Book>) -> Result<[String], any Error> {
        Result { try request.execute().compactMap(\.title) }
    }

    @Test("the context of the running block gives the results, unsaved changes included", arguments: StoreKind.all)
    func current(kind: StoreKind) async throws {
        let shop = try Bookshop(in: kind)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let waited = context.performAndWait {
            shop.book("Dune", in: context)
            return Self.titles(Book.request())
        }
        #expect(try waited.get() == ["Dune"])
        let later = await context.perform { Self.titles(Book.request()) }
        #expect(try later.get() == ["Dune"])
    }

    @Test("in a block within a block it is the inner context", arguments: StoreKind.all)
    func nested(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let outer = shop.stack.newContext(.privateQueueConcurrencyType)
        let inner = shop.stack.newContext(.privateQueueConcurrencyType)
        let found = outer.performAndWait {
            shop.book("Outer", in: outer)
            let within = inner.performAndWait {
                shop.book("Inner", in: inner)
                return Self.titles(Book.request())
            }
            return [within, Self.titles(Book.request())]
        }
        #expect(try found.map { try $0.get() } == [["Inner"], ["Outer"]])
    }

    /// Decided by `NSFetchRequest.execute()` outside of a context's queue: an exception, or an error.
    @Test("outside of a block it is an error that names the remedy", .tags(.assumed))
    func none() throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        context.performAndWait { _ = shop.book("Dune", in: context) }
        let error = #expect(throws: CocoaError.self) { try Self.titles(Book.request()).get() }
        #expect((error as NSError?)?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains("perform") == true)
    }

    @Test("the kinds of requests have Apple's numbers")
    func numbers() {
        let types: [NSPersistentStoreRequestType] = [
            .fetchRequestType, .saveRequestType, .batchInsertRequestType, .batchUpdateRequestType,
            .batchDeleteRequestType,
        ]
        #expect(types.map(\.rawValue) == [1, 2, 5, 6, 7])
    }
}
