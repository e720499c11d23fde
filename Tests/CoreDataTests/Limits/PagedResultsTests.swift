// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of statements and objects of results that are read page by page.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: C8
@Suite("The cost of results page by page") struct PagedResultsTests {
    private static let rows = 100_000

    /// A hundred thousand books, inserted without a context.
    private static func shop() throws -> (Bookshop, StatementCounter) {
        let shop = try Bookshop(in: .sqlite)
        let opened = try #require(try (shop.stack.store as? SQLiteStore)?.opened())
        let number = try #require(opened.schema.entities.first { $0.layout.name == "Book" }?.number)
        try opened.pool.write { connection in
            _ = try connection.rows(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
                    + "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) "
                    + "SELECT i, \(number), 1, \(rows) - i, 'Book ' || i FROM n", [])
            _ = try connection.rows("UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_NAME = 'Book'", [])
        }
        try shop.stack.reopen()
        return (shop, try StatementCounter(shop.stack.store))
    }

    private static func request() -> NSFetchRequest<Book> {
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchBatchSize = 250
        return request
    }

    @Test("a statement for the keys, one for each page; no more objects than pages kept, one more page, and changes")
    func root() throws {
        let (shop, counter) = try Self.shop()
        let context = shop.context
        func selects() -> Int { counter.statements.count { $0.hasPrefix("SELECT") } }
        let results = try context.fetchPaged(Self.request())
        #expect(selects() == 1)
        #expect(results.count == Self.rows)
        #expect(context.registeredObjects.isEmpty)
        var (most, index) = (0, 0)
        for book in results {
            if book.pages != index { Issue.record("\(book.pages) at \(index)") }
            if index % 499 == 0 { most = max(most, context.registeredObjects.count) }
            index += 1
        }
        #expect(selects() == 1 + Self.rows / 250)
        #expect(most <= 1_001)
        #expect(most >= 500)
        // Random access reads a page each time.
        let before = selects()
        for place in [5, 50_000, 99_999, 50_001, 7] { #expect(results[place].pages == place) }
        #expect(selects() - before <= 3)
    }

    @Test("one change among many looks for its place, and nothing else is read")
    func changed() throws {
        let (shop, counter) = try Self.shop()
        func selects() -> Int { counter.statements.count { $0.hasPrefix("SELECT") } }
        let late = shop.book("Late", pages: 77_777)
        let results = try shop.context.fetchPaged(Self.request())
        #expect(selects() <= 20)
        #expect(results.count == Self.rows + 1)
        // After those with as many pages: it is the newest.
        #expect(results[77_778] === late)
        #expect(shop.context.registeredObjects.count <= 260)
    }

    @Test("a child of a child reads a page with one statement")
    func children() throws {
        let (shop, counter) = try Self.shop()
        func selects() -> Int { counter.statements.count { $0.hasPrefix("SELECT") } }
        let root = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        grandchild.parent = child
        let (pages, most) = try grandchild.performAndWait {
            let results = try grandchild.fetchPaged(Self.request(), keptPages: 2)
            let pages = results.prefix(5_000).map(\.pages)
            return (pages, grandchild.registeredObjects.count)
        }
        #expect(pages == Array(0..<5_000))
        #expect(selects() == 1 + 20)
        #expect(most <= 500)
        #expect(root.performAndWait { root.registeredObjects.isEmpty })
        #expect(child.performAndWait { child.registeredObjects.isEmpty })
    }

    @Test("a page that cannot be read throws where that can be, else it is nil and the next save throws")
    func failure() throws {
        let (shop, _) = try Self.shop()
        let context = shop.context
        let results = try context.fetchPaged(Self.request())
        let opened = try #require(try (shop.stack.store as? SQLiteStore)?.opened())
        try opened.pool.write { _ = try $0.rows("ALTER TABLE ZBOOK RENAME TO ZAWAY", []) }
        #expect(throws: CocoaError.self) { try results.object(at: 300) }
        try context.save()
        #expect(results[300].title == nil)
        #expect(throws: CocoaError.self) { try context.save() }
        try opened.pool.write { _ = try $0.rows("ALTER TABLE ZAWAY RENAME TO ZBOOK", []) }
        context.rollback()
        #expect(results[300].pages == 300)
        try context.save()
    }
}
