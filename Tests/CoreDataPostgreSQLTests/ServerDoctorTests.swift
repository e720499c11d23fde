// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The examination of a store on a server: links of every form that others have damaged, and plans of several steps.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import CoreDataToolKit

@Suite("Damaged links of a store on a server", .needsServer) struct ServerDoctorTests {
    /// People know people, and have a manager, who is one; tours have stops in order.
    private static func model() -> NSManagedObjectModel {
        let (person, manager) = (NSEntityDescription("Person"), NSEntityDescription("Manager"))
        let (tour, stop) = (NSEntityDescription("Tour"), NSEntityDescription("Stop"))
        for entity in [person, tour, stop] { entity.attribute("name", .stringAttributeType) }
        person.subentities = [manager]
        person.relate("friends", .many, to: person, inverse: "friends", .many)
        person.relate("boss", .one, to: manager, inverse: "staff", .many)
        tour.relate("stops", .ordered, to: stop, inverse: "tours", .ordered)
        return NSManagedObjectModel(person, manager, tour, stop)
    }

    @Test("objects of another entity, links in one direction and lost places are found") func links() throws {
        let stack = try Stack(.postgresql, Self.model())
        func insert(_ entity: String, _ name: String) -> NSManagedObject {
            let object = stack.insert(entity)
            object.setValue(name, forKey: "name")
            return object
        }
        let (ann, bob, eve) = (insert("Person", "Ann"), insert("Person", "Bob"), insert("Manager", "Eve"))
        ann.setValue(eve, forKey: "boss")
        ann.setValue(NSSet(array: [bob, eve]), forKey: "friends")
        let tour = insert("Tour", "t")
        tour.setValue(NSOrderedSet(array: [insert("Stop", "1"), insert("Stop", "2")]), forKey: "stops")
        try stack.context.save()
        let url = URL(place: stack.url.absoluteString)
        #expect(try Doctor(url).examine().filter { $0.severity != .note }.isEmpty)
        let opened = try stack.server
        let friends = try #require(opened.schema.joinTables.first { $0.isReflexive })
        let stops = try #require(opened.schema.joinTables.first { !$0.isReflexive })
        let places = [true, false].compactMap { stops.order(of: $0) }
        #expect(places.count == 2)
        let statements =
            [
                "UPDATE \(opened.dialect.qualified("person")) SET boss_id = \(bob.objectID.key) WHERE name = 'Ann'",
                "DELETE FROM \(friends.sql) WHERE \(friends.column(of: true)) = \(ann.objectID.key) "
                    + "AND \(friends.column(of: false)) = \(bob.objectID.key)",
            ] + places.map { "UPDATE \(stops.sql) SET \($0) = NULL" }
        try opened.sessions.with(repeats: false) { connection in
            for text in statements { try connection.run(.init(text, isReused: false), opened.sessions.deadline) }
        }
        let found = try Doctor(url).examine()
        let rules = Set(found.map(\.rule))
        #expect(rules.isSuperset(of: ["reference.foreign", "link.mirror"]), "\(rules)")
        #expect(found.contains { $0.rule.contains("order") }, "\(rules)")
        #expect(found.first { $0.rule == "reference.foreign" }?.property == "boss")
    }

    /// Proves: PostgreSQL-M6
    @Test("a plan through versions has the statements of each step, and the cost of what it writes") func plans() throws
    {
        let renamed = (0..<3).map { number -> NSManagedObjectModel in
            let book = NSEntityDescription("Book")
            let names = ["title", "name", "headline"]
            let attribute = book.attribute(
                names[number], .stringAttributeType, optional: number == 0, default: number == 0 ? nil : "?")
            if number > 0 { attribute.renamingIdentifier = names[number - 1] }
            return NSManagedObjectModel(book)
        }
        let stack = try Stack(.postgresql, renamed[0])
        stack.insert("Book").setValue("Emma", forKey: "title")
        try stack.context.save()
        try stack.coordinator.remove(stack.store)
        let plan = try MigrationPlan(
            forStoreAt: stack.url, type: NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType), to: renamed[2],
            options: [MigrationOption.versions: renamed])
        #expect(!plan.steps.isEmpty)
        let report = try plan.run()
        #expect(report.rowsAfter["Book"] == 1)
        let (coordinator, context) = try MigrationTests.open(.postgresql, stack.url, renamed[2], nil)
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(books.map { $0.value(forKey: "headline") as? String } == ["Emma"])
        try MigrationTests.close(coordinator)
        for change in VersionChange.all {
            let former = try Stack(.postgresql, change.old)
            try VersionChange.fill(former.context, former.model)
            try former.coordinator.remove(former.store)
            let plan = try MigrationPlan(
                forStoreAt: former.url, type: NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType),
                to: change.new)
            #expect(plan.costs.allSatisfy { $0.bytes >= 0 })
        }
    }
}
