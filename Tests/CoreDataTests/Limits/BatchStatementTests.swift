// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The number of statements and the memory of batch requests do not depend on the number of records.

import CAllocationCounter
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: B2, B26
@Suite("Statements of batch requests") struct BatchStatementTests {
    private func shop(_ count: Int) throws -> Bookshop {
        let shop = try Bookshop(in: .sqlite)
        let tag = shop.tag("t")
        for number in 0..<count {
            let book = shop.book("\(number)", pages: number)
            book.tags = [tag]
            book.chapters = [Chapter(context: shop.context)]
        }
        try shop.context.save()
        return shop
    }

    /// The statements that read or write rows.
    private func statements(_ shop: Bookshop, _ request: NSPersistentStoreRequest) throws -> [String] {
        let counter = try StatementCounter(shop.stack.store)
        try shop.context.execute(request)
        return counter.statements.filter { text in
            ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { text.hasPrefix($0) }
        }
    }

    @Test("an update is one statement") func update() throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 3")
        request.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1"), "inPrint": false]
        request.resultType = .updatedObjectIDsResultType
        #expect(try statements(shop(20), request).count == 1)
    }

    @Test("a deletion is one statement, and one more for each relationship and wave", arguments: [5, 500])
    func deletion(count: Int) throws {
        let books = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        #expect(try statements(shop(count), NSBatchDeleteRequest(fetchRequest: books)).count == 3)
        let chapters = NSFetchRequest<any NSFetchRequestResult>(entityName: "Chapter")
        #expect(try statements(shop(count), NSBatchDeleteRequest(fetchRequest: chapters)).count == 1)
    }

    @Test("an insertion writes 32 rows with one statement") func insertion() throws {
        let rows = (0..<96).map { ["title": "\($0)"] }
        let request = NSBatchInsertRequest(entityName: "Book", objects: rows)
        let statements = try statements(shop(0), request)
        #expect(statements.filter { $0.hasPrefix("INSERT") }.count == 3)
        #expect(statements.count <= 8)
    }

    /// Proves: B20
    @Test(
        "a handler's rows take no more memory when there are many",
        .enabled(if: ocd_counts_allocations() && !PortableMode.isOn), arguments: [false, true])
    func memory(records: Bool) throws {
        let (few, many) = (try mostBytes(2_000, records: records), try mostBytes(20_000, records: records))
        // 18,000 retained rows would take about 5 MB.
        #expect(many - few < 1_000_000)
    }

    /// The greatest number of bytes that this thread has allocated while a handler gives its rows.
    private func mostBytes(_ count: Int, records: Bool) throws -> Int64 {
        let stack = try Stack(
            .sqlite, BookshopModel.make(),
            options: [NSPersistentHistoryTrackingKey: records, NSSQLitePragmasOption: ["cache_size": "-100"]])
        let start = ocd_allocated_bytes()
        var (number, most) = (0, Int64(0))
        let request = NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
            number += 1
            book.setValue("the title of book \(number)", forKey: "title")
            most = max(most, ocd_allocated_bytes() - start)
            return number > count
        }
        try stack.context.execute(request)
        #expect(try stack.context.count(for: Book.request()) == count)
        return most
    }
}
