// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the limits of a store on a server, and what cancelled tasks stop. Limits-L1 to C3, Telemetry-O2.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Limits of a store on a server", .needsServer, .serialized) struct ServerLimitTests {
    private static var one: [AnyHashable: Any] {
        [NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 0.2]
    }

    private func stack(_ options: [AnyHashable: Any]) throws -> Stack {
        try Stack(.postgresql, BookshopModel.make(), options: options)
    }

    /// The error of a count while the only connection is taken.
    private func countWhileTaken(_ stack: Stack) throws -> (any Error)? {
        var failure: (any Error)?
        try stack.server.sessions.with(repeats: false) { _ in
            do { _ = try stack.newContext().count(for: Book.request()) } catch { failure = error }
        }
        return failure
    }

    @Test("a call that gets no connection in time throws 134090") func timeout() throws {
        let stack = try stack(Self.one)
        let error = try countWhileTaken(stack)
        #expect((error as? CocoaError)?.code.rawValue == 134090)
        #expect(try stack.newContext().count(for: Book.request()) == 0)
        #expect(stack.store.condition?.connectionLimit == 1 && stack.store.condition?.connectionsInUse == 0)
    }

    @Test("a call beyond the number of waiting calls is refused at once") func backPressure() throws {
        let stack = try stack([
            NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 600, NSStoreWaitingLimitOption: 0,
        ])
        let error = try countWhileTaken(stack)
        #expect((error as? CocoaError)?.code.rawValue == 134090)
        #expect("\(try #require(error))".contains("NSStoreWaitingLimitOption"))
    }

    @Test("a cancelled task cancels its statement on the server, and its connection is not used again")
    func reading() async throws {
        let stack = try stack([:])
        let context = stack.newContext(.privateQueueConcurrencyType)
        context.stopsStatementsOfCancelledTasks = true
        let opened = try stack.server
        let backend = Mutex<Int32>(0)
        let task = Task {
            try await context.perform {
                try opened.readPrimary { connection in
                    backend.withLock { $0 = connection.backend }
                    _ = try connection.run(Statement("SELECT pg_sleep(60)", isReused: false), opened.sessions.deadline)
                }
            }
        }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        let error = await #expect(throws: CocoaError.self) { try await task.value }
        #expect(error?.code == .userCancelled)
        let next = try opened.readPrimary { $0.backend }
        #expect(next != backend.withLock { $0 })
        #expect(try await context.perform { try context.count(for: Book.request()) } == 0)
    }

    @Test("a cancelled save is complete, or nothing of it is written") func saving() async throws {
        let stack = try stack([:])
        for delay in stride(from: 0, to: 40, by: 5) {
            let context = stack.newContext(.privateQueueConcurrencyType)
            context.stopsStatementsOfCancelledTasks = true
            let before = try stack.newContext().count(for: Book.request())
            let task = Task {
                try await context.perform {
                    for index in 0..<200 { Book(context: context).title = "\(index)" }
                    try context.save()
                }
            }
            try await Task.sleep(for: .milliseconds(delay))
            task.cancel()
            let isSaved = (try? await task.value) != nil
            #expect(try stack.newContext().count(for: Book.request()) - before == (isSaved ? 200 : 0))
            try await context.perform { try context.save() }
            #expect(try stack.newContext().count(for: Book.request()) - before == 200)
        }
    }

    @Test("observers see each statement with its rows, its end and its error") func observer() throws {
        let base = try #require(StoreKind.serverURL)
        let url = try #require(URL(string: base))
        let options = [NSPostgreSQLSchemaOption: "observed \(UUID().uuidString.prefix(8))"]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let log = OperationLog()
        coordinator.storeObservers = [log]
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        for title in ["Dune", "Emma"] { Book(context: context).title = title }
        try context.save()
        _ = try context.fetch(Book.request())
        let entries = log.take()
        #expect(entries.allSatisfy { $0.report != nil })
        let statements = entries.of(.statement).map(\.operation)
        #expect(statements.allSatisfy { $0.systemName == "postgresql" && $0.serverAddress != nil })
        let schema = try #require(options[NSPostgreSQLSchemaOption])
        #expect(statements.allSatisfy { $0.databaseName?.hasSuffix("|\(schema)") == true })
        #expect(statements.allSatisfy { $0.serverPort ?? 0 > 0 })
        let fetch = try #require(entries.of(.fetch).last)
        let rows = entries.filter { $0.operation.parentID == fetch.operation.id }.map(\.report?.rows)
        #expect(rows.contains(2))
        #expect(!entries.contains { $0.operation.statement?.contains("Dune") == true })
        try coordinator.remove(store)
        try coordinator.destroyPersistentStore(at: url, ofType: StoreKind.postgresql.type, options: options)
    }
}
