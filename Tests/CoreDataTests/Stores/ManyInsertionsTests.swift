// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Indexes of a table that one save fills: made of all rows at once, the same ones as before, whatever happens.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Documentation/Internals/Saving.md, "Many insertions at once". `pages` has an index, as the author has.
@Suite("A save that fills a table") struct ManyInsertionsTests {
    private let stack: Stack
    private let many = TableIndexes.leastInsertions

    init() throws {
        let model = BookshopModel.make()
        let book = try #require(model.entitiesByName["Book"])
        let pages = try #require(book.propertiesByName["pages"])
        let element = NSFetchIndexElementDescription(property: pages, collationType: .binary)
        book.indexes = [NSFetchIndexDescription(name: "byPages", elements: [element])]
        stack = try Stack(.sqlite, model)
    }

    private func insert(_ count: Int) {
        let author = Author(context: stack.context)
        author.name = "Ada"
        for number in 0..<count {
            let book = Book(context: stack.context)
            book.title = "Book \(number)"
            book.pages = number * 7919 % count
            if number % 1_000 == 0 { book.author = author }
        }
    }

    private func statements(of body: () throws -> Void) throws -> [String] {
        let counter = try StatementCounter(stack.store)
        try body()
        return counter.statements
    }

    private func indexes(_ connection: Connection) throws -> Set<[String]> {
        let rows = try connection.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index'")
        return Set(rows.map { $0.map { $0.textValue ?? "" } })
    }

    /// Saving-I1
    @Test("sorts the keys of each index once, and leaves the same indexes") func once() throws {
        let connection = try Connection(url: stack.url)
        let before = try indexes(connection)
        insert(many)
        let statements = try statements { try stack.context.save() }
        #expect(statements.filter { $0.hasPrefix("DROP INDEX") }.count == 2)
        #expect(statements.filter { $0.hasPrefix("CREATE INDEX") }.count == 2)
        #expect(try indexes(connection) == before)
        #expect(try connection.integrityCheck().isEmpty)
        let plan = try connection.queryPlan("SELECT Z_PK FROM ZBOOK WHERE ZPAGES = 5 ORDER BY Z_PK")
        #expect(plan.contains { $0.contains("USING COVERING INDEX Z_Book_byPages") }, "\(plan)")
        let request = Book.request()
        request.predicate = NSPredicate(format: "author.name == 'Ada' AND pages == 0")
        #expect(try stack.newContext().fetch(request).map(\.title) == ["Book 0"])
    }

    /// Saving-I1
    @Test("finds the place of each row in a table with rows, and for fewer insertions") func kept() throws {
        insert(many - 1)
        let fewer = try statements { try stack.context.save() }
        insert(many)
        let later = try statements { try stack.context.save() }
        #expect(!(fewer + later).contains { $0.hasPrefix("DROP INDEX") })
        #expect(try stack.newContext().count(for: Book.request()) == 2 * many - 1)
    }

    /// Saving-I1. One id is from before the table was full.
    @Test("counts the rows by the highest key, not by the first one") func earlierKeys() throws {
        insert(1)
        let early = try #require(stack.context.insertedObjects.first { $0 is Book })
        try stack.context.obtainPermanentIDs(for: [early])
        let other = stack.newContext()
        for number in 0..<many {
            let book = Book(context: other)
            book.title = "Other \(number)"
        }
        try other.save()
        insert(many)
        let statements = try statements { try stack.context.save() }
        #expect(!statements.contains { $0.hasPrefix("DROP INDEX") })
        #expect(try stack.newContext().count(for: Book.request()) == 2 * many + 1)
    }

    /// Saving-I2
    @Test("keeps the indexes of a table with a trigger") func triggers() throws {
        let connection = try Connection(url: stack.url)
        try connection.execute(
            """
            CREATE TABLE COUNTS(N INTEGER);
            CREATE TRIGGER COUNTING AFTER INSERT ON ZBOOK BEGIN
            INSERT INTO COUNTS SELECT count(*) FROM ZBOOK WHERE ZPAGES = NEW.ZPAGES; END;
            """)
        insert(many)
        let statements = try statements { try stack.context.save() }
        #expect(!statements.contains { $0.hasPrefix("DROP INDEX") })
        #expect(try connection.value("SELECT count(*) FROM COUNTS")?.integerValue == Int64(many))
    }

    /// Saving-I1, I4
    @Test(
        "leaves indexes and rows as they were where it fails: no room for the rows, or for an index",
        arguments: [0.5, 0.7, 0.9, 0.99])
    func noRoom(part: Double) throws {
        let whole = try ManyInsertionsTests()
        whole.insert(many)
        try whole.stack.context.save()
        let pages = try Connection(url: whole.stack.url).value("PRAGMA page_count")?.integerValue ?? 0
        insert(1)
        try stack.context.save()
        let connection = try Connection(url: stack.url)
        let before = try indexes(connection)
        try stack.reopen(options: [NSSQLitePragmasOption: ["max_page_count": Int(Double(pages) * part)]])
        insert(many)
        let error = #expect(throws: CocoaError.self) { try stack.context.save() }
        #expect(error?.code == .fileWriteOutOfSpace)
        #expect(stack.context.hasChanges)
        #expect(try indexes(connection) == before)
        #expect(try connection.integrityCheck().isEmpty)
        #expect(try stack.newContext().count(for: Book.request()) == 1)
        stack.context.rollback()
        insert(1)
        try stack.context.save()
    }

    /// Saving-I3
    @Test("makes the indexes last in a batch insertion, too", arguments: [true, false])
    func batch(isEmpty: Bool) throws {
        let connection = try Connection(url: stack.url)
        let before = try indexes(connection)
        if !isEmpty {
            insert(many)
            try stack.context.save()
        }
        let books = (0..<2 * many).map { ["title": "Book \($0)", "pages": $0] as [String: Any] }
        let statements = try statements {
            _ = try stack.context.execute(NSBatchInsertRequest(entity: Book.entity(), objects: books))
        }
        #expect(statements.filter { $0.hasPrefix("DROP INDEX") }.count == (isEmpty ? 2 : 0))
        #expect(try indexes(connection) == before)
        #expect(try connection.integrityCheck().isEmpty)
        #expect(try stack.newContext().count(for: Book.request()) == (isEmpty ? 2 : 3) * many)
    }

    /// Saving-I1
    @Test("shows other connections the table before it or after it") func readers() throws {
        let reader = try Connection(url: stack.url)
        let indexed = "SELECT count(*) FROM ZBOOK INDEXED BY Z_Book_byPages WHERE ZPAGES >= 0"
        try reader.begin(.deferred)
        #expect(try reader.value(indexed)?.integerValue == 0)
        insert(many)
        try stack.context.save()
        #expect(try reader.value(indexed)?.integerValue == 0)
        try reader.commit()
        #expect(try reader.value(indexed)?.integerValue == Int64(many))
    }
}
