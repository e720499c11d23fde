// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that migrations use no class of the program, check the disk space first, and survive hostile files.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

/// Counts its instances.
final class CountedPerson: NSManagedObject {
    static let made = Mutex(0)

    override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.made.withLock { $0 += 1 }
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        Self.made.withLock { $0 += 1 }
    }
}

@Suite("Safety of migrations") struct MigrationSafetyTests {
    private func model(_ attribute: NSAttributeType, isCounted: Bool = false, extra: Bool = false)
        -> NSManagedObjectModel
    {
        version { model in
            let person = model.entity("Person") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("age", attribute, default: extra ? 7 : nil)
                if extra { $0.attribute("rank", .integer16AttributeType, optional: false, default: 1) }
            }
            if isCounted { person.managedObjectClassName = NSStringFromClass(CountedPerson.self) }
            let pet = model.entity("Pet")
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            if extra { model.entity("Aardvark") }
        }
    }

    private func store(isCounted: Bool = false) throws -> MigratingStore {
        try MigratingStore(model(.integer32AttributeType, isCounted: isCounted)) { context in
            for number in 0..<20 {
                let person = context.make("Person", ["name": "P\(number)", "age": number])
                context.make("Pet", ["owner": person])
            }
        }
    }

    /// Proves: G33
    @Test("a migration by statements makes no object of a class") func noObjects() throws {
        let store = try store(isCounted: true)
        let before = CountedPerson.made.withLock { $0 }
        #expect(before == 20)
        let context = try store.migrate(to: model(.doubleAttributeType, isCounted: true, extra: true))
        #expect(CountedPerson.made.withLock { $0 } == before)
        #expect(try context.all("Person").first is CountedPerson)
        #expect(try context.values("Person", "rank").allSatisfy { $0 == "1" })
        #expect(CountedPerson.made.withLock { $0 } > before)
        try store.close(context)
    }

    /// Proves: G68
    @Test("too little room on the disk is 640 before a byte changes; enough of it migrates") func room() throws {
        let store = try store()
        let (old, new) = (model(.integer32AttributeType), model(.doubleAttributeType, extra: true))
        var migration = SQLiteMigration(
            url: store.url, options: try SQLiteStoreOptions(nil), source: old,
            sourceLayout: ModelLayout(entities: old.entities),
            target: MigrationTarget(layout: try new.compiledLayout(), entities: new.entities))
        let needed = try migration.survey().bytesNeeded
        let before = try store.bytes()
        migration.freeBytes = { _ in needed - 1 }
        let error = #expect(throws: NSError.self) { try migration.run { _, _ in } }
        #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
        #expect(try store.bytes() == before)
        migration.freeBytes = { _ in needed }
        #expect(try migration.run { _, _ in } != nil)
        #expect(try store.differences(from: new) == [])
    }

    /// The store either is migrated whole, or throws an error.
    private func attempt(_ store: MigratingStore, _ subject: String) throws {
        let new = model(.doubleAttributeType, extra: true)
        var isOpen = false
        do {
            _ = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: new)
            let context = try store.open(new)
            isOpen = true
            try store.close(context)
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain, "\(subject): \(error)")
        }
        if isOpen { #expect(try store.differences(from: new) == [], "\(subject)") }
    }

    /// Proves: G81
    @Test("files with changed bytes are migrated, or refused with a Cocoa error") func damagedFiles() throws {
        let whole = try store()
        let original = try Data(contentsOf: whole.url)
        var state: UInt64 = 7
        for round in 0..<40 {
            var data = original
            for _ in 0..<(1 + round % 4) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                data[Int(state >> 33) % data.count] = UInt8(truncatingIfNeeded: state >> 20)
            }
            if round % 8 == 7 { data = data.prefix(Int(state >> 33) % data.count) }
            let store = try MigratingStore()
            try data.write(to: store.url)
            #expect(throws: Never.self, "round \(round)") { try openOrRefuse(store) }
        }
    }

    /// Damage outside of written tables is not searched: `coredata-tool migrate verify` does that.
    private func openOrRefuse(_ store: MigratingStore, as type: NSAttributeType = .doubleAttributeType) throws {
        do {
            let context = try store.open(model(type, extra: true))
            try store.close(context)
        } catch {
            let error = error as NSError
            if error.domain != NSCocoaErrorDomain { throw error }
        }
    }

    /// Proves: G81
    @Test(
        "forged metadata and hostile names are migrated whole or refused",
        arguments: [
            "UPDATE Z_METADATA SET Z_PLIST = x'00'", "UPDATE Z_METADATA SET Z_PLIST = 'text'", "DELETE FROM Z_METADATA",
            "UPDATE Z_METADATA SET Z_UUID = NULL", "DELETE FROM Z_PRIMARYKEY",
            "UPDATE Z_MODELCACHE SET Z_CONTENT = x'78'",
            "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT",
            "UPDATE Z_PRIMARYKEY SET Z_ENT = 9223372036854775807 WHERE Z_ENT = 1",
            "UPDATE Z_PRIMARYKEY SET Z_NAME = 'x''); DROP TABLE ZPERSON; --' WHERE Z_ENT = 2",
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many'",
            "CREATE TABLE \"Z_1\"\"; DROP TABLE ZPERSON; --\" (\"a\"\"b\" INTEGER)",
            "CREATE TABLE \"ZODD\"\"NAME\" (Z_ENT INTEGER, \"c'd\" TEXT)",
            "CREATE INDEX \"i\"\"; DROP TABLE ZPERSON; --\" ON ZPERSON (ZNAME)",
            "CREATE TRIGGER \"t\"\"x\" AFTER UPDATE ON ZPERSON BEGIN DELETE FROM ZPET; END",
            "CREATE VIEW ZAARDVARK AS SELECT 1", "ALTER TABLE ZPERSON ADD COLUMN \"Z\"\"Q\" BLOB",
            "ALTER TABLE ZPERSON DROP COLUMN ZAGE", "DROP TABLE ZPET", "UPDATE ZPERSON SET ZAGE = x'ff'",
            "UPDATE ZPERSON SET Z_ENT = 'one'", "PRAGMA user_version = -1",
        ])
    func forged(sql: String) throws {
        let store = try store()
        let connection = try Connection(url: store.url)
        try connection.execute(sql)
        try connection.close()
        try attempt(store, sql)
        let tables = try store.column("SELECT COUNT(*) FROM sqlite_master WHERE name = 'ZPERSON'")
        #expect(tables == [.integer(1)])
    }

    /// Proves: G72, G81
    @Test(
        "rows with the number of no entity are in the table afterwards",
        arguments: [NSAttributeType.integer32AttributeType, .doubleAttributeType])
    func strayNumbers(type: NSAttributeType) throws {
        let store = try store()
        let connection = try Connection(url: store.url)
        try connection.execute(
            "UPDATE ZPERSON SET Z_ENT = 99 WHERE Z_PK = 3; UPDATE ZPERSON SET Z_ENT = NULL WHERE Z_PK = 4")
        try connection.close()
        try openOrRefuse(store, as: type)
        #expect(try store.column("SELECT COUNT(*) FROM ZPERSON") == [.integer(20)])
    }
}
