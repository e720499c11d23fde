// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How often the line to the server is crossed: to another machine, each crossing costs the network's time.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Bounds, and no measurements: the numbers are the same on every machine.
@Suite("Crossings of the line to a PostgreSQL server", .needsServer) struct RoundTripTests {
    private static var oneConnection: [AnyHashable: Any] { [NSPersistentStoreConnectionPoolMaxSizeKey: 1] }

    /// Crossings of the store's only connection, without those that announce commits later, from another thread.
    private static func crossings<T>(_ stack: Stack, _ body: () throws -> T) throws -> (count: Int, result: T) {
        let notices = Mutex(0)
        let sessions = try stack.server.sessions
        sessions.observe { text in if text.contains("pg_notify") { notices.withLock { $0 += 1 } } }
        defer { sessions.observe(nil) }
        func count() throws -> Int {
            try sessions.with(repeats: false) { connection in connection.roundTrips - notices.withLock { $0 } }
        }
        let before = try count()
        let result = try body()
        return (try count() - before, result)
    }

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
        let found = try Self.crossings(stack) { try context.fetch(lookUp).count }
        #expect(found == (1, 1))
        let counted = try Self.crossings(stack) { try context.count(for: Self.request()) }
        #expect(counted == (1, 200))
        let first = try Self.crossings(stack) { try stack.newContext().fetch(Self.request()).count }
        #expect(first.result == 200)
        #expect(first.count <= 2)
        let second = try Self.crossings(stack) { try stack.newContext().fetch(Self.request()).count }
        #expect(second == (1, 200))
    }

    @Test("a save of one object is two, of an object with a history three") func saves() throws {
        for (options, limit) in [([:], 2), ([NSPersistentHistoryTrackingKey: true], 3)] {
            let stack = try Self.stack(options, people: 1)
            let object = try #require(try stack.context.fetch(Self.request()).first)
            object.setValue("new", forKey: "name")
            #expect(try Self.crossings(stack) { try stack.context.save() }.count == limit)
            _ = stack.insert("Named")
            #expect(try Self.crossings(stack) { try stack.context.save() }.count == limit)
            stack.context.delete(object)
            #expect(try Self.crossings(stack) { try stack.context.save() }.count == limit)
        }
    }

    @Test("a save of many objects is three: keys, rows, COMMIT") func many() throws {
        let stack = try Self.stack()
        for number in 0..<12_000 { stack.insert("Named").setValue("\(number)", forKey: "name") }
        #expect(try Self.crossings(stack) { try stack.context.save() }.count <= 3)
        let update = NSBatchUpdateRequest(entityName: "Named")
        update.propertiesToUpdate = ["nickname": "x"]
        #expect(try Self.crossings(stack) { try stack.context.execute(update) }.count <= 4)
    }

    @Test("a fault is one, and its further values none") func faults() throws {
        let stack = try Self.stack(people: 1)
        let request = Self.request()
        request.includesPropertyValues = false
        let context = stack.newContext()
        let object = try #require(try context.fetch(request).first)
        (stack.store as? PostgreSQLStore)?.rowCache.forgetAll()
        let fired = try Self.crossings(stack) { object.value(forKey: "name") as? String }
        #expect(fired.count == 1)
        #expect(fired.result == "0")
        #expect(try Self.crossings(stack) { object.value(forKey: "nickname") as? String }.count == 0)
    }
}
