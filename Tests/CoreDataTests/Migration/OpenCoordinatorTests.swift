// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrations of a store that another coordinator of the same process has open with the old version.

import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

@Suite("Migrating a store that this process has open") struct OpenCoordinatorTests {
    /// A way of migrating a SQLite store, with its journal.
    enum Way: String, CaseIterable {
        case statements, statementsWithoutLog, original, stage, stageWithoutLog

        fileprivate var isStage: Bool { self == .stage || self == .stageWithoutLog }

        var options: [AnyHashable: Any] {
            let hasLog = self != .statementsWithoutLog && self != .stageWithoutLog
            return [
                NSSQLitePragmasOption: ["journal_mode": hasLog ? "WAL" : "DELETE"], NSPersistentStoreTimeoutOption: 0.1,
            ]
        }

        var migrating: [AnyHashable: Any] {
            var options = options
            guard isStage else {
                options[MigrationOption.keepsOriginal] = self == .original
                return options.merging([
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ]) { $1 }
            }
            let references = [false, true].map(OpenCoordinatorTests.people).map {
                NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
            }
            let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
            return options
        }
    }

    /// The new version has another entity before this one, so that the entity gets another number.
    static func people(_ isNew: Bool) -> NSManagedObjectModel {
        version { model in
            if isNew { model.entity("Address") }
            model.entity("Person") { person in
                person.attribute("name", .stringAttributeType)
                if isNew { person.attribute("age", .integer64AttributeType) }
            }
        }
    }

    /// A store with one person, which the given context has open and has read.
    private func opened(_ options: [AnyHashable: Any]?, in kind: StoreKind = .sqlite) throws -> (
        MigratingStore, NSManagedObjectContext
    ) {
        let store = try MigratingStore(kind)
        let user = try store.open(Self.people(false), options: options)
        user.make("Person", ["name": "Ada"])
        try user.save()
        return (store, user)
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    /// Proves: G79, G93
    @Test(
        "a store that is not read or written is migrated; the old coordinator refuses all work", arguments: Way.allCases
    )
    func idle(way: Way) throws {
        let (store, user) = try opened(way.options)
        let ada = try #require(try user.all("Person").first)
        #expect(ada.value(forKey: "name") as? String == "Ada")
        user.make("Person", ["name": "Bob"])
        let context = try store.open(Self.people(true), options: way.migrating)
        #expect(try context.values("Person", "name") == ["Ada"])
        context.make("Person", ["name": "Cy", "age": 3])
        try context.save()
        let refusal = NSPersistentStoreIncompatibleVersionHashError
        #expect(code { try user.save() } == refusal)
        #expect(code { _ = try user.all("Person") } == refusal)
        #expect(code { _ = try user.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) } == refusal)
        #expect(
            code { _ = try user.execute(NSBatchDeleteRequest(fetchRequest: .init(entityName: "Person"))) } == refusal)
        #expect(ada.value(forKey: "name") as? String == "Ada")
        ada.setValue("Eve", forKey: "name")
        #expect(code { try user.save() } == refusal)
        #expect(try context.values("Person", "name") == ["Ada", "Cy"])
        try store.close(user)
        #expect(try context.values("Person", "name") == ["Ada", "Cy"])
        try store.close(context)
        #expect(try store.differences(from: Self.people(true)) == [])
    }

    /// Proves: G80, G93
    @Test(
        "a store with a query generation is not migrated: 134090 names this process",
        arguments: [Way.statements, .stage])
    func generation(way: Way) throws {
        let (store, user) = try opened(way.options)
        try user.setQueryGenerationFrom(.current)
        #expect(try user.all("Person").count == 1)
        let error = try store.failure(Self.people(true), options: way.migrating)
        #expect(error.code == NSPersistentStoreTimeoutError)
        #expect(error.localizedDescription.contains("This process has the file open"), "\(error.localizedDescription)")
        user.make("Person", ["name": "Bob"])
        try user.save()
        try user.setQueryGenerationFrom(nil)
        let context = try store.open(Self.people(true), options: way.migrating)
        #expect(try context.values("Person", "name") == ["Ada", "Bob"])
        try store.close(context)
        try store.close(user)
    }

    /// Proves: G80, G93
    @Test("a block that has read keeps its read transaction, so the store is not migrated under it: 134090")
    func block()
        throws
    {
        let (store, other) = try opened(Way.statements.options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = other.persistentStoreCoordinator
        nonisolated(unsafe) let place = store
        let code = try context.performAndWait {
            _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
            return try place.failure(Self.people(true), options: Way.statements.migrating).code
        }
        #expect(code == NSPersistentStoreTimeoutError)
        try store.close(try store.open(Self.people(true), options: Way.statements.migrating))
        try store.close(other)
    }

    /// Proves: G71, G93
    @Test("after a migration that fails the old coordinator goes on working", arguments: [Way.statements, .original])
    func failed(way: Way) throws {
        let (store, user) = try opened(way.options)
        let strict = version { model in
            model.entity("Person") { person in
                person.attribute("name", .stringAttributeType)
                person.attribute("age", .integer64AttributeType, optional: false)
            }
        }
        user.make("Person", ["name": "Bob"])
        #expect(try store.failure(strict, options: way.migrating).code == NSMigrationError)
        try user.save()
        #expect(try user.values("Person", "name") == ["Ada", "Bob"])
        try store.close(user)
    }

    /// Saves people with the old version until a save is refused.
    private struct Saver: @unchecked Sendable {  // used by one thread
        let context: NSManagedObjectContext

        /// The number of saves, and the code of the refusal.
        func run(_ didSave: () -> Void) -> (Int, Int) {
            var count = 0
            while true {
                context.make("Person", ["name": "B"])
                do {
                    try context.save()
                } catch {
                    return (count, (error as NSError).code)
                }
                count += 1
                didSave()
            }
        }
    }

    /// Proves: G79, G93
    @Test(
        "each save of the old coordinator comes along or is refused",
        arguments: [Way.statements, .statementsWithoutLog])
    func saving(way: Way) throws {
        let (store, user) = try opened(way.options)
        let saver = Saver(context: user)
        let result = Mutex((0, 0))
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            let found = saver.run { begun.signal() }
            result.withLock { $0 = found }
            ended.signal()
        }
        for _ in 0..<5 { begun.wait() }
        let options = way.migrating.merging([NSPersistentStoreTimeoutOption: 60]) { $1 }
        let context = try store.open(Self.people(true), options: options)
        ended.wait()
        let (count, code) = result.withLock { $0 }
        #expect(try context.all("Person").count == count + 1)
        let refusals = [
            NSPersistentStoreIncompatibleVersionHashError, NSPersistentStoreOperationError,
            NSPersistentStoreTimeoutError,
        ]
        #expect(refusals.contains(code), "\(code)")
        try store.close(user)
        try store.close(context)
    }

    /// Proves: G93
    @Test("an open file that another coordinator migrates is not saved over", arguments: [StoreKind.xml, .binary])
    func atomic(kind: StoreKind) throws {
        let (store, user) = try opened(nil, in: kind)
        user.make("Person", ["name": "Bob"])
        let versions = [MigrationOption.versions: [Self.people(false)]]
        let options = MigratingStore.migrating.merging(versions) { $1 }
        let context = try store.open(Self.people(true), options: options)
        let before = try store.bytes()
        #expect(throws: NSError.self) { try user.save() }
        #expect(try store.bytes() == before)
        #expect(try context.values("Person", "name") == ["Ada"])
        try store.close(context)
        try store.close(user)
    }
}
