// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads of an open store after another program died in the middle of a transaction.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: Stores-K29
@Suite("After a writer died in a transaction with a rollback journal") struct InterruptedWriterTests {
    /// A store with a name, closed.
    private static func store() throws -> Stack {
        let stack = try Stack(
            .sqlite, NamedModel.make(), options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        NSEntityDescription.insertNewObject(forEntityName: "Named", into: stack.context).setValue("old", forKey: "name")
        try stack.context.save()
        return stack
    }

    /// Leaves database and journal as a program does that is killed when a part of its transaction is written.
    private static func dieInTransaction(_ url: URL) throws {
        let connection = try Connection(url: url)
        try connection.execute("PRAGMA cache_size = 1; PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        try connection.execute("UPDATE ZNAMED SET ZNAME = 'half'")
        try connection.execute("CREATE TABLE FILLING (TEXT); INSERT INTO FILLING VALUES (zeroblob(100000))")
        let (half, journal) = (try Data(contentsOf: url), try Data(contentsOf: URL(filePath: url.path + "-journal")))
        try connection.rollback()
        try connection.close()
        // Written into the same file, which others have open.
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: half)
        try file.close()
        try journal.write(to: URL(filePath: url.path + "-journal"))
    }

    @Test("an open store reads the earlier state", arguments: [false, true]) func reading(isReadOnly: Bool) throws {
        let stack = try Self.store()
        var options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
        if isReadOnly { options[NSReadOnlyPersistentStoreOption] = true }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        request.predicate = NSPredicate(format: "name == %@", "old")
        #expect(try context.count(for: request) == 1)
        try Self.dieInTransaction(stack.url)
        #expect(FileManager.default.fileExists(atPath: stack.url.path + "-journal"))
        #expect(try context.count(for: request) == 1)
        #expect(!FileManager.default.fileExists(atPath: stack.url.path + "-journal"))
        try coordinator.remove(try #require(coordinator.persistentStores.first))
    }

    @Test("an inspection that meets the journal between two reads begins again") func inspection() throws {
        let stack = try Self.store()
        try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
        var attempts = 0
        let name = try SQLiteStoreFile(url: stack.url).inspect { connection in
            attempts += 1
            if attempts == 1 { try Self.dieInTransaction(stack.url) }
            return try connection.value("SELECT ZNAME FROM ZNAMED")?.textValue
        }
        #expect(name == "old")
        #expect(attempts == 2)
    }

    @Test("an inspection ends where one journal follows another") func journals() throws {
        let stack = try Self.store()
        try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
        var attempts = 0
        #expect(throws: SQLiteError.self) {
            try SQLiteStoreFile(url: stack.url).inspect { connection in
                attempts += 1
                try Self.dieInTransaction(stack.url)
                _ = try connection.value("SELECT ZNAME FROM ZNAMED")
            }
        }
        #expect(attempts == 21)
    }
}
