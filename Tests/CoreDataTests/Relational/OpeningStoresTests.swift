// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which files open as a SQLite store, which are refused, and that a refused file stays as it is.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Opening SQLite stores") struct OpeningStoresTests {
    private func open(_ url: URL, _ library: Library, options: [AnyHashable: Any]? = nil) throws -> SQLiteStore {
        let store = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: url, options: options)
        try store.open(model: library.layout, entities: library.model.entities)
        return store
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test(
        "a folder, a text, a foreign database and a cut file are refused with 259 and stay as they are",
        arguments: [
            "folder", "text", "database", "cut",
        ])
    func refused(kind: String) throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent(kind)
        switch kind {
        case "folder": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        case "text": try Data(repeating: 65, count: 5000).write(to: url)
        case "database":
            let connection = try Connection(url: url)
            try connection.execute("CREATE TABLE x (y)")
            try connection.close()
        default:
            try library.store.close()
            try Data(contentsOf: library.url).prefix(6000).write(to: url)
        }
        let before = kind == "folder" ? nil : try Data(contentsOf: url)
        #expect(code { _ = try open(url, library) } == 259)
        #expect(try before == nil || Data(contentsOf: url) == before)
    }

    @Test("a file without bytes becomes a store") func empty() throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent("empty.sqlite")
        try Data().write(to: url)
        let store = try open(url, library)
        #expect(store.metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        try store.close()
    }

    @Test("the pragma of the page size holds for a new file, with the usual vacuum mode")
    func pageSize() throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent("small.sqlite")
        let store = try open(url, library, options: [NSSQLitePragmasOption: ["page_size": "1024"]])
        try store.close()
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        #expect(try connection.pageSize() == 1024)
        #expect(try connection.autoVacuum() == .incremental)
        try connection.close()
    }

    @Test("a database without tables becomes a store: a program that made one was killed", arguments: [true, false])
    func killedWhileMade(isWAL: Bool) throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent("killed.sqlite")
        let connection = try Connection(url: url)
        try connection.setPageSize(4096)
        try connection.setAutoVacuum(.incremental)
        if isWAL { try connection.setJournalMode(.wal) } else { try connection.setPragma("user_version", to: 0) }
        try connection.execute("CREATE TABLE x (y); DROP TABLE x")
        try connection.close()
        #expect(try Data(contentsOf: url).count > 0)
        #expect(code { _ = try open(url, library, options: [NSReadOnlyPersistentStoreOption: true]) } == 260)
        let store = try open(url, library)
        var changes = ChangeSet()
        changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
        #expect(try store.save(changes).isWritten)
        let identifier = try #require(store.identifier)
        try store.close()
        let again = try open(url, library)
        #expect(again.identifier == identifier)
        #expect(try again.rows([1], root: library.entity("Author"), in: nil).count == 1)
        try again.close()
    }

    @Test("a store that another process is making survives an opener whose wait times out") func madeByTwo() throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent("shared.sqlite")
        let other = try Connection(url: url)
        try other.setJournalMode(.wal)
        try other.begin(.immediate)
        try other.execute("CREATE TABLE Z_METADATA (x)")
        #expect(code { _ = try open(url, library, options: [NSPersistentStoreTimeoutOption: 0.1]) } != nil)
        try other.commit()
        #expect(try other.tableExists("Z_METADATA"))
        try other.close()
        let look = try Connection(url: url)
        #expect(try look.tableExists("Z_METADATA"))
        try look.close()
    }

    @Test(
        "a lock is waited for as long as the option says, five seconds without one",
        arguments: zip([0.1, 300, nil], [Duration.milliseconds(100), .seconds(300), .seconds(5)]))
    func timeouts(timeout: Double?, expected: Duration) throws {
        let library = try Library()
        let store = try open(
            library.folder.appendingPathComponent("timed.sqlite"), library,
            options: timeout.map { [NSPersistentStoreTimeoutOption: $0] })
        #expect(try store.opened().pool.write { $0.busyTimeout } == expected)
        try store.close()
    }

    @Test("a missing folder is an error, and opening read-only makes no store") func missing() throws {
        let library = try Library()
        let url = library.folder.appendingPathComponent("nowhere/x.sqlite")
        #expect(code { _ = try open(url, library) } == 260)
        let other = library.folder.appendingPathComponent("other.sqlite")
        #expect(code { _ = try open(other, library, options: [NSReadOnlyPersistentStoreOption: true]) } == 260)
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test("another model is refused with 134100, unless versions are to be ignored and the tables fit") func version()
        throws
    {
        let library = try Library()
        try library.store.close()
        let changed = library.model.copy() as! NSManagedObjectModel  // its own class
        changed.entitiesByName["Author"]!.versionHashModifier = "2"
        let before = try Data(contentsOf: library.url)
        func attempt(_ options: [AnyHashable: Any]?) throws -> SQLiteStore {
            let store = SQLiteStore(
                persistentStoreCoordinator: nil, configurationName: nil, at: library.url, options: options)
            try store.open(model: ModelLayout(entities: changed.entities), entities: changed.entities)
            return store
        }
        #expect(code { _ = try attempt(nil) } == 134_100)
        #expect(try Data(contentsOf: library.url) == before)
        try attempt([NSIgnorePersistentStoreVersioningOption: true]).close()
        try library.reopen()
    }

    /// Proves: F100
    @Test("a store opened read-only refuses to save with 513") func readOnly() throws {
        let library = try Library()
        try library.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        var changes = ChangeSet()
        changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
        #expect(code { _ = try library.store.save(changes) } == 513)
        #expect(library.store.isReadOnly)
        #expect(try library.keys("Author") == [])
    }

    @Test("metadata is kept, and read and replaced without opening the store") func metadata() throws {
        let library = try Library()
        let uuid = library.store.identifier
        var values = library.store.metadata!
        values["shelf"] = 7
        library.store.metadata = values
        #expect(try library.store.save(ChangeSet()).isWritten)
        try library.reopen()
        #expect(library.store.metadata["shelf"] as? Int == 7)
        #expect(library.store.identifier == uuid)
        try library.store.close()
        try SQLiteStore.setMetadata(["room": "b"], forPersistentStoreAt: library.url)
        let read = try SQLiteStore.metadataForPersistentStore(with: library.url)
        #expect(read["room"] as? String == "b")
        #expect(read["shelf"] == nil)
        #expect(read[NSStoreUUIDKey] as? String == uuid)
        #expect((read[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 4)
        try library.reopen()
    }

    @Test("a new store has Apple's settings, and a copy of its model") func settings() throws {
        let library = try Library()
        let connection = try Connection(url: library.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        #expect(try connection.pageSize() == 4096)
        #expect(try connection.autoVacuum() == .incremental)
        #expect(try connection.journalMode() == .wal)
        let cached = try CachedModel.read(connection)
        #expect(cached?.entityVersionHashesByName == library.model.entityVersionHashesByName)
        #expect(
            try connection.rows("SELECT Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
                ["Author", 0, 0], ["Book", 0, 0], ["Novel", 2, 0], ["Reader", 0, 0],
            ])
    }

    @Test("pragmas given as options hold on every connection") func pragmas() throws {
        let library = try Library(options: [NSSQLitePragmasOption: ["journal_mode": "DELETE", "synchronous": "FULL"]])
        var changes = ChangeSet()
        changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
        let burst = SharedReadTransaction()
        _ = try library.store.fetch(library.resolved("Author"), in: burst)
        _ = try library.store.save(changes)
        #expect(!FileManager.default.fileExists(atPath: library.url.path + "-wal"))
        burst.end()
    }

    @Test("a store at /dev/null lives in memory") func memory() throws {
        let library = try Library()
        let store = try open(URL(fileURLWithPath: "/dev/null"), library)
        var changes = ChangeSet()
        changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
        _ = try store.save(changes)
        #expect(try store.rows([1], root: library.entity("Author"), in: nil).count == 1)
        try store.close()
    }
}

