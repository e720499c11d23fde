// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The read transaction that stays open for a moment after a read. Stores-G7.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

@Suite("A read transaction stays open for the next read") struct IdleTransactionTests {
    private let stack: Stack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try Stack(.sqlite, NamedModel.make())
        context = stack.newContext(.privateQueueConcurrencyType)
        try insert(context)
    }

    private func insert(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
            note.setValue("x", forKey: "name")
            try context.save()
        }
    }

    private func count() throws -> Int {
        try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Named")) }
    }

    /// Whether another program can empty the log, which needs that nobody reads it.
    private func canEmptyLog(_ connection: Connection) throws -> Bool {
        do {
            _ = try connection.checkpoint(.truncate, waiting: .zero)
            return true
        } catch  where error.isBusy {
            return false
        }
    }

    private func otherProgram() throws -> Connection {
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        try connection.execute("UPDATE ZNAMED SET ZNAME = 'y'")
        return connection
    }

    @Test("so that blocks which follow each other begin few transactions") func shared() throws {
        let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
        let begins = Mutex(0)
        // The only reader.
        try store.opened().pool.read(in: nil, since: 0) { connection in
            connection.setTrace { trace in
                if trace.sql == "BEGIN DEFERRED" { begins.withLock { $0 += 1 } }
            }
        }
        for _ in 0..<200 { #expect(try count() == 1) }
        #expect(begins.withLock { (1..<100).contains($0) })
    }

    @Test("and shows what others have committed since") func fresh() throws {
        let (_, elsewhere) = try stack.secondCoordinator()
        for number in 1...20 {
            #expect(try count() == number)
            try insert(elsewhere)
        }
        #expect(try count() == 21)
    }

    @Test("but ends soon, so that another program can empty the log") func ends() throws {
        for _ in 0..<3 { _ = try count() }
        let connection = try otherProgram()
        let end = Date(timeIntervalSinceNow: 30)
        while try !canEmptyLog(connection), Date() < end { usleep(2_000) }
        #expect(try canEmptyLog(connection))
        try connection.close()
    }

    @Test("and ends before a save of its coordinator") func save() throws {
        for _ in 0..<3 { _ = try count() }
        try insert(context)
        let connection = try otherProgram()
        #expect(try canEmptyLog(connection))
        try connection.close()
        #expect(try count() == 2)
    }

    @Test("and does not keep a store from being removed and closed") func removal() throws {
        for _ in 0..<3 { _ = try count() }
        try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        // Nobody else has the file open.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        try connection.close()
    }
}
