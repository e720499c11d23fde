// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts that are pinned to a moment of a server: how the moment is kept, and how it ends.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("A moment of a PostgreSQL store that contexts are pinned to", .needsServer) struct GenerationTests {
    /// A store with one object, a context that is pinned to it, and a newer name.
    private struct Scene {
        let stack: Stack
        let pinned: NSManagedObjectContext
        let object: NSManagedObject

        init(_ options: [AnyHashable: Any] = [:]) throws {
            let entity = NSEntityDescription("Item")
            entity.attribute("name", .stringAttributeType)
            entity.attribute("count", .integer64AttributeType)
            entity.attribute("parts", .integer64AttributeType)
            stack = try Stack(.postgresql, NSManagedObjectModel(entity), options: options)
            object = stack.insert("Item")
            object.setValue("old", forKey: "name")
            object.setValue(6, forKey: "count")
            object.setValue(0, forKey: "parts")
            try stack.context.save()
            pinned = try Self.pin(stack)
            try rename("new")
        }

        /// A context that has read the present moment.
        static func pin(_ stack: Stack) throws -> NSManagedObjectContext {
            let context = stack.newContext()
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
            return context
        }

        func rename(_ name: String) throws {
            object.setValue(name, forKey: "name")
            try stack.context.save()
        }

        func names(_ format: String = "TRUEPREDICATE") throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: format)
            return try pinned.fetch(request).compactMap { $0.value(forKey: "name") as? String }
        }
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    /// Proves: PostgreSQL-G3
    @Test("it ends when its time is over: reads throw, and no newer row is read") func overdue() throws {
        let scene = try Scene([NSPostgreSQLGenerationTimeoutOption: 0.5])
        var error: (any Error)?
        let isOver = eventually {
            do {
                // A row that is read at that moment has the values of that moment.
                return try scene.names() != ["old"]
            } catch let thrown {
                error = thrown
                return true
            }
        }
        #expect(isOver)
        let thrown = try #require(error) as NSError
        #expect(thrown.code == NSPersistentStoreOperationError)
        #expect("\(thrown)".contains("NSPostgreSQLGenerationTimeoutOption"))
        try scene.pinned.setQueryGenerationFrom(.current)
        scene.pinned.refreshAllObjects()
        #expect(try scene.names() == ["new"])
    }

    /// Proves: PostgreSQL-G3
    @Test("their number has a limit, and a released moment makes place") func number() throws {
        let scene = try Scene([NSPersistentStoreConnectionPoolMaxSizeKey: 2])
        let second = try Scene.pin(scene.stack)
        #expect(code { _ = try Scene.pin(scene.stack) } == NSPersistentStoreOperationError)
        // Calls have separate connections.
        try scene.rename("newer")
        try second.setQueryGenerationFrom(nil)
        let third = try Scene.pin(scene.stack)
        #expect(third.queryGenerationToken != second.queryGenerationToken)
        #expect(try scene.names() == ["old"])
        for _ in 0..<5 {
            // Each save moves the context to a newer moment.
            third.refreshAllObjects()
            NSEntityDescription.insertNewObject(forEntityName: "Item", into: third).setValue("third", forKey: "name")
            try third.save()
        }
        #expect(try scene.names() == ["old"])
    }

    /// Proves: Limits-L4
    @Test("the age of the oldest reader is that of the oldest moment that is kept") func age() throws {
        let scene = try Scene()
        let between = ContinuousClock.now
        Thread.sleep(forTimeInterval: 0.05)
        let second = try Scene.pin(scene.stack)
        let store = scene.stack.store
        let now = ContinuousClock.now
        #expect(try #require(store.condition?.oldestReaderAge) >= now - between)
        #expect(store.condition?.connectionsInUse == 2)
        try scene.pinned.setQueryGenerationFrom(nil)
        #expect(try #require(store.condition?.oldestReaderAge) < .now - between)
        try second.setQueryGenerationFrom(nil)
        #expect(store.condition?.oldestReaderAge == nil && store.condition?.connectionsInUse == 0)
    }

    /// Proves: PostgreSQL-G4
    @Test("a condition that the server refuses does not end it") func refused() throws {
        let scene = try Scene()
        let opened = try scene.stack.server
        let texts = Mutex<[String]>([])
        try scene.pinned.setQueryGenerationFrom(nil)
        opened.sessions.observe { text in texts.withLock { $0.append(text) } }
        try scene.pinned.setQueryGenerationFrom(.current)
        #expect(try scene.names("count == 6") == ["new"])
        try scene.rename("newer")
        #expect(try scene.names("count + 9223372036854775807 > 0") == ["new"])
        #expect(try scene.names("count / parts == 3").isEmpty)
        #expect(try scene.names() == ["new"])
        #expect(texts.withLock { $0.contains { $0.hasPrefix("ROLLBACK TO") } })
    }

    /// Proves: PostgreSQL-G4
    @Test("reads of it at the same time, and within a read, see the same moment") func nested() throws {
        let scene = try Scene()
        let opened = try scene.stack.server
        let reader = try opened.sessions.beginGeneration(
            locking: opened.dialect.qualified("ocd_transaction"), lifetime: nil)
        try scene.rename("newer")
        let layout = try #require(opened.schema.model.layout(named: "Item"))
        let table = try #require(opened.schema.mapping(layout)).table.sql
        let question = Statement("SELECT name FROM \(table)")
        func name(_ connection: Connection) throws -> String? {
            try connection.run(question, opened.sessions.deadline).first(\.text)
        }
        let (names, isOther) = try reader.read { first in
            let (inner, isOther) = try reader.read { second in (try name(second), first !== second) }
            return ([inner, try name(first)], isOther)
        }
        #expect(names == ["new", "new"])
        #expect(isOther)
        reader.end(.released)
        #expect(throws: SnapshotLost.self) { try reader.read(name) }
    }

    /// Proves: PostgreSQL-G3
    @Test("it ends with its connection, and says so") func backend() throws {
        let scene = try Scene()
        let opened = try scene.stack.server
        try opened.sessions.with(repeats: false) { connection in
            _ = try connection.run(
                Statement(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = to_regclass($1)",
                    [.text(opened.dialect.qualified("ocd_transaction"))]),
                opened.sessions.deadline)
        }
        #expect(code { _ = try scene.names() } == NSPersistentStoreOperationError)
        #expect(code { _ = try scene.names() } == NSPersistentStoreOperationError)
        try scene.pinned.setQueryGenerationFrom(nil)
        #expect(try scene.names() == ["new"])
    }

    /// Proves: PostgreSQL-G2
    @Test("a migration is refused while it is kept, and done afterwards") func migration() throws {
        let scene = try Scene()
        let model = try #require(scene.stack.model.copy() as? NSManagedObjectModel)
        model.entities[0].attribute("kind", .stringAttributeType)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSPersistentStoreTimeoutOption: 0.2,
        ]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        func migrate() throws {
            let store = try coordinator.addPersistentStore(
                ofType: StoreKind.postgresql.type, configurationName: nil, at: scene.stack.url, options: options)
            try coordinator.remove(store)
        }
        #expect(code { try migrate() } == NSPersistentStoreTimeoutError)
        #expect(try scene.names() == ["old"])
        try scene.pinned.setQueryGenerationFrom(nil)
        try migrate()
        // The program with the old version keeps its changes, and gets an error.
        #expect(code { try scene.rename("newer") } == NSPersistentStoreIncompatibleVersionHashError)
    }

    /// Proves: PostgreSQL-G5
    @Test("a copy of the store has no limit of time, and has one moment") func copies() throws {
        let scene = try Scene([NSPostgreSQLGenerationTimeoutOption: 0.05])
        let store = try #require(scene.stack.store as? PostgreSQLStore)
        let source = try store.copySource()
        #expect(eventually { code { _ = try scene.names() } != nil })
        try scene.rename("newer")
        let layout = try #require(try scene.stack.server.schema.model.layout(named: "Item"))
        let keys = [try store.lastKey(below: layout)]
        let copied = try #require(try source.rows(keys, root: layout, in: nil).first)
        let present = try #require(try store.rows(keys, root: layout, in: nil).first)
        #expect(copied.snapshot.version < present.snapshot.version)
    }
}
