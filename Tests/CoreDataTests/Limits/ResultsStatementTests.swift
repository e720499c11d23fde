// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A results controller reads the stores once: the number of statements of its events does not depend on the results.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Statements of results controllers") struct ResultsStatementTests {
    /// Proves: R11, R22
    @Test("changes of the context's own objects read nothing from the store", arguments: [0, 20])
    func ownChanges(limit: Int) throws {
        let shop = try Bookshop(in: .sqlite)
        let books = (100..<400).map { shop.book("B\($0)", pages: $0 % 10) }
        try shop.context.save()
        let (controller, log) = try followed(shop, in: shop.context, limit: limit)
        let counter = try StatementCounter(shop.stack.store)
        for number in 0..<10 {
            books[number].title = "Z\(number)"
            shop.book("A\(number)")
            books[number + 20].pages = 11
            shop.context.processPendingChanges()
        }
        #expect(counter.statements.isEmpty)
        #expect(log.take().filter { $0 == "did" }.count == 10)
        withExtendedLifetime(controller) {}
    }

    /// Proves: R24
    @Test("a merge reads the rows of all its objects at once")
    func merges() throws {
        let few = try mergeStatements(10)
        let many = try mergeStatements(300)
        #expect(many == few)
        #expect(many <= 4)
    }

    private func mergeStatements(_ count: Int) throws -> Int {
        let shop = try Bookshop(in: .sqlite)
        let books = (0..<count).map { shop.book("B\($0)", pages: 1) }
        try shop.context.save()
        let context = shop.stack.newContext()
        let (controller, log) = try followed(shop, in: context, limit: 0)
        for book in books { book.pages = 2 }
        try shop.context.save()
        (shop.stack.store as? SQLiteStore)?.rowCache.forgetAll()
        let counter = try StatementCounter(shop.stack.store)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: books.map(\.objectID)], into: [context])
        #expect(log.take().filter { $0.hasPrefix("move") }.count == count)
        withExtendedLifetime(controller) {}
        return counter.statements.count
    }

    private func followed(_ shop: Bookshop, in context: NSManagedObjectContext, limit: Int) throws -> (
        NSFetchedResultsController<Book>, ResultsLog
    ) {
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = limit
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "pages", cacheName: nil)
        let log = ResultsLog(by: "title")
        controller.delegate = log
        try controller.performFetch()
        return (controller, log)
    }
}
