// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Interrupts migrations after each statement: the old store still exists, whole.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Interrupted migrations") struct InterruptedMigrationTests {
    private func museum() throws -> (store: MigratingStore, old: NSManagedObjectModel, account: [String]) {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 60, scans: 120_000)
        let account = try museum.account()
        try museum.coordinator.remove(museum.store)
        return (try copy(of: museum.stack.folder, museum.stack.url), museum.stack.model, account)
    }

    /// A copy of a store's folder, in a new folder.
    private func copy(of folder: URL, _ url: URL) throws -> MigratingStore {
        let place = FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: place)
        return MigratingStore(at: place.appending(path: url.lastPathComponent))
    }

    /// Every kind of statement: renames, new and dropped columns, updates, a rebuilt table, joins, moved links.
    private var newModel: NSManagedObjectModel {
        let model = MuseumModel.make()
        let entities = model.entitiesByName
        model.entity("Aardvark")
        entities["Exhibit"]?.attributesByName["small"]?.attributeType = .doubleAttributeType
        entities["Exhibit"]?.attribute("added", .stringAttributeType, default: "new")
        entities["Exhibit"]?.relationshipsByName["keywords"]?.isOrdered = true
        entities["Room"]?.attributesByName["name"]?.name = "title"
        entities["Room"]?.attributesByName["title"]?.renamingIdentifier = "name"
        entities["Tour"]?.relationshipsByName["stops"]?.isOrdered = false
        return model
    }

    private func migration(_ store: MigratingStore, _ old: NSManagedObjectModel) throws -> SQLiteMigration {
        let model = newModel
        return SQLiteMigration(
            url: store.url, options: try SQLiteStoreOptions(nil), source: old,
            sourceLayout: ModelLayout(entities: old.entities),
            target: MigrationTarget(layout: try model.compiledLayout(), entities: model.entities))
    }

    /// Proves: G65, G66
    @Test("the files of every moment between two statements are the old store") func killed() throws {
        let (store, old, account) = try museum()
        let migration = try migration(store, old)
        let lock = try #require(try ExclusiveLock(url: store.url, timeout: .seconds(5)).acquire { true })
        let connection = lock.connection
        defer { try? connection.close() }
        // Pages are written to the file before the commit, as those of a large store are.
        try connection.setPragma("cache_size", to: 8)
        try MigrationFunctions.add(to: connection, folder: ExternalFiles.folder(of: store.url))
        let statements = try migration.prepare(connection).statements
        #expect(statements.count > 20)
        var moments = 0
        for statement in statements {
            try connection.execute(statement)
            moments += 1
            guard moments % 3 == 0 || statement.hasPrefix("UPDATE") || statement.hasPrefix("INSERT") else { continue }
            let opened = try copy(of: store.folder, store.url)
            let context = try opened.open(old, options: nil)
            let found = try Museum.account(try #require(context.persistentStoreCoordinator))
            #expect(found == account, "after: \(statement)")
            try opened.close(context)
            #expect(try opened.differences(from: old) == [])
        }
        try connection.rollback()
    }

    /// Takes minutes, so it belongs to `Scripts/test-long`.
    ///
    /// Proves: G65, G66
    @Test(
        "the files after each statement of each script are the old store",
        .enabled(if: ProcessInfo.processInfo.environment["OCD_MIGRATION_STEP"] != nil),
        arguments: MigrationScenario.byStatements)
    func everyStatement(scenario: MigrationScenario) throws {
        let (store, old, model) = (try scenario.store(), scenario.old, scenario.new)
        let before = try store.account(old)
        let migration = SQLiteMigration(
            url: store.url, options: try SQLiteStoreOptions(nil), source: old,
            sourceLayout: ModelLayout(entities: old.entities),
            target: MigrationTarget(layout: try model.compiledLayout(), entities: model.entities),
            rebuilds: scenario == .rebuilt)
        let lock = try #require(try ExclusiveLock(url: store.url, timeout: .seconds(5)).acquire { true })
        let connection = lock.connection
        defer { try? connection.close() }
        try connection.setPragma("cache_size", to: 8)
        try MigrationFunctions.add(to: connection, folder: ExternalFiles.folder(of: store.url))
        let statements = try migration.prepare(connection).statements
        #expect(!statements.isEmpty)
        for statement in statements {
            try connection.execute(statement)
            let opened = try copy(of: store.folder, store.url)
            #expect(try opened.account(old) == before, "after: \(statement)")
            #expect(try opened.differences(from: old) == [])
        }
        try connection.rollback()
    }

    /// Proves: G65, G71
    @Test("a migration that ends after any statement leaves all rows, and the next one works") func failed() throws {
        let (store, old, account) = try museum()
        let migration = try migration(store, old)
        let count = try migration.survey().statements.count
        for number in stride(from: 0, to: count, by: 2) {
            let lock = try #require(try ExclusiveLock(url: store.url, timeout: .seconds(5)).acquire { true })
            try MigrationFunctions.add(to: lock.connection, folder: ExternalFiles.folder(of: store.url))
            for statement in try migration.prepare(lock.connection).statements.prefix(number) {
                try lock.connection.execute(statement)
            }
            try lock.connection.rollback()
            try lock.connection.close()
        }
        let before = try store.open(old, options: nil)
        #expect(try Museum.account(try #require(before.persistentStoreCoordinator)) == account)
        try store.close(before)
        let context = try store.migrate(to: newModel)
        #expect(try context.all("Exhibit").count == 60)
        #expect(try context.all("Exhibit").allSatisfy { $0.value(forKey: "added") as? String == "new" })
        try store.close(context)
    }

    /// Proves: G79, G80
    @Test("an opener that a migration overtakes does not take the new store for the old one") func overtaken() throws {
        let (store, old, _) = try museum()
        nonisolated(unsafe) let place = store
        let next = newModel
        var code = 0
        FileCallHook.before(writing: store.url) {
            if let context = try? place.migrate(to: next) { try? place.close(context) }
        } during: {
            do {
                try store.close(store.open(old, options: nil))
            } catch {
                code = (error as NSError).code
            }
        }
        #expect(code == NSPersistentStoreIncompatibleVersionHashError)
        let context = try store.open(newModel, options: nil)
        #expect(try context.all("Exhibit").count == 60)
        try store.close(context)
    }

    /// Proves: G79
    @Test("a store that another opener has locked is waited for, and not taken for one without a model")
    func locked() throws {
        let (store, old, _) = try museum()
        let lock = try #require(try ExclusiveLock(url: store.url, timeout: .seconds(5)).acquire { true })
        defer { try? lock.connection.close() }
        let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.1]
        let place = StoreLocation(url: store.url, type: NSSQLiteStoreType, options: options)
        let models = SourceModels(hashes: old.entityVersionHashesByName, store: place)
        let error = #expect(throws: NSError.self) { try models.find() }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        let other = #expect(throws: NSError.self) { try place.metadata() }
        #expect(other?.code == NSPersistentStoreTimeoutError)
        try lock.connection.rollback()
        #expect(try models.find() != nil)
    }
}