@Suite("Reading while others save") struct SharedReadTests {
    @Test("a shared read sees each save, of its own store and of another one") func saves() throws {
        let library = try Library()
        let shared = SharedReadTransaction()
        func count() throws -> Int {
            var fetch = try library.resolved("Author")
            fetch.result = .count
            guard case .count(let count) = try library.store.fetch(fetch, in: shared) else { return -1 }
            return count
        }
        func add(_ store: SQLiteStore) throws {
            var changes = ChangeSet()
            changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
            _ = try store.save(changes)
        }
        #expect(try count() == 0)
        try add(library.store)
        #expect(try count() == 1)
        let other = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: library.url, options: nil)
        try other.open(model: library.layout, entities: library.model.entities)
        try add(other)
        #expect(try count() == 2)
        try add(library.store)
        #expect(try count() == 3)
        shared.end()
        try other.close()
    }

    @Test("two stores on one file never give the same key") func keys() async throws {
        let library = try Library()
        let other = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: library.url, options: nil)
        try other.open(model: library.layout, entities: library.model.entities)
        let stores = SendableStores(stores: [library.store, other], layout: library.entity("Author"))
        let keys = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for position in 0..<4 {
                group.addTask {
                    try (0..<50).map { _ in try stores.stores[position % 2].reserveKeys(2, for: stores.layout) }
                }
            }
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        #expect(Set(keys).count == 200)
        #expect(keys.max() == 399)
        try other.close()
    }

    private struct SendableStores: @unchecked Sendable {  // stores take calls from any thread
        let stores: [SQLiteStore]
        let layout: EntityLayout
    }
}
