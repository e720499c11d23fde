// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves that the server rolls back because of another transaction are repeated, and written once.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A store with one object of each of two entities, and a transaction of another connection.
private final class ContestedStore: @unchecked Sendable {  // used on one thread, except for the state with a lock
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let opened: OpenServer
    let other: Connection
    let url: URL
    private let texts = Mutex<[String]>([])
    private let saved = DispatchSemaphore(value: 0)
    private let failure = Mutex<String?>(nil)
    let log = OperationLog()

    /// - Parameter settings: of each connection, as the server names them.
    init(settings: String) throws {
        let model = NSManagedObjectModel()
        model.entities = ["First", "Second"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            let attribute = NSAttributeDescription()
            attribute.name = "name"
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            entity.properties = [attribute]
            return entity
        }
        let schema = "retry_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let server = try #require(StoreKind.serverURL)
        let options = try #require(settings.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        url = try #require(URL(string: server + "&schema=\(schema)&options=\(options)"))
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.storeObservers = [log]
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url)
        opened = try #require(store as? PostgreSQLStore).opened()
        other = try opened.sessions.make()
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for name in ["First", "Second"] {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context).setValue("old", forKey: "name")
            }
            try context.save()
        }
        opened.sessions.observe { [weak self] text in self?.note(text) }
    }

    deinit {
        let schema = opened.dialect.quoted(opened.dialect.schema)
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? run("DROP SCHEMA \(schema) CASCADE")
        other.close()
    }

    private func note(_ text: String) { texts.withLock { $0.append(text) } }

    /// The number of transactions since the store was made.
    var attempts: Int { texts.withLock { $0.count { $0.hasPrefix("BEGIN") } } }

    func run(_ text: String) throws { try other.run(Statement(text, isReused: false), opened.sessions.deadline) }

    func touch(_ entity: String) throws {
        let layout = try #require(opened.schema.model.layout(named: entity))
        let table = try #require(opened.schema.mapping(layout)).table.sql
        try run("UPDATE \(table) SET name = name")
    }

    /// Lets the server refuse the next statements that update the first entity, as if others had been faster.
    func refuseUpdates(_ count: Int) throws {
        let schema = opened.dialect.quoted(opened.dialect.schema)
        let layout = try #require(opened.schema.model.layout(named: "First"))
        let table = try #require(opened.schema.mapping(layout)).table.sql
        // A sequence keeps its value when a transaction is rolled back.
        try run("CREATE SEQUENCE \(schema).refusals")
        try run(
            "CREATE FUNCTION \(schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                + "IF nextval('\(schema).refusals') <= \(count) THEN "
                + "RAISE EXCEPTION 'refused' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$")
        try run(
            "CREATE TRIGGER refuse BEFORE UPDATE ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION \(schema).refuse()")
    }

    /// Changes both objects, and saves on another thread.
    ///
    /// - Parameter checksFirst: whether the first object is not changed but checked.
    func save(checksFirst: Bool = false) {
        context.perform { [self] in
            do {
                // A context does not keep unchanged objects alive.
                var kept: [NSManagedObject] = []
                for name in ["First", "Second"] {
                    let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
                    for object in objects {
                        if checksFirst, name == "First" {
                            context.detectConflicts(for: object)
                            kept.append(object)
                        } else {
                            object.setValue("new", forKey: "name")
                        }
                    }
                }
                defer { withExtendedLifetime(kept) {} }
                try context.save()
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            saved.signal()
        }
    }

    /// Saves until the save waits for a lock.
    func saveUntilItWaits(checksFirst: Bool = false) throws {
        save(checksFirst: checksFirst)
        let watcher = try opened.sessions.make()
        defer { watcher.close() }
        let question = Statement(
            "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = ANY (SELECT relation FROM pg_locks AS h "
                + "WHERE h.pid = l.pid AND h.relation IS NOT NULL) JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                + "WHERE NOT l.granted AND n.nspname = $1", [.text(opened.dialect.schema)])
        let isWaiting = try eventually {
            (try watcher.run(question, opened.sessions.deadline).first(\.integer) ?? 0) > 0
        }
        try #require(isWaiting)
    }

    /// The error of the save; nil when it succeeded.
    func end() -> String? {
        saved.wait()
        return failure.withLock { $0 }
    }

    func names() throws -> [String] {
        let reader = NSManagedObjectContext(concurrencyType: .confined)
        reader.persistentStoreCoordinator = coordinator
        return try ["First", "Second"].flatMap { name in
            try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
                .compactMap { $0.value(forKey: "name") as? String }
        }
    }
}

@Suite("A save that another transaction stops", .needsServer) struct RetryTests {
    /// Proves: PostgreSQL-S1
    @Test("a deadlock repeats the save") func deadlock() throws {
        let store = try ContestedStore(settings: "-c deadlock_timeout=2s")
        // The server searches a deadlock once in each wait. Of the two transactions, the save finds it.
        try store.run("SET deadlock_timeout = '60s'")
        try store.run("SET lock_timeout = '60s'")
        try store.run("BEGIN")
        try store.touch("Second")
        try store.saveUntilItWaits()
        try store.touch("First")
        try store.run("COMMIT")
        #expect(store.end() == nil)
        #expect(store.attempts >= 2)
        #expect(try store.names() == ["new", "new"])
    }

    @Test("a save that checks an object locks its rows in one order, so it waits without a deadlock")
    func checkedRows() throws {
        let store = try ContestedStore(settings: "-c deadlock_timeout=1s")
        try store.run("SET lock_timeout = '60s'")
        try store.run("BEGIN")
        try store.touch("First")
        try store.saveUntilItWaits(checksFirst: true)
        try store.touch("Second")
        try store.run("COMMIT")
        #expect(store.end() == nil)
        #expect(store.attempts == 1)
        #expect(try store.names() == ["old", "new"])
    }

    /// Proves: PostgreSQL-S1, Telemetry-O6
    @Test("a serialization failure repeats the save, three times at most, which observers see", arguments: [1, 3, 4])
    func serialization(failures: Int) throws {
        let store = try ContestedStore(settings: "-c deadlock_timeout=1s")
        try store.refuseUpdates(failures)
        _ = store.log.take()
        store.save()
        #expect((store.end() == nil) == (failures < 4))
        #expect(store.attempts == min(failures + 1, 4))
        let report = try #require(store.log.take().of(.save).first?.report)
        #expect(report.retries == min(failures, 3) && (report.error == nil) == (failures < 4))
        #expect(report.conflicts == 0 && !report.isCommitUnknown)
        #expect(try store.names() == (failures < 4 ? ["new", "new"] : ["old", "old"]))
    }

    /// Proves: PostgreSQL-H3
    @Test("a save has the isolation that it needs, under any default of the server") func isolation() throws {
        let store = try ContestedStore(settings: "-c default_transaction_isolation=serializable")
        try store.run("BEGIN")
        try store.touch("Second")
        try store.saveUntilItWaits()
        try store.run("COMMIT")
        #expect(store.end() == nil)
        #expect(store.attempts == 1)
        #expect(try store.names() == ["new", "new"])
    }
}
