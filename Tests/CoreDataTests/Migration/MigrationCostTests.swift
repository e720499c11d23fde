// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the writes of migrations: the statements of each change, and the calls on files. Benchmarks measure the time.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// `Scripts/bench --migrations` has M1 to M12 with the same changes.
@Suite("Costs of migrations", .serialized) struct MigrationCostTests {
    private static func items(_ change: (NSEntityDescription, NSEntityDescription) -> Void = { _, _ in })
        -> NSManagedObjectModel
    {
        version { model in
            let item = model.entity("Item") {
                $0.attribute("amount", .integer32AttributeType)
                $0.attribute("name", .stringAttributeType)
                $0.attribute("note", .stringAttributeType)
            }
            let owner = model.entity("Owner") { $0.attribute("name", .stringAttributeType) }
            owner.relate("items", .many, to: item, inverse: "owner", .one)
            change(item, owner)
        }
    }

    private func store(_ rows: Int) throws -> MigratingStore {
        try MigratingStore(Self.items()) { context in
            let owner = context.make("Owner", ["name": "O"])
            for number in 0..<rows {
                context.make("Item", ["amount": number, "name": "name \(number)", "note": "n", "owner": owner])
            }
        }
    }

    /// The passes over a table, without the statements that change names and add columns.
    private func passes(_ plan: MigrationPlan, _ table: String) -> [String] {
        plan.steps.flatMap(\.statements).filter { statement in
            let isPass =
                ["UPDATE", "INSERT INTO", "DELETE"].contains(where: statement.hasPrefix)
                || statement.contains("DROP COLUMN") || statement.hasPrefix("CREATE INDEX")
            return isPass && DatabaseOutline.words(statement).contains(Substring(table))
        }
    }

    private func plan(_ store: MigratingStore, _ model: NSManagedObjectModel) throws -> MigrationPlan {
        try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: model)
    }

    /// Proves: G64, G85
    @Test(
        "an attribute without a default, a new name, a relationship and an entity write as much for few rows as for many",
        arguments: ["attribute", "relationship", "renamed", "optional", "entity"])
    func withoutRows(change: String) throws {
        let old: (NSManagedObjectModel) -> NSManagedObjectModel = { model in
            if change == "optional" { model.entitiesByName["Item"]?.attributesByName["amount"]?.isOptional = false }
            return model
        }
        let new = {
            Self.items { item, owner in
                switch change {
                case "attribute": item.attribute("extra", .integer64AttributeType)
                case "relationship": item.relate("second", .one, to: owner, inverse: "seconds", .many)
                case "renamed":
                    item.attributesByName["note"]?.renamingIdentifier = "note"
                    item.attributesByName["note"]?.name = "remark"
                case "entity": item.managedObjectModel.entity("Zebra")
                default: break
                }
            }
        }
        var calls: [Int] = []
        for rows in [10, 2_000] {
            let store = try MigratingStore(old(Self.items())) { context in
                for number in 0..<rows { context.make("Item", ["amount": number, "name": "name \(number)"]) }
            }
            let plan = try plan(store, new())
            #expect(plan.costs.isEmpty && plan.warnings.isEmpty)
            #expect(passes(plan, "ZITEM").allSatisfy { $0.hasPrefix("CREATE INDEX ZITEM_ZSECOND") })
            calls.append(try FileCallHook.during(store.folder, .count) { _ = try plan.run() })
        }
        // The index of the new relationship has an entry for each row; SQLite moves a page to make place for a table.
        #expect(change == "relationship" || calls[1] <= calls[0] + 12, "\(calls)")
    }

    /// Proves: G74, G86
    @Test("several changes of one table are one update of it") func oneUpdate() throws {
        let store = try store(20)
        let new = Self.items { item, _ in
            item.attribute("kind", .stringAttributeType, default: "new")
            item.attribute("rank", .integer16AttributeType, optional: false, default: 1)
            item.managedObjectModel.entity("Aardvark")
        }
        let found = try passes(plan(store, new), "ZITEM")
        #expect(found == ["UPDATE ZITEM SET ZRANK = 1, ZKIND = 'new', Z_ENT = 2"])
    }

    /// Proves: G86
    @Test("a removed attribute drops its column, and a new name of the entity makes its indexes anew")
    func removedAndRenamed() throws {
        let store = try store(20)
        let removed = Self.items { item, _ in item.properties.removeAll { $0.name == "note" } }
        #expect(try passes(plan(store, removed), "ZITEM") == ["ALTER TABLE ZITEM DROP COLUMN ZNOTE"])
        let renamed = Self.items { item, _ in
            item.renamingIdentifier = "Item"
            item.name = "Itemized"
        }
        let found = try passes(plan(store, renamed), "ZITEMIZED")
        #expect(found == ["CREATE INDEX ZITEMIZED_ZOWNER_INDEX ON ZITEMIZED (ZOWNER)"])
    }

    /// Proves: G86
    @Test(
        "another type is one copy of the table with its indexes; an order is one update; to-many is one copy of links")
    func rebuilt() throws {
        let store = try store(20)
        let retyped = Self.items { item, _ in item.attributesByName["amount"]?.attributeType = .doubleAttributeType }
        let copies = try passes(plan(store, retyped), "ZITEM")
        #expect(copies.count { $0.hasPrefix("INSERT INTO") } == 1 && copies.count { $0.hasPrefix("UPDATE") } == 0)
        #expect(copies.count { $0.hasPrefix("CREATE INDEX") } == 1)
        let ordered = Self.items { _, owner in owner.relationshipsByName["items"]?.isOrdered = true }
        #expect(try passes(plan(store, ordered), "ZITEM").count { $0.hasPrefix("UPDATE") } == 1)
        let many = Self.items { item, _ in item.relationshipsByName["owner"]?.maxCount = 0 }
        let statements = try plan(store, many).steps.flatMap(\.statements)
        #expect(statements.count { $0.hasPrefix("INSERT OR IGNORE INTO Z_1") } == 1)
        #expect(statements.count { $0.hasPrefix("UPDATE ZITEM") } == 0)
    }

    /// Proves: G87, G88
    @Test("by objects the rows are read and written in bursts, with fewer calls on files than objects") func byObjects()
        throws
    {
        let store = try store(3_000)
        let (old, new) = (Self.items(), Self.items { item, _ in item.attribute("extra", .stringAttributeType) })
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let target = store.folder.appending(path: "new.sqlite")
        let calls = try FileCallHook.during(store.folder, .count) {
            try NSMigrationManager(sourceModel: old, destinationModel: new)
                .migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        }
        #expect(calls < 1_500, "\(calls)")
        let moved = MigratingStore(at: target)
        let context = try moved.open(new, options: nil)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) == 3_000)
        try moved.close(context)
    }
}
