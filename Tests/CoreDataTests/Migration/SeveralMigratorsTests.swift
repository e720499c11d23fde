// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations of a store that another opener has migrated since they examined it.

import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

@Suite("Several migrators of one store") struct SeveralMigratorsTests {
    private func people(_ count: Int) -> NSManagedObjectModel {
        version { model in
            model.entity("Person") { person in
                for number in 1...count { person.attribute("a\(number)", .stringAttributeType) }
            }
        }
    }

    private func store() throws -> MigratingStore {
        try MigratingStore(people(1)) { context in context.make("Person", ["a1": "Ada"]) }
    }

    private func metadata(_ store: MigratingStore) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store.url)
    }

    private func schema(_ store: MigratingStore, _ model: NSManagedObjectModel) throws -> SchemaMigration {
        SchemaMigration(
            store: StoreLocation(url: store.url, type: NSSQLiteStoreType, options: MigratingStore.migrating),
            configuration: nil, model: model,
            target: MigrationTarget(layout: try model.compiledLayout(), entities: model.entities))
    }

    /// Proves: G61, G79
    @Test("a plan with old metadata is one from the version that the store has by now") func plan() throws {
        let (store, third) = (try store(), people(3))
        let old = try metadata(store)
        let plan = try PlannedMigration(store.url, NSSQLiteStoreType, nil, third, MigratingStore.migrating)
        let second = people(2)
        try store.close(try store.migrate(to: second))
        #expect(try plan.contents(knowing: old)?.steps.map(\.sourceChecksum) == [second.versionChecksum])
        try store.close(try store.migrate(to: third))
        #expect(try plan.contents(knowing: old) == nil)
    }

    /// Proves: G79
    @Test("a migration that fails because another one came first counts as done") func leg() throws {
        let (store, model) = (try store(), people(2))
        let schema = try schema(store, model)
        var step = try #require(try schema.prepared(metadata: metadata(store)).first as? StatementsStep)
        step.migration.beforeLock = {
            try store.close(try store.open(model))
            throw CocoaError(.fileReadUnknown)
        }
        let report = try schema.run(step, nil, nil)
        #expect(report == nil)
        let context = try store.open(model, options: nil)
        #expect(try context.all("Person").count == 1)
        try store.close(context)
    }

    /// Proves: G71
    @Test("a migration that fails for another reason fails") func otherReason() throws {
        let (store, model) = (try store(), people(2))
        let schema = try schema(store, model)
        var step = try #require(try schema.prepared(metadata: metadata(store)).first as? StatementsStep)
        step.migration.beforeLock = { throw CocoaError(.fileReadUnknown) }
        let failing = step
        #expect(throws: NSError.self) { try schema.run(failing, nil, nil) }
    }

    /// A progress that signals each read of it by a migration. The first one is before the wait for the lock.
    private final class Asked: Progress, @unchecked Sendable {
        let signal = DispatchSemaphore(value: 0)
        override var isCancelled: Bool {
            get {
                signal.signal()
                return false
            }
            set { Issue.record("cancelled: \(newValue)") }
        }
    }

    /// Proves: G51, G57, G79
    @Test("stages do not run for a store that another opener has migrated in the meantime") func stages() throws {
        let (store, model) = (try store(), people(2))
        let calls = Mutex(0)
        let first = people(1)
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
            to: NSManagedObjectModelReference(model: people(2), versionChecksum: model.versionChecksum))
        let progress = Asked(totalUnitCount: 1)
        let ended = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>(nil)
        let count = { @Sendable in calls.withLock { $0 += 1 } }
        stage.willMigrateHandler = { _, _ in count() }
        var options = MigratingStore.migrating
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
        options[MigrationOption.progress] = progress
        var turn: MigrationLock? = try MigrationLock(of: store.url, timeout: .seconds(2))
        let opener = StageOpener(store: store, model: people(2), options: options)
        Thread.detachNewThread {
            let error = opener.run()
            failure.withLock { $0 = error }
            ended.signal()
        }
        progress.signal.wait()
        try store.close(try store.open(model))
        #expect(turn != nil)
        turn = nil
        ended.wait()
        #expect(failure.withLock { $0 } == nil)
        #expect(calls.withLock { $0 } == 0)
    }

    /// Proves: G80
    @Test(
        "an opener gives up where another one migrates for longer than its timeout",
        arguments: [StoreKind.xml, .binary])
    func waitsTooLong(kind: StoreKind) throws {
        let store = try MigratingStore(people(1), in: kind) { $0.make("Person") }
        let options = MigratingStore.migrating.merging([
            NSPersistentStoreTimeoutOption: 0.1, MigrationOption.versions: [people(1)],
        ]) { $1 }
        let turn = try MigrationLock(of: store.url, timeout: .seconds(1))
        let error = #expect(throws: NSError.self) { try store.open(people(2), options: options) }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        withExtendedLifetime(turn) {}
        let context = try store.open(people(1), options: nil)
        #expect(try context.all("Person").count == 1)
        try store.close(context)
    }
}

/// Opens and closes a store on another thread.
private struct StageOpener: @unchecked Sendable {  // used only by that thread
    let store: MigratingStore
    let model: NSManagedObjectModel
    let options: [AnyHashable: Any]

    /// The error, as text; nil for none.
    func run() -> String? {
        do {
            try store.close(try store.open(model, options: options))
            return nil
        } catch {
            return "\(error)"
        }
    }
}
