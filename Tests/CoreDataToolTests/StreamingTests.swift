// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Large answers and stores with logs: in bounded memory, in place, and without leftover files.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Large answers") struct StreamingTests {
    private final class Counter: RowSink {
        let store: OpenedStore
        let last: Int
        var count = 0
        var most = 0

        init(_ store: OpenedStore, last: Int = .max) { (self.store, self.last) = (store, last) }

        func begin(_ head: QueryResult.Header) {}
        func add(_ row: QueryResult.Row) throws {
            count += 1
            most = max(most, store.context.registeredObjects.count)
            if count == last { throw OutputFailure("Nobody reads.", isClosed: true) }
        }
        func end(_ count: Int) {}
    }

    @Test("the objects of a page are held, not those of the whole answer")
    func pages() throws {
        let garage = try Garage(cars: 6 * Query.pageSize)
        let store = try garage.open()
        let counter = Counter(store)
        try Query(entityName: "Car").run(on: store, into: counter)
        #expect(counter.count == 6 * Query.pageSize)
        #expect(counter.most <= 2 * Query.pageSize + 2, "\(counter.most) objects at once")
    }

    @Test("members that are only counted are not read")
    func counts() throws {
        let garage = try Garage(cars: 200)
        let store = try garage.open()
        let counter = Counter(store)
        try Query(entityName: "Person", selection: ["cars.@count"]).run(on: store, into: counter)
        #expect(counter.count == 2 && counter.most <= 2, "\(counter.most) objects at once")
    }

    @Test("a reader that goes away ends the query")
    func closedOutput() throws {
        let garage = try Garage(cars: 5)
        let store = try garage.open()
        let counter = Counter(store, last: 2)
        #expect(throws: OutputFailure.self) { try Query(entityName: "Car").run(on: store, into: counter) }
        #expect(counter.count == 2)
    }

    @Test("a store with a log is read in place, without new files next to it even while it is open", .needsFixtures)
    func inPlace() throws {
        let folder = try TemporaryFolder()
        let logs = FixtureStores.names.filter {
            FileManager.default.fileExists(atPath: FixtureStores.root.appendingPathComponent("stores/\($0)-wal").path)
        }
        #expect(!logs.isEmpty)
        for name in logs {
            let url = try folder.store(name)
            let before = try folder.contents
            let place = try ReadLocation(of: url, isWritten: false)
            let opened = try OpenedStore(url)
            _ = try ModelSummary(store: opened)
            #expect(place.isInPlace && place.url.path == url.resolvingSymlinksInPath().path)
            #expect(try folder.contents == before, "\(name)")
        }
    }

    @Test("commits of a program at work are read")
    func programAtWork() throws {
        let garage = try Garage(cars: 5)
        let writer = try Connection(url: garage.url)
        try writer.execute("UPDATE ZCAR SET ZNAME = 'changed' WHERE Z_PK = 1")
        #expect(try garage.cars("name == 'changed'") == ["changed"])
        #expect(try writer.value("SELECT count(*) FROM ZCAR") == .integer(5))
        try writer.close()
    }

    @Test("a transaction that a dead program left is undone in a copy, which goes; messages name the store")
    func unfinishedTransaction() throws {
        let garage = try Garage(cars: 5)
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Garage.sqlite")
        try Self.kill(garage.url, copiedTo: url)
        let before = try folder.contents
        var opened: OpenedStore? = try OpenedStore(url)
        let place = try ReadLocation(of: url, isWritten: false)
        #expect(!place.isInPlace)
        let store = try #require(opened)
        #expect(try Query(entityName: "Car", format: "name BEGINSWITH 'car'").count(on: store) == 5)
        let message = OpeningTests.message { try place.naming { throw ToolError("\(place.url.path) is odd.") } }
        #expect(message == "\(url.path) is odd.")
        opened = nil
        #expect(try folder.contents == before)
    }

    /// Copies a database as a program leaves it that is killed in the midst of a transaction in rollback mode.
    static func kill(_ url: URL, copiedTo copy: URL) throws {
        let connection = try Connection(url: url)
        try connection.setJournalMode(.delete)
        try connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
        try connection.execute("CREATE TABLE filler (b); UPDATE ZCAR SET ZNAME = 'half'")
        for _ in 0..<200 { try connection.execute("INSERT INTO filler VALUES (zeroblob(4000))") }
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        try connection.execute("ROLLBACK")
        try connection.close()
    }
}
