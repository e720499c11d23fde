// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that are migrated to another version: the same objects as in SQLite stores, or no change at all.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("A PostgreSQL store that is migrated", .needsServer) struct MigrationTests {
    static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    static func open(
        _ kind: StoreKind, _ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = migrating
    ) throws -> (coordinator: NSPersistentStoreCoordinator, context: NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    static func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// A store of the old version with contents, that is closed.
    private static func filled(
        _ kind: StoreKind, _ change: VersionChange, _ options: [AnyHashable: Any]? = nil
    ) throws -> Stack {
        let stack = try Stack(kind, change.old, options: options)
        try VersionChange.fill(stack.context, stack.model)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        return stack
    }

    /// The contents after the migration, and the parts of the database then; nil for SQLite.
    private static func migrated(
        _ kind: StoreKind, _ change: VersionChange, _ options: [AnyHashable: Any] = [:]
    ) throws -> (contents: [String], schema: [String]?) {
        let stack = try filled(kind, change, options)
        let (coordinator, context) = try open(kind, stack.url, change.new, migrating.merging(options) { $1 })
        let contents = try VersionChange.contents(context, coordinator.managedObjectModel)
        // A migrated store takes further objects.
        try VersionChange.fill(context, coordinator.managedObjectModel, from: 10)
        let schema = try (coordinator.persistentStores[0] as? PostgreSQLStore).map { try Self.schema($0.opened()) }
        try close(coordinator)
        return (contents, schema)
    }

    /// Columns, constraints, indexes and sequences, as the server describes them.
    private static func schema(_ opened: OpenServer) throws -> [String] {
        let name = opened.dialect.schema
        return try opened.sessions.with(repeats: true) { connection in
            var result: [String] = []
            for query in [
                """
                SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(collation_name, '') || \
                ' ' || is_nullable || ' ' || coalesce(column_default, '') FROM information_schema.columns \
                WHERE table_schema = $1
                """,
                """
                SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(c.oid) \
                FROM pg_constraint AS c JOIN pg_namespace AS n ON n.oid = connamespace \
                WHERE nspname = $1 AND contype <> 'p'
                """,
                "SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname NOT LIKE '%pkey%'",
                "SELECT sequencename || ' ' || increment_by FROM pg_sequences WHERE schemaname = $1",
                """
                SELECT relname || ' ' || obj_description(c.oid, 'pg_class') FROM pg_class AS c \
                JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'S')
                """,
            ] {
                try connection.run(Statement(query, [.text(name)]), opened.sessions.deadline).forEachRow { cells in
                    if let text = cells[0].text { result.append(text.replacing(name, with: "schema")) }
                }
            }
            return result.sorted()
        }
    }

    private static func newSchema(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) throws -> [String] {
        let stack = try Stack(.postgresql, model, options: options)
        return try schema(stack.server)
    }

    /// Proves: PostgreSQL-M1, PostgreSQL-M3, PostgreSQL-M4
    @Test("a migrated store has the objects of a migrated SQLite store", arguments: VersionChange.all)
    func objects(change: VersionChange) throws {
        let (contents, schema) = try Self.migrated(.postgresql, change)
        #expect(try contents == Self.migrated(.sqlite, change).contents)
        #expect(try schema == Self.newSchema(change.new, nil))
    }

    /// Proves: PostgreSQL-M4
    @Test("links stay as in SQLite stores, with every change of their ends", arguments: VersionChange.links)
    func links(change: VersionChange) throws {
        let (contents, schema) = try Self.migrated(.postgresql, change)
        #expect(try contents == Self.migrated(.sqlite, change).contents)
        #expect(try schema == Self.newSchema(change.new, nil))
    }

    /// Proves: PostgreSQL-M3
    @Test(
        "a store with foreign keys has them afterwards",
        arguments: VersionChange.all.suffix(1) + VersionChange.all[7...9])
    func foreignKeys(change: VersionChange) throws {
        let options = [NSPostgreSQLForeignKeysOption: true]
        let (contents, schema) = try Self.migrated(.postgresql, change, options)
        #expect(contents.count > 10)
        #expect(try schema == Self.newSchema(change.new, options))
    }

    // MARK: Refusals

    @Test("without the options for migrations, another version is an error, and nothing changes") func refused() throws
    {
        let change = VersionChange.all[0]
        let stack = try Self.filled(.postgresql, change)
        let error = #expect(throws: CocoaError.self) { try Self.open(.postgresql, stack.url, change.new, nil) }
        #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
        try Self.expectOld(stack)
    }

    private static func expectOld(_ stack: Stack) throws {
        let (coordinator, context) = try open(.postgresql, stack.url, stack.model, nil)
        let contents = try VersionChange.contents(context, coordinator.managedObjectModel)
        #expect(contents.count == 25)
        let schema = try (coordinator.persistentStores[0] as? PostgreSQLStore).map { try Self.schema($0.opened()) }
        #expect(try schema == newSchema(stack.model, nil))
        try close(coordinator)
    }

    private static let broken: [(change: VersionChange, code: Int)] = [
        (
            VersionChange("duplicates") { model in
                for name in ["Person", "Note"] {
                    model.entitiesByName[name]?.attribute("same", .integer16AttributeType, default: 1)
                    model.entitiesByName[name]?.uniquenessConstraints = [["same"]]
                }
            }, NSMigrationConstraintViolationError
        ),
        (
            VersionChange("missing values") {
                VersionChange.attribute("nickName", in: "Person", $0)?.isOptional = false
            }, NSMigrationError
        ),
        (
            VersionChange("numbers that do not fit") {
                VersionChange.attribute("pay", in: "Person", $0)?.attributeType = .integer16AttributeType
            }, NSMigrationError
        ),
    ]

    /// Proves: PostgreSQL-M2
    @Test("rows that break a rule of the new version end the migration, by name, and nothing changes", arguments: 0..<3)
    func brokenRules(number: Int) throws {
        let (change, code) = Self.broken[number]
        let stack = try Self.filled(.postgresql, change)
        let error = #expect(throws: CocoaError.self) { try Self.open(.postgresql, stack.url, change.new) }
        #expect(error?.code.rawValue == NSMigrationError)
        let cause = try #require(error?.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.code == code)
        #expect(cause.userInfo["entity"] is String)
        #expect(cause.userInfo["attribute"] is String)
        try Self.expectOld(stack)
    }

    /// Proves: PostgreSQL-M1
    @Test("a migration that the server stops half-way leaves the old version") func brokenOff() throws {
        let change = VersionChange.all[1]
        let stack = try Self.filled(.postgresql, change)
        let (coordinator, _) = try Self.open(.postgresql, stack.url, stack.model, nil)
        let opened = try #require(coordinator.persistentStores[0] as? PostgreSQLStore).opened()
        func run(_ text: String) throws {
            try opened.sessions.with(repeats: false) {
                _ = try $0.run(Statement(text, isReused: false), opened.sessions.deadline)
            }
        }
        let view = opened.dialect.qualified("others_view")
        try run("CREATE VIEW \(view) AS SELECT level FROM \(opened.dialect.qualified("person"))")
        let error = #expect(throws: CocoaError.self) { try Self.open(.postgresql, stack.url, change.new) }
        #expect("\(try #require(error) as NSError)".contains("2BP01"))
        try run("DROP VIEW \(view)")
        try Self.close(coordinator)
        try Self.expectOld(stack)
    }

    /// Proves: PostgreSQL-M1, PostgreSQL-M6
    @Test(
        "a line that is cut in a migration leaves the old version or the new one, and the opening goes on",
        arguments: ["LOCK TABLE", "ALTER TABLE", "UPDATE", "COMMIT"], [LineProxy.Cut.before, .during, .after])
    func cuts(word: String, cut: LineProxy.Cut) throws { try Self.migrate(word, cut) }

    /// Proves: PostgreSQL-M1, PostgreSQL-M8
    @Test(
        "a line that loses the answer to a statement of a migration is found, and the opening goes on",
        arguments: ["LOCK TABLE", "ALTER TABLE", "UPDATE", "COMMIT"])
    func silence(word: String) throws { try Self.migrate(word, .frozen) }

    /// Proves: PostgreSQL-M8
    @Test("a statement that takes longer than the server may be silent is waited for") func slowness() throws {
        let change = VersionChange.all[5]
        let stack = try Self.filled(.postgresql, change)
        let schema = try #require(stack.url.absoluteString.components(separatedBy: "schema=").last)
        try Self.slowDown(schema, try #require(StoreKind.serverURL), "true", seconds: 0.3)
        let options = Self.migrating.merging([NSPostgreSQLAnswerTimeoutOption: 0.1]) { $1 }
        let (coordinator, context) = try Self.open(.postgresql, stack.url, change.new, options)
        let contents = try VersionChange.contents(context, coordinator.managedObjectModel)
        try Self.close(coordinator)
        #expect(try contents == Self.migrated(.postgresql, change).contents)
    }

    /// Makes each UPDATE of the table of persons wait if the condition holds.
    private static func slowDown(_ schema: String, _ server: String, _ condition: String, seconds: Double) throws {
        let settings = try ConnectionSettings(try #require(URL(string: server)))
        let connection = try Connection(settings.settings, deadline: Deadline(in: .seconds(5)))
        defer { connection.close() }
        for statement in [
            """
            CREATE FUNCTION "\(schema)".wait() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN IF \(condition) THEN PERFORM pg_sleep(\(seconds)); END IF; RETURN NULL; END'
            """,
            """
            CREATE TRIGGER wait BEFORE UPDATE ON "\(schema)".person FOR EACH STATEMENT
            EXECUTE FUNCTION "\(schema)".wait()
            """,
        ] {
            try connection.run(Statement(statement, isReused: false), Deadline(in: .seconds(10)))
        }
    }

    /// Proves: PostgreSQL-M1, PostgreSQL-M8
    @Test("a backend that is killed inside a migration leaves the old version, and the opening goes on")
    func killed() throws {
        let pair = try ServerPair()
        let change = VersionChange.all[5]
        let url = try pair.url(pair.primary)
        let (first, filled) = try Self.open(.postgresql, url, change.old)
        try VersionChange.fill(filled, change.old)
        try Self.close(first)
        let schema = try #require(url.absoluteString.components(separatedBy: "schema=").last)
        // The lock ends with the server, and the second attempt does not wait.
        try Self.slowDown(schema, url.absoluteString, "NOT pg_try_advisory_xact_lock(42)", seconds: 60)
        let holder = try pair.connection(pair.primary)
        defer { holder.close() }
        try holder.run(Statement("SELECT pg_advisory_lock(42)", isReused: false), Deadline(in: .seconds(5)))
        let killer = Thread {
            var backend: Int64?
            _ = eventually {
                backend = try? pair.ask(
                    pair.primary, "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                return backend != nil
            }
            if let backend { kill(pid_t(backend), SIGKILL) }
        }
        killer.start()
        let (coordinator, context) = try Self.open(.postgresql, url, change.new)
        let contents = try VersionChange.contents(context, coordinator.managedObjectModel)
        try Self.close(coordinator)
        #expect(try contents == Self.migrated(.postgresql, change).contents)
        #expect(throws: PostgreSQLError.self) {
            try holder.run(Statement("SELECT 1", isReused: false), Deadline(in: .seconds(5)))
        }
    }

    private static func migrate(_ word: String, _ cut: LineProxy.Cut) throws {
        let change = VersionChange.all[1]
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let stack = try filled(.postgresql, change)
        let proxy = try LineProxy(to: folder)
        defer { proxy.stop() }
        let text = stack.url.absoluteString.replacing(folder, with: proxy.folder.path)
        let url = try #require(URL(string: text) as URL?)
        let options = migrating.merging([NSPostgreSQLAnswerTimeoutOption: 0.5]) { $1 }
        proxy.arm(cut, at: word)
        let (coordinator, context) = try open(.postgresql, url, change.new, options)
        #expect(proxy.cuts == 1)
        let contents = try VersionChange.contents(context, coordinator.managedObjectModel)
        try close(coordinator)
        #expect(try contents == migrated(.postgresql, change).contents)
    }

    // MARK: Others

    /// Proves: PostgreSQL-M6
    @Test("of several openers at once one migrates, and all open the store") func openers() throws {
        let change = try #require(VersionChange.all.last)
        let stack = try Self.filled(.postgresql, change)
        let reports = Mutex<[Bool]>([])
        let errors = Mutex<[String]>([])
        let url = stack.url
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                let (coordinator, _) = try Self.open(.postgresql, url, change.new)
                let isMigrated = coordinator.persistentStores[0].migrationReport != nil
                reports.withLock { $0.append(isMigrated) }
                try Self.close(coordinator)
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        #expect(errors.withLock { $0 } == [])
        #expect(reports.withLock { $0.filter { $0 }.count } == 1)
        #expect(reports.withLock { $0.count } == 4)
    }

    /// Proves: PostgreSQL-M5
    @Test("a program with the old version gets 134100 from saves and fetches, and loses nothing", arguments: [0, 5])
    func oldProgram(number: Int) throws {
        let change = VersionChange.all[number]
        let stack = try Self.filled(.postgresql, change)
        let (old, context) = try Self.open(.postgresql, stack.url, stack.model, nil)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Manager")
        #expect(try context.fetch(request).count == 5)
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("late", forKey: "name")
        let (new, second) = try Self.open(.postgresql, stack.url, change.new)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
        #expect(context.insertedObjects == [note])
        let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
        #expect(try second.count(for: notes) == 5)
        // Columns of another type are an error, never other values.
        if number == 5 {
            context.reset()
            let read = #expect(throws: CocoaError.self) { try context.fetch(request) }
            #expect(read?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
            request.predicate = NSPredicate(format: "name != %@", "x")
            let other = #expect(throws: CocoaError.self) { try context.fetch(request) }
            #expect(other?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
        }
        try Self.close(old)
        try Self.close(new)
    }

    /// Proves: PostgreSQL-M3
    @Test("the history has the new names afterwards") func history() throws {
        let change = VersionChange.all[2]
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let stack = try Stack(.postgresql, change.old, options: options)
        try VersionChange.fill(stack.context, stack.model)
        let people = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        try #require(people.first).setValue("other", forKey: "nickName")
        try stack.context.save()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let (coordinator, context) = try Self.open(
            .postgresql, stack.url, change.new, Self.migrating.merging(options) { $1 })
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        let last = try #require((result.result as? [NSPersistentHistoryTransaction])?.last?.changes?.first)
        #expect(["Human", "Boss"].contains(last.changedObjectID.entity.name))
        #expect(last.updatedProperties?.map(\.name) == ["alias"])
        try Self.close(coordinator)
    }
}
