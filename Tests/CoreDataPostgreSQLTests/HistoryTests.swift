// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history with several writers, and commits that other processes announce.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("The history of a PostgreSQL store", .needsServer) struct HistoryTests {
    private static var notifying: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
    }

    private func insert(_ name: String, into context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    private func transactions(_ context: NSManagedObjectContext, after token: NSPersistentHistoryToken?) throws
        -> [NSPersistentHistoryTransaction]
    {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? [NSPersistentHistoryTransaction])
    }

    /// Commits a transaction as another process does: on a separate line, and announced under another name.
    private func changeElsewhere(_ object: NSManagedObject, to name: String, _ opened: OpenServer) throws {
        let connection = try opened.sessions.make()
        defer { connection.close() }
        let layout = try #require(object.entity.name.flatMap(opened.schema.model.layout(named:)))
        let mapping = try #require(opened.schema.mapping(layout))
        let key = try #require(Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()))
        let deadline = opened.sessions.deadline
        _ = try connection.run(
            [
                Statement("BEGIN"),
                Statement(
                    "UPDATE \(mapping.table.sql) SET name = $1, version = version + 1 WHERE id = $2",
                    [.text(name), .int64(key)]),
            ], deadline)
        var changes = RecordedChanges(author: "elsewhere", contextName: nil)
        var slots = SlotSet()
        let slot = try #require(mapping.layout.slot("name"))
        slots.insert(slot)
        changes.update(mapping.layout, key, slots)
        let number = try opened.history?.record(changes, tombstones: [:], connection, deadline)
        #expect(number != nil)
        _ = try connection.run(
            [
                Statement("COMMIT"),
                Statement("SELECT pg_notify($1, $2)", [.text(opened.news.channel), .text("elsewhere")]),
            ], deadline)
    }

    /// Proves: PostgreSQL-H1
    @Test("a reader that goes on from token to token meets each transaction once, while several write") func order()
        throws
    {
        let stack = try Stack(.postgresql, NamedModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        let (writers, saves) = (4, 20)
        let others = try (0..<writers).map { _ in try stack.secondCoordinator(Self.notifying) }
        let done = DispatchGroup()
        for (number, other) in others.enumerated() {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = other.0
            done.enter()
            context.perform {
                for save in 0..<saves {
                    context.transactionAuthor = "\(number) \(save)"
                    _ = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
                    try? context.save()
                }
                done.leave()
            }
        }
        var authors: [String] = []
        var token: NSPersistentHistoryToken?
        var isLast = false
        while true {
            let found = try transactions(stack.context, after: token)
            authors += found.compactMap(\.author)
            token = found.last?.token ?? token
            if isLast { break }
            isLast = done.wait(timeout: .now() + .milliseconds(5)) == .success
        }
        #expect(authors.count == writers * saves)
        #expect(Set(authors).count == writers * saves)
        for (coordinator, _) in others {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    /// Proves: PostgreSQL-H2, PostgreSQL-N1, PostgreSQL-N2
    @Test("another process's commit is announced: notification, row cache and merging contexts follow") func others()
        throws
    {
        let stack = try Stack(.postgresql, NamedModel.make(), options: Self.notifying)
        let opened = try stack.server
        let view = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        view.persistentStoreCoordinator = stack.coordinator
        view.automaticallyMergesChangesFromParent = true
        let object = insert("one", into: stack.context)
        try stack.context.save()
        let id = object.objectID
        let shown = view.performAndWait { view.object(with: id) }
        #expect(view.performAndWait { shown.value(forKey: "name") as? String } == "one")
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: stack.coordinator)
        try changeElsewhere(object, to: "two", opened)
        #expect(eventually { view.performAndWait { shown.value(forKey: "name") as? String == "two" } })
        #expect(eventually { log.count >= 1 })
        let last = try #require(try transactions(stack.context, after: nil).last)
        #expect(last.author == "elsewhere")
        #expect(last.changes?.first?.changedObjectID == id)
    }

    /// Proves: PostgreSQL-H3
    @Test("a removed history expires all tokens, and the next one goes on with higher numbers") func removed() throws {
        let stack = try Stack(.postgresql, NamedModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        _ = insert("one", into: stack.context)
        try stack.context.save()
        let token = try #require(stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
        let (second, context) = try stack.secondCoordinator([NSPersistentHistoryTrackingKey: false])
        #expect(second.currentPersistentHistoryToken(fromStores: nil) == nil)
        _ = insert("two", into: stack.context)
        try stack.context.save()
        _ = insert("three", into: context)
        let (third, _) = try stack.secondCoordinator([NSPersistentHistoryTrackingKey: true])
        // The store was opened before the history was begun.
        try context.save()
        #expect(try transactions(stack.context, after: nil).count == 1)
        #expect(throws: (any Error).self) { try transactions(stack.context, after: token) }
        for coordinator in [second, third] {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }
}
