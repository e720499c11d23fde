// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that another connection has open or reads, and openers that change the journal mode at once.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Stores in use") struct StoreInUseTests {
    private static let modes = ["DELETE", "TRUNCATE", "PERSIST"]

    private static func people(_ more: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        version { model in
            model.entity("Person") { person in
                person.attribute("name", .stringAttributeType)
                more(person)
            }
        }
    }

    private static func options(_ mode: String, timeout: Double = 0.1) -> [AnyHashable: Any] {
        [
            NSSQLitePragmasOption: ["journal_mode": mode], NSPersistentStoreTimeoutOption: timeout,
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    private static func names(_ store: MigratingStore) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter { $0.hasSuffix("-lock") }
    }

    /// Proves: G80
    @Test(
        "nobody migrates it while another process has it open: 134090", arguments: modes + ["WAL"]
    )
    func migration(_ mode: String) throws {
        let store = try MigratingStore()
        let later = Self.people { $0.attribute("age", .integer64AttributeType) }
        let first = try store.open(Self.people(), options: Self.options(mode))
        first.make("Person", ["name": "Ada"])
        try first.save()
        try store.close(first)
        let user = try ForeignUser(of: store.url)
        let error = try store.failure(later, options: Self.options(mode))
        #expect(error.code == NSPersistentStoreTimeoutError)
        #expect(error.localizedDescription.contains("locked by others"))
        try user.add("Bob")
        try user.close()
        #expect(try Self.names(store) == [])
        let context = try store.open(later, options: Self.options(mode))
        #expect(try context.values("Person", "name") == ["Ada", "Bob"])
        try store.close(context)
        #expect(try Self.names(store) == [])
    }

    @Test("it is neither destroyed nor replaced while it is open") func upkeep() throws {
        let store = try MigratingStore()
        let options = Self.options("DELETE")
        let user = try store.open(Self.people(), options: options)
        user.make("Person", ["name": "Ada"])
        try user.save()
        let other = store.folder.appending(path: "other.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.people())
        try user.persistentStoreCoordinator?.persistentStores.first?.backup(to: other)
        let refusals = [
            #expect(throws: NSError.self) {
                try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType, options: options)
            },
            #expect(throws: NSError.self) {
                try coordinator.replacePersistentStore(
                    at: store.url, destinationOptions: options, withPersistentStoreFrom: other, sourceOptions: nil,
                    ofType: NSSQLiteStoreType)
            },
        ]
        #expect(refusals.map { $0?.code } == [NSPersistentStoreTimeoutError, NSPersistentStoreTimeoutError])
        #expect(refusals.allSatisfy { $0?.localizedDescription.contains("This process has the file open") == true })
        #expect(try user.values("Person", "name") == ["Ada"])
        try store.close(user)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType, options: options)
        #expect(try store.bytes()["store.sqlite"]?.isEmpty == true)
    }

    /// Proves: G79
    @Test("an opener that needs exclusive access waits for a short reader", arguments: [JournalMode.wal, .delete])
    func reader(_ mode: JournalMode) throws {
        let store = try MigratingStore()
        try store.close(store.open(Self.people(), options: Self.options(mode.rawValue)))
        let reader = try Connection(url: store.url, options: .init(access: .readWrite))
        try reader.begin()
        #expect(try reader.value("SELECT count(*) FROM ZPERSON")?.integerValue == 0)
        let thread = Thread {
            Thread.sleep(forTimeInterval: 0.2)
            try? reader.rollback()
            try? reader.close()
        }
        thread.start()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.people())
        try coordinator.destroyPersistentStore(
            at: store.url, ofType: NSSQLiteStoreType, options: Self.options(mode.rawValue, timeout: 20))
        #expect(try store.bytes()["store.sqlite"]?.isEmpty == true)
    }

    @Test("two may have it open, and the lock is there until the last one closes it") func twoUsers() throws {
        let store = try MigratingStore()
        let (first, second) = (
            try store.open(Self.people(), options: Self.options("DELETE")),
            try store.open(Self.people(), options: Self.options("DELETE"))
        )
        try store.close(first)
        #expect(try Self.names(store).count == 1)
        try store.close(second)
        #expect(try Self.names(store) == [])
    }

    /// Proves: G79
    @Test("an opener waits for another one that changes the journal mode at the same time")
    func twoChangers() throws {
        let store = try MigratingStore()
        try store.close(store.open(Self.people(), options: Self.options("DELETE")))
        // The lock that SQLite takes to change the mode: the second change would be refused at once.
        let other = try Connection(url: store.url, options: .init(access: .readWrite))
        try other.begin(.immediate)
        let thread = Thread {
            Thread.sleep(forTimeInterval: 0.2)
            try? other.rollback()
            try? other.close()
        }
        thread.start()
        let context = try store.open(Self.people(), options: [NSPersistentStoreTimeoutOption: 20])
        #expect(try store.column("PRAGMA journal_mode") == [.text("wal")])
        try store.close(context)
    }

    @Test("a mode that another opener prevents for longer than the timeout is refused: 134090") func refused() throws {
        let store = try MigratingStore()
        try store.close(store.open(Self.people(), options: Self.options("DELETE")))
        let other = try Connection(url: store.url, options: .init(access: .readWrite))
        try other.begin(.immediate)
        let error = try store.failure(Self.people(), options: [NSPersistentStoreTimeoutOption: 0.1])
        #expect(error.code == NSPersistentStoreTimeoutError)
        try other.rollback()
        try other.close()
        try store.close(store.open(Self.people(), options: nil))
    }
}
