// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests plans of migrations: statements, warnings, costs, and runs.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Plans of migrations") struct MigrationPlanTests {
    private func store() throws -> (MigratingStore, NSManagedObjectModel) {
        let one = version { model in
            let person = model.entity("Person") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("age", .integer64AttributeType)
            }
            let pet = model.entity("Pet")
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            model.entity("Ghost")
        }
        let two = version { model in
            let person = model.entity("Person") { $0.attribute("age", .integer16AttributeType) }
            let pet = model.entity("Pet")
            person.relate("pets", .one, to: pet, inverse: "owner", .one)
        }
        let store = try MigratingStore(one) { context in
            let ada = context.make("Person", ["name": "Ada", "age": 36])
            context.make("Person", ["age": 70_000])
            for _ in 0..<2 { context.make("Pet", ["owner": ada]) }
            context.make("Ghost")
        }
        return (store, two)
    }

    /// Proves: G61, G63, G64
    @Test("a plan warns of all that is lost or does not fit, and changes nothing") func warnings() throws {
        let (store, model) = try store()
        let before = try store.bytes()
        let plan = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: model)
        #expect(plan.isNeeded)
        let warnings = plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
        #expect(
            Set(warnings) == [
                "dataLoss Ghost. 1", "dataLoss Person.name 1", "cardinality Person.pets 1", "conversion Person.age 1",
            ])
        #expect(plan.costs.contains { $0.table == "ZPERSON" && $0.rows == 2 && $0.bytes > 0 })
        #expect(plan.bytesNeeded > 0)
        #expect(try store.bytes() == before)
    }

    /// Proves: G61, G62
    @Test("a plan has the very statements that run, and none for a store of the version") func run() throws {
        let one = version { $0.entity("Person") { $0.attribute("name", .stringAttributeType) } }
        let two = version {
            $0.entity("Person") { $0.attribute("title", .stringAttributeType).renamingIdentifier = "name" }
        }
        let store = try MigratingStore(one) { $0.make("Person", ["name": "Ada"]) }
        let plan = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: two)
        #expect(
            plan.steps.map(\.statements) == [
                [
                    "ALTER TABLE ZPERSON RENAME COLUMN ZNAME TO ZTITLE", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16000",
                    "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (1, 'Person', 0, 1)",
                ]
            ])
        #expect(plan.warnings.isEmpty && plan.costs.isEmpty)
        let report = try plan.run()
        #expect(report.steps.map(\.statements) == plan.steps.map(\.statements))
        #expect(try store.differences(from: two) == [])
        let after = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: two)
        #expect(!after.isNeeded)
        #expect(throws: (any Error).self) { try plan.run() }
    }

    /// Proves: G61
    @Test("a plan of a store in use does not disturb its user") func inUse() throws {
        let one = version { $0.entity("Person") { $0.attribute("name", .stringAttributeType) } }
        let two = version { $0.entity("Person") { $0.attribute("age", .integer16AttributeType) } }
        let store = try MigratingStore(one)
        let user = try store.open(one, options: nil)
        user.make("Person", ["name": "Ada"])
        try user.save()
        let plan = try MigrationPlan(forStoreAt: store.url, type: .sqlite, to: two)
        #expect(plan.warnings.map(\.rows) == [1])
        user.make("Person", ["name": "Bob"])
        try user.save()
        try store.close(user)
    }

    /// Proves: G78, G82
    @Test("the metadata list the migrations of a store, and the store has a report") func history() throws {
        let one = version { $0.entity("Person") { $0.attribute("name", .stringAttributeType) } }
        let two = version {
            $0.entity("Person") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("age", .integer16AttributeType, default: 1)
            }
        }
        let store = try MigratingStore(one) { $0.make("Person", ["name": "Ada"]) }
        let context = try store.migrate(to: two)
        let opened = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        let report = try #require(opened.migrationReport)
        #expect(report.rowsBefore == ["Person": 1])
        #expect(report.rowsAfter == ["Person": 1])
        #expect(report.steps.map(\.destinationChecksum) == [two.versionChecksum])
        let entry = try #require((opened.metadata[MigrationHistoryKey] as? [[String: Any]])?.first)
        #expect(entry["from"] as? String == one.versionChecksum)
        #expect(entry["to"] as? String == two.versionChecksum)
        #expect(entry["way"] as? String == "statements")
        #expect(entry["date"] is Date)
        try store.close(context)
        let third = try store.migrate(to: try #require(one.copy() as? NSManagedObjectModel))
        let entries = third.persistentStoreCoordinator?.persistentStores.first?.metadata[MigrationHistoryKey]
        #expect((entries as? [Any])?.count == 2)
        try store.close(third)
    }

    /// Proves: G84
    @Test("persistent history gets the new numbers and columns; removed entities' changes go, and tokens stay valid")
    func persistentHistory() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                if isNew { model.entity("Aardvark") } else { model.entity("Ghost") }
                let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
                person.attribute("zip", .stringAttributeType).preservesValueInHistoryOnDeletion = true
                if isNew { person.attribute("age", .integer16AttributeType) }
            }
        }
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let store = try MigratingStore()
        let first = try store.open(model(false), options: options)
        let ada = first.make("Person", ["name": "Ada", "zip": "1"])
        first.make("Ghost")
        try first.save()
        let token = first.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
        ada.setValue("2", forKey: "zip")
        try first.save()
        first.delete(ada)
        try first.save()
        try store.close(first)
        let second = try store.migrate(to: model(true), options: options)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try #require(try second.execute(request) as? NSPersistentHistoryResult)
        let changes = try #require(result.result as? [NSPersistentHistoryTransaction]).flatMap { $0.changes ?? [] }
        #expect(changes.map { $0.changedObjectID.entity.name } == ["Person", "Person"])
        #expect(changes.first?.updatedProperties?.map(\.name) == ["zip"])
        #expect(changes.last?.tombstone?["zip"] as? String == "2")
        try store.close(second)
    }
}
