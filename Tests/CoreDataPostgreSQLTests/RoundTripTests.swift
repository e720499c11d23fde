// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits on the round trips to the server: to another machine, each one costs the network's time.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

extension Book {
    fileprivate var published: Date? { value(forKey: "published") as? Date }
}

/// Bounds, and no measurements: the numbers are the same on every machine.
@Suite("Crossings of the line to a PostgreSQL server", .needsServer) struct RoundTripTests {
    private static var oneConnection: [AnyHashable: Any] { [NSPersistentStoreConnectionPoolMaxSizeKey: 1] }

    private static func stack(_ options: [AnyHashable: Any] = [:], people: Int = 0) throws -> Stack {
        let stack = try Stack(
            .postgresql, NamedModel.make(), options: oneConnection.merging(options) { $1 })
        for number in 0..<people { stack.insert("Named").setValue("\(number)", forKey: "name") }
        if people > 0 { try stack.context.save() }
        return stack
    }

    private static func request(_ name: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        if let name { request.predicate = NSPredicate(format: "name == %@", name) }
        return request
    }

    @Test("a look-up is one, a count is one, and so are all rows once their statement is prepared") func fetches()
        throws
    {
        let stack = try Self.stack(people: 200)
        let context = stack.newContext()
        let lookUp = Self.request("7")
        lookUp.fetchLimit = 1
        let found = try stack.crossings { try context.fetch(lookUp).count }
        #expect((found.count, found.result) == (1, 1))
        let counted = try stack.crossings { try context.count(for: Self.request()) }
        #expect((counted.count, counted.result) == (1, 200))
        let first = try stack.crossings { try stack.newContext().fetch(Self.request()).count }
        #expect(first.result == 200)
        #expect(first.count <= 2)
        let second = try stack.crossings { try stack.newContext().fetch(Self.request()).count }
        #expect((second.count, second.result) == (1, 200))
    }

    @Test("groups by a month with condition, order and limit are one, and groups by quarters") func groups() throws {
        let stack = try Stack(.postgresql, BookshopModel.make(), options: Self.oneConnection)
        for number in 0..<300 {
            let book = stack.insert("Book")
            book.setValue("Book \(number)", forKey: "title")
            book.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400 * 7), forKey: "published")
        }
        try stack.context.save()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let months = try stack.crossings {
            try stack.context.aggregate(
                Book.self, by: .month(\.published, in: calendar), having: { $0.count > 3 },
                sort: { [$0.count.descending] }, limit: 2
            ) { $0.count }
        }
        #expect(months.result.map(\.value) == [5, 5])
        #expect(months.count == 1)
        let statement = try #require(months.statements.first { $0.contains("GROUP BY") })
        #expect(statement.contains("width_bucket"))
        #expect(statement.contains(" HAVING "))
        #expect(statement.contains(" LIMIT "))
        let quarters = try stack.crossings {
            try stack.context.aggregate(
                Book.self, by: .quarter(\.published, in: calendar),
                .component(.quarter, of: \.published, in: calendar)
            ) { $0.count }
        }
        #expect(quarters.result.map(\.value).reduce(0, +) == 300)
        #expect(quarters.count == 1)
    }

    @Test("a save of one object is two, of an object with a history three") func saves() throws {
        for (options, limit) in [([:], 2), ([NSPersistentHistoryTrackingKey: true], 3)] {
            let stack = try Self.stack(options, people: 1)
            let object = try #require(try stack.context.fetch(Self.request()).first)
            object.setValue("new", forKey: "name")
            #expect(try stack.crossings { try stack.context.save() }.count == limit)
            _ = stack.insert("Named")
            #expect(try stack.crossings { try stack.context.save() }.count == limit)
            stack.context.delete(object)
            #expect(try stack.crossings { try stack.context.save() }.count == limit)
        }
    }

    @Test("a save of many objects is three: keys, rows, COMMIT") func many() throws {
        let stack = try Self.stack()
        for number in 0..<12_000 { stack.insert("Named").setValue("\(number)", forKey: "name") }
        let saved = try stack.crossings { try stack.context.save() }
        #expect(saved.count <= 3)
        #expect(saved.statements.filter { $0.hasPrefix("INSERT INTO") && $0.contains("unnest") }.count == 2)
        let update = NSBatchUpdateRequest(entityName: "Named")
        update.propertiesToUpdate = ["nickname": "x"]
        #expect(try stack.crossings { try stack.context.execute(update) }.count <= 4)
    }

    @Test("a fault is one, and its further values none") func faults() throws {
        let stack = try Self.stack(people: 1)
        let request = Self.request()
        request.includesPropertyValues = false
        let context = stack.newContext()
        let object = try #require(try context.fetch(request).first)
        (stack.store as? PostgreSQLStore)?.rowCache.forgetAll()
        let fired = try stack.crossings { object.value(forKey: "name") as? String }
        #expect(fired.count == 1)
        #expect(fired.result == "0")
        #expect(try stack.crossings { object.value(forKey: "nickname") as? String }.count == 0)
    }
}
