// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests plans of migrations by objects: warnings, costs and runs; and the history afterwards.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Plans of migrations by objects") struct ObjectPlanTests {
    static let atomic: [StoreKind] = [.xml, .binary]
    static let files: [StoreKind] = [.sqlite, .xml, .binary]

    private let old = version { model in
        let person = model.entity("Person") {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .integer64AttributeType)
            $0.attribute("mail", .stringAttributeType)
        }
        let pet = model.entity("Pet")
        person.relate("pets", .many, to: pet, inverse: "owner", .one)
        model.entity("Ghost")
    }

    /// A store with every kind of loss and failure.
    private let strict = version { model in
        let person = model.entity("Person") {
            $0.attribute("age", .integer16AttributeType)
            $0.attribute("mail", .stringAttributeType, optional: false)
            $0.uniquenessConstraints = [["mail"]]
        }
        let pet = model.entity("Pet") { $0.attribute("tag", .stringAttributeType, optional: false) }
        person.relate("pets", .one, to: pet, inverse: "owner", .one)
    }

    private let mild = version { model in
        let person = model.entity("Human", former: "Person") {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .doubleAttributeType)
        }
        let pet = model.entity("Pet")
        person.relate("pets", .many, to: pet, inverse: "owner", .one)
    }

    private func store(_ kind: StoreKind) throws -> MigratingStore {
        try MigratingStore(old, in: kind) { context in
            let ada = context.make("Person", ["name": "Ada", "age": 36, "mail": "a"])
            context.make("Person", ["age": 70_000, "mail": "a"])
            context.make("Person")
            for _ in 0..<2 { context.make("Pet", ["owner": ada]) }
            context.make("Ghost")
        }
    }

    private func plan(_ store: MigratingStore, _ model: NSManagedObjectModel) throws -> MigrationPlan {
        try MigrationPlan(
            forStoreAt: store.url, type: NSPersistentStore.StoreType(rawValue: store.kind.type), to: model,
            options: [MigrationOption.versions: [old]])
    }

    /// Proves: G61, G63, G64
    @Test("a plan warns of all that is lost or cannot come along, and changes nothing", arguments: atomic)
    func warnings(kind: StoreKind) throws {
        let store = try store(kind)
        let before = try store.bytes()
        let plan = try plan(store, strict)
        #expect(plan.steps.map(\.way) == [.objects] && plan.steps.allSatisfy(\.statements.isEmpty))
        #expect(plan.steps.first?.sourceChecksum == old.versionChecksum)
        #expect(plan.steps.first?.destinationChecksum == strict.versionChecksum)
        let warnings = plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
        #expect(
            Set(warnings) == [
                "dataLoss Ghost. 1", "dataLoss Person.name 1", "cardinality Person.pets 1", "conversion Person.age 1",
                "missingValue Person.mail 1", "missingValue Pet.tag 2", "duplicate Person.mail 1",
            ])
        #expect(Dictionary(uniqueKeysWithValues: plan.costs.map { ($0.table, $0.rows) }) == ["Person": 3, "Pet": 2])
        let size = try #require(before["store.sqlite"]).count
        #expect(plan.bytesNeeded == 2 * Int64(size))
        #expect(plan.costs.reduce(0) { $0 + $1.bytes } <= Int64(size) && plan.costs.allSatisfy { $0.bytes > 0 })
        #expect(plan.description.contains("-- by objects\n-- "))
        #expect(throws: (any Error).self) { try plan.run() }
        #expect(try store.bytes() == before)
    }

    /// Proves: G61, G62, G64
    @Test("a plan runs once, with the rows that it foretold", arguments: atomic) func run(kind: StoreKind) throws {
        let store = try store(kind)
        let plan = try plan(store, mild)
        #expect(
            plan.warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "")" } == [
                "dataLoss Human.mail", "dataLoss Ghost.",
            ])
        let report = try plan.run()
        #expect(report.steps.map(\.way) == [.objects] && report.isVerified)
        #expect(report.rowsAfter == Dictionary(uniqueKeysWithValues: plan.costs.map { ($0.table, $0.rows) }))
        #expect(try !self.plan(store, mild).isNeeded)
        #expect(throws: (any Error).self) { try plan.run() }
        let context = try store.open(mild, options: nil)
        #expect(try context.all("Human").count == 3)
        try store.close(context)
    }

    /// Proves: G61, G63
    @Test(
        "mandatory links, abstract entities and unique defaults are foretold where objects would fail",
        arguments: atomic)
    func refusals(kind: StoreKind) throws {
        let store = try store(kind)
        let model = version { model in
            let person = model.entity("Person") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("age", .integer64AttributeType)
                $0.attribute("mail", .stringAttributeType)
                $0.attribute("level", .integer16AttributeType, default: 1)
                $0.uniquenessConstraints = [["level"]]
            }
            let pet = model.entity("Pet")
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            person.relate("badge", .one, to: pet, inverse: "holder", .one)
            person.relationshipsByName["badge"]?.isOptional = false
            model.entity("Ghost").isAbstract = true
        }
        let warnings = try plan(store, model).warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
        #expect(
            Set(warnings) == ["missingValue Person.badge 3", "duplicate Person.level 2", "missingValue Ghost. 1"])
        #expect(throws: (any Error).self) { try plan(store, model).run() }
    }

    /// Proves: G61
    @Test("a mandatory link is no obstacle where its other end was stored", arguments: atomic)
    func storedOtherEnd(kind: StoreKind) throws {
        let half = version { model in
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            person.relationship("pets", .many, to: model.entity("Pet"))
        }
        let both = version { model in
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            let pet = model.entity("Pet")
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            pet.relationshipsByName["owner"]?.isOptional = false
        }
        let store = try MigratingStore(half, in: kind) { context in
            context.make("Person", ["name": "Ada", "pets": NSSet(array: [context.make("Pet"), context.make("Pet")])])
        }
        let plan = try MigrationPlan(
            forStoreAt: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type), to: both,
            options: [MigrationOption.versions: [half]])
        #expect(plan.warnings.isEmpty)
        try plan.run()
        let context = try store.open(both, options: nil)
        #expect(try context.all("Pet").allSatisfy { $0.value(forKeyPath: "owner.name") as? String == "Ada" })
        try store.close(context)
    }

    /// Proves: G61
    @Test("a plan for a configuration that the model lacks is an error with its name", arguments: files)
    func unknownConfiguration(kind: StoreKind) throws {
        let store = try store(kind)
        let model = try #require(mild.copy() as? NSManagedObjectModel)
        model.setEntities([model.entities[0]], forConfigurationName: "Some")
        let error = #expect(throws: NSError.self) {
            try MigrationPlan(
                forStoreAt: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type),
                configuration: "Nowhere", to: model)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("Nowhere") == true)
    }

    /// Two trees become one, which statements cannot do.
    private let apart = version { model in
        model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
        model.entity("Cat") { $0.attribute("name", .stringAttributeType) }
    }
    private let joined = version { model in
        let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
        model.entity("Cat", parent: animal)
    }

    /// Proves: G61, G62
    @Test("a SQLite store beyond statements has a plan as well, also while it is in use") func sqlite() throws {
        let zoo = try MigratingStore(apart) { context in
            context.make("Animal", ["name": "Leo"])
            context.make("Cat", ["name": "Tom"])
        }
        let user = try zoo.open(apart, options: nil)
        user.make("Cat", ["name": "Kit"])
        try user.save()
        let plan = try MigrationPlan(forStoreAt: zoo.url, type: .sqlite, to: joined)
        #expect(plan.steps.map(\.way) == [.objects] && plan.warnings.isEmpty)
        #expect(Dictionary(uniqueKeysWithValues: plan.costs.map { ($0.table, $0.rows) }) == ["Animal": 1, "Cat": 2])
        user.make("Cat", ["name": "Ben"])
        try user.save()
        try zoo.close(user)
        #expect(try plan.run().rowsAfter == ["Animal": 1, "Cat": 3])
        #expect(try zoo.differences(from: joined) == [])
    }

    /// Proves: G84
    @Test("after a migration by objects former history tokens are expired, and recording goes on") func history() throws
    {
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let zoo = try MigratingStore()
        let first = try zoo.open(apart, options: tracking)
        for name in ["Leo", "Kit", "Tom"] {
            first.make("Animal", ["name": name])
            try first.save()
        }
        let token = try #require(first.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil))
        try zoo.close(first)
        let second = try zoo.open(joined)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let before = #expect(throws: NSError.self) { try second.execute(request) }
        #expect(before?.code == NSPersistentHistoryTokenExpiredError)
        for name in ["Ben", "Max", "Ted", "Tim"] {
            second.make("Cat", ["name": name])
            try second.save()
        }
        let after = #expect(throws: NSError.self) { try second.execute(request) }
        #expect(after?.code == NSPersistentHistoryTokenExpiredError)
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(try second.execute(all) as? NSPersistentHistoryResult)
        #expect((result.result as? [NSPersistentHistoryTransaction])?.count == 4)
        try zoo.close(second)
    }
}
