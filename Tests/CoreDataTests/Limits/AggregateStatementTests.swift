// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a query with groups, condition, order and limit is one statement of SQLite.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

extension Book {
    fileprivate var published: Date? { value(forKey: "published") as? Date }
    fileprivate var price: Decimal? { value(forKey: "price") as? Decimal }
}

@Suite("Statements of an aggregate query") struct AggregateStatementTests {
    @Test("groups by a month with condition, order and limit are one statement, and few rows")
    func statement() throws {
        let shop = try Bookshop(in: .sqlite)
        for number in 0..<300 {
            let book = shop.book("Book \(number)", pages: number)
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400 * 7), forKey: "published")
        }
        try shop.context.save()
        let counter = try StatementCounter(shop.stack.store)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let months = try shop.context.aggregate(
            Book.self, by: .month(\.published, in: calendar), having: { $0.count > 3 },
            sort: { [$0.count.descending, $0.sum(\.pages).descending] }, limit: 2
        ) { ($0.count, $0.average(\.price)) }
        #expect(months.map(\.value.0) == [5, 5])
        let statements = counter.statements.filter { $0.hasPrefix("SELECT") }
        #expect(statements.count == 1)
        let statement = try #require(statements.first)
        #expect(statement.contains("GROUP BY OCD_DATE_PART("))
        #expect(statement.contains(" HAVING "))
        #expect(statement.contains(" ORDER BY "))
        #expect(statement.contains(" LIMIT "))
    }

    @Test("groups by quarters of any calendar are one statement") func quarters() throws {
        let shop = try Bookshop(in: .sqlite)
        for number in 0..<12 {
            let date = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400 * 31)
            shop.book("Book \(number)").setValue(date, forKey: "published")
        }
        try shop.context.save()
        for identifier in [Calendar.Identifier.gregorian, .persian] {
            var calendar = Calendar(identifier: identifier)
            calendar.timeZone = .gmt
            let counter = try StatementCounter(shop.stack.store)
            let groups = try shop.context.aggregate(
                Book.self, by: .quarter(\.published, in: calendar),
                .component(.quarter, of: \.published, in: calendar)
            ) { $0.count }
            #expect(groups.map(\.value).reduce(0, +) == 12 && groups.count >= 4)
            #expect(counter.statements.filter { $0.hasPrefix("SELECT") }.count == 1)
        }
    }

    @Test("an order by means of decimals is one statement, without a limit")
    func means() throws {
        let shop = try Bookshop(in: .sqlite)
        for number in 0..<9 { shop.book("\(number % 3)").setValue(NSDecimalNumber(value: number), forKey: "price") }
        try shop.context.save()
        let counter = try StatementCounter(shop.stack.store)
        let groups = try shop.context.aggregate(
            Book.self, by: \.title, sort: { [$0.average(\.price).descending] }, limit: 1
        ) { $0.average(\.price) }
        #expect(groups.map(\.value) == [5])
        let statements = counter.statements.filter { $0.hasPrefix("SELECT") }
        #expect(statements.count == 1)
        #expect(statements.allSatisfy { !$0.contains(" LIMIT ") })
    }
}
