// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Schemas without a store, or with parts of one: errors name the missing parts, and older stores get theirs.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Opening what a schema has", .needsServer) struct ServerOpeningTests {
    private static let type = StoreKind.postgresql.type

    /// A closed store with one book.
    private func closed(_ options: [AnyHashable: Any]? = nil) throws -> Bookshop {
        let shop = try Bookshop(in: .postgresql)
        shop.book("Dune")
        try shop.context.save()
        try shop.stack.reopen(options: options)
        try shop.stack.coordinator.remove(shop.stack.store)
        return shop
    }

    /// Runs statements with `%s` for the schema's quoted name.
    private func run(_ shop: Bookshop, _ statements: String...) throws {
        let settings = try StoreSettings(shop.stack.url, nil)
        let sessions = Sessions(settings)
        defer { sessions.close() }
        let schema = PostgreSQLDialect.quoted(settings.schema)
        try sessions.with(repeats: false) { connection in
            for statement in statements {
                try connection.run(
                    Statement(statement.replacing("%s", with: schema), isReused: false), sessions.deadline)
            }
        }
    }

    private func text(_ error: (any Error)?) -> String { error.map { "\(($0 as NSError).localizedDescription)" } ?? "" }

    @Test("a schema without a store is not made by readers, nor by questions about metadata") func nothing() throws {
        let server = try #require(StoreKind.serverURL)
        let url = try #require(URL(string: server + "&schema=nothing_\(UUID().uuidString.prefix(8).lowercased())"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let reading = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: Self.type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(reading?.code == .fileReadNoSuchFile)
        let asking = #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: url)
        }
        #expect(asking?.code == .fileReadNoSuchFile)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.setMetadata(
                ["own": 1], forPersistentStoreOfType: Self.type, at: url, options: nil)
        }
        let plan = #expect(throws: CocoaError.self) {
            try MigrationPlan(
                forStoreAt: url, type: NSPersistentStore.StoreType(rawValue: Self.type), to: BookshopModel.make())
        }
        #expect(plan?.code == .fileReadNoSuchFile)
        let file = URL(filePath: "/tmp/none")
        let wrong = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: Self.type, configurationName: nil, at: file)
        }
        #expect(text(wrong).contains("postgresql://host/database"))
    }

    @Test("metadata are set without opening the store, and kept") func metadata() throws {
        let shop = try closed()
        var values = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: shop.stack.url)
        values["own"] = "kept"
        try NSPersistentStoreCoordinator.setMetadata(
            values, forPersistentStoreOfType: Self.type, at: shop.stack.url, options: nil)
        try shop.stack.reopen()
        #expect(shop.stack.store.metadata["own"] as? String == "kept")
        #expect(try shop.titles(Book.request()) == ["Dune"])
    }

    @Test("tables, sequences and rows that were dropped are named, and nothing is made in their place") func parts()
        throws
    {
        let examples = [
            ("ALTER TABLE %s.chapter RENAME TO chapter_away", "table chapter"),
            ("ALTER TABLE %s.book RENAME COLUMN pages TO sheets", "book.pages"),
        ]
        for (statement, part) in examples {
            let shop = try closed()
            try run(shop, statement)
            let error = #expect(throws: CocoaError.self) { try shop.stack.reopen() }
            #expect(text(error).contains(part), "\(statement)\n\(text(error))")
        }
        let shop = try closed()
        try shop.stack.reopen()
        let table = try #require(try shop.stack.server.schema.tables.first)
        try shop.stack.coordinator.remove(shop.stack.store)
        try run(shop, "ALTER SEQUENCE %s.\"\(ServerTables.sequenceName(table))\" RENAME TO away")
        let error = #expect(throws: CocoaError.self) { try shop.stack.reopen() }
        #expect(text(error).contains("The sequence"))
    }

    @Test(
        "a store whose table of metadata has no row, or no metadata, is refused with what to do; it can be destroyed",
        arguments: ["DELETE FROM %s.ocd_store", "UPDATE %s.ocd_store SET metadata = NULL"])
    func noMetadata(statement: String) throws {
        for options in [[:], [NSReadOnlyPersistentStoreOption: true]] as [[AnyHashable: Any]] {
            let shop = try closed()
            try run(shop, statement)
            let opening = #expect(throws: CocoaError.self) { try shop.stack.reopen(options: options) }
            let asking = #expect(throws: CocoaError.self) {
                try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: shop.stack.url)
            }
            for error in [opening, asking] {
                #expect(error?.code == .fileReadCorruptFile)
                for part in ["ocd_store", "no row", "pg_restore", "destroyPersistentStore"] {
                    #expect(text(error).contains(part), "\(text(error))")
                }
            }
            try shop.stack.coordinator.destroyPersistentStore(at: shop.stack.url, ofType: Self.type)
            try shop.stack.reopen()
            #expect(try shop.titles(Book.request(), in: shop.stack.context).isEmpty)
        }
    }

    /// Proves: PostgreSQL-F3, PostgreSQL-H3
    @Test("a store that was made before histories, or before they named their server, gets what it lacks") func older()
        throws
    {
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let shop = try closed(tracking)
        try run(shop, "ALTER TABLE %s.ocd_history DROP COLUMN server")
        try shop.stack.reopen(options: tracking)
        shop.book("Emma", in: shop.stack.context)
        try shop.stack.context.save()
        #expect(shop.stack.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
        try shop.stack.coordinator.remove(shop.stack.store)
        try run(shop, "DROP TABLE %s.ocd_history, %s.ocd_history_transaction, %s.ocd_change, %s.ocd_history_reader")
        try shop.stack.reopen(options: tracking)
        shop.book("Ubik", in: shop.stack.context)
        try shop.stack.context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try shop.stack.context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
        #expect(try shop.titles(Book.request(), in: shop.stack.context).sorted() == ["Dune", "Emma", "Ubik"])
    }

    @Test("a database in another encoding is refused by its name") func encoding() throws {
        let server = try #require(StoreKind.serverURL)
        let name = "latin_\(UUID().uuidString.prefix(8).lowercased())"
        let sessions = Sessions(try StoreSettings(try #require(URL(string: server)), nil))
        defer { sessions.close() }
        func administer(_ text: String) throws {
            _ = try sessions.with(repeats: false) {
                try $0.run(Statement(text, isReused: false), sessions.unbounded)
            }
        }
        try administer("CREATE DATABASE \(name) ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        defer { try? administer("DROP DATABASE \(name)") }
        let url = try #require(URL(string: server.replacing("/postgres?", with: "/\(name)?")))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: Self.type, configurationName: nil, at: url)
        }
        #expect(text(error).contains("LATIN1"))
    }

    @Test("metadata that no property list has are an error of the save, which changes nothing") func wrongMetadata()
        throws
    {
        let shop = try closed()
        try shop.stack.reopen()
        shop.stack.store.metadata["own"] = NSObject()
        shop.book("Emma", in: shop.stack.context)
        #expect(throws: CocoaError.self) { try shop.stack.context.save() }
        #expect(try shop.stack.stored(Book.request()) { $0.title } == ["Dune"])
        shop.stack.store.metadata["own"] = "text"
        try shop.stack.context.save()
        #expect(try shop.stack.stored(Book.request()) { $0.title }.count == 2)
    }

    @Test("copying to a place, and another place for an open store, are refused with the database's own tools named")
    func upkeep() throws {
        let shop = try Bookshop(in: .postgresql)
        shop.book("Dune")
        try shop.context.save()
        let server = try #require(StoreKind.serverURL)
        let other = try #require(URL(string: server + "&schema=other_\(UUID().uuidString.prefix(8).lowercased())"))
        #expect(!shop.stack.coordinator.setURL(other, for: shop.stack.store))
        #expect(shop.stack.store.url == shop.stack.url)
        let store = try #require(shop.stack.store as? PostgreSQLStore)
        let copy = #expect(throws: CocoaError.self) { try store.copy(to: other) }
        #expect(copy?.code == .persistentStoreUnsupportedRequestType && text(copy).contains("pg_dump"))
        #expect(try shop.titles(Book.request()) == ["Dune"])
    }

    @Test("keys in a row are reserved once each") func reservedKeys() throws {
        let shop = try Bookshop(in: .postgresql)
        let store = try #require(shop.stack.store as? PostgreSQLStore)
        let layout = try #require(try store.opened().schema.model.layout(named: "Book"))
        var ranges: [Range<Int64>] = []
        for count in [3, 5, 200, 2, 40] {
            let first = try store.reserveKeys(count, for: layout)
            ranges.append(first..<(first + Int64(count)))
        }
        let all = ranges.flatMap { Array($0) }
        #expect(Set(all).count == 250)
        let book = shop.book("Dune")
        try shop.context.save()
        #expect(!all.contains(book.objectID.key))
    }

    /// Proves: G51, G56
    @Test("stages run on a store with lightweight steps before, between and after them") func stages() throws {
        func version(_ number: Int) -> NSManagedObjectModel {
            let book = NSEntityDescription("Book")
            book.attribute("title", .stringAttributeType)
            for extra in 1..<number { book.attribute("extra\(extra)", .stringAttributeType) }
            return NSManagedObjectModel(book)
        }
        let versions = (1...5).map(version)
        func reference(_ number: Int) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(
                model: version(number), versionChecksum: versions[number - 1].versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(3), to: reference(4))
        stage.didMigrateHandler = { manager, _ in
            guard let container = manager.container else { return }
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = container.persistentStoreCoordinator
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue("did", forKey: "extra3")
            }
            try context.save()
        }
        let manager = NSStagedMigrationManager([
            NSLightweightMigrationStage(versions.prefix(2).map(\.versionChecksum)), stage,
            NSLightweightMigrationStage([versions[4].versionChecksum]),
        ])
        let options: [AnyHashable: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: manager, MigrationOption.versions: versions,
        ]
        let stack = try Stack(.postgresql, versions[0])
        stack.insert("Book").setValue("Emma", forKey: "title")
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        let (coordinator, context) = try MigrationTests.open(.postgresql, stack.url, versions[4], options)
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma"])
        #expect(books.map { $0.value(forKey: "extra3") as? String } == ["did"])
        try MigrationTests.close(coordinator)
        // A store that is not there is made in the last version.
        let server = try #require(StoreKind.serverURL)
        let place = try #require(URL(string: server + "&schema=new_\(UUID().uuidString.prefix(8).lowercased())"))
        let (fresh, empty) = try MigrationTests.open(.postgresql, place, versions[4], options)
        #expect(try empty.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
        try MigrationTests.close(fresh)
        try fresh.destroyPersistentStore(at: place, ofType: Self.type)
    }

    /// Proves: PostgreSQL-M7
    @Test("a store is restored into a schema that is not there; without a source nothing is made") func restoration()
        throws
    {
        let shop = try closed()
        let server = try #require(StoreKind.serverURL)
        func place(_ name: String) throws -> URL {
            try #require(URL(string: server + "&schema=\(name)_\(UUID().uuidString.prefix(8).lowercased())"))
        }
        let (target, missing) = (try place("target"), try place("missing"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.replacePersistentStore(
                at: target, withPersistentStoreFrom: missing, ofType: Self.type)
        }
        #expect(error?.code == .fileReadNoSuchFile)
        try coordinator.replacePersistentStore(
            at: target, withPersistentStoreFrom: shop.stack.url, ofType: Self.type)
        let (opened, context) = try MigrationTests.open(.postgresql, target, BookshopModel.make(), nil)
        #expect(try context.fetch(Book.request()).map(\.title) == ["Dune"])
        try MigrationTests.close(opened)
        try opened.destroyPersistentStore(at: target, ofType: Self.type)
    }
}
