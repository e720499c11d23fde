// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Mappings that do not fit their tables: each fault is named when the store is opened.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Mappings that do not fit their tables", .needsServer) struct MappingProblemTests {
    private static let tables = [
        "CREATE TABLE %s.note (id serial PRIMARY KEY, text text, size int, spot point, place int, a_id int)",
        "CREATE TABLE %s.loose (number int, text text)",
        "CREATE TABLE %s.a (id serial PRIMARY KEY, name text, lock_version int)",
        "CREATE TABLE %s.b (id serial PRIMARY KEY, name text, lock_version int, a_id int, rank int)",
        "CREATE TABLE %s.a_b (a_id int NOT NULL, b_id int NOT NULL, word text, rank int)",
    ]

    private static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Proves: MappedTables-T2
    @Test("keys that are no column or not unique, and columns of the key or of another type, are named")
    func columns() throws {
        let tables = try ForeignTables(Self.tables)
        let note = Rental.entity(
            "Note", ["table": "note"],
            [
                Rental.attribute("number", .integer64AttributeType, ["column": "id"]),
                Rental.attribute("size", .integer64AttributeType, ["type": "text"]),
                Rental.attribute("spot", .stringAttributeType),
            ])
        let loose = Rental.entity(
            "Loose", ["table": "loose", "key": "number"], [Rental.attribute("text", .stringAttributeType)])
        let lost = Rental.entity(
            "Lost", ["table": "a", "key": "nothing"], [Rental.attribute("name", .stringAttributeType)])
        let text = try tables.refusal(Self.model(note, loose, lost))
        for part in [
            "Note.number: id is the key", "Note.size: the column size is integer, not text",
            "Note.spot of type String does not fit", "Lost: the key nothing is no column", "is not unique",
        ] { #expect(text.contains(part), "\(part)\n\(text)") }
    }

    /// Two entities with a one-to-many or a many-to-many.
    private static func pair(
        _ info: [String: String], _ back: [String: String], many: Bool = true, ordered: Bool = false,
        version: String? = "lock_version"
    ) -> NSManagedObjectModel {
        let (toB, toA) = (
            Rental.relationship("members", isToMany: true, .nullifyDeleteRule, info),
            Rental.relationship("owners", isToMany: many, .nullifyDeleteRule, back)
        )
        toB.isOrdered = ordered
        func entity(_ name: String, _ table: String, _ link: NSRelationshipDescription) -> NSEntityDescription {
            var info = ["table": table]
            info["version"] = version
            return Rental.entity(name, info, [Rental.attribute("name", .stringAttributeType), link])
        }
        let (a, b) = (entity("A", "a", toB), entity("B", "b", toA))
        Rental.join(toB, toA, a, b)
        return model(a, b)
    }

    /// Proves: MappedTables-T2
    @Test("tables of links lack nothing: table, columns, types and places are named") func joins() throws {
        let tables = try ForeignTables(Self.tables)
        let (a, b) = (["table": "a_b", "column": "a_id"], ["column": "b_id"])
        let examples: [(NSManagedObjectModel, String)] = [
            (Self.pair(["table": "nothing", "column": "a_id"], b), "A.members: there is no table"),
            (Self.pair(["table": "a_b"], b), "A.members: name the column of"),
            (Self.pair(["table": "a_b", "column": "word"], b), "the column word is text, a key is an integer"),
            (Self.pair(a, b, ordered: true), "A.members is ordered: name the column with the places"),
            (
                Self.pair(a.merging(["order": "word"]) { $1 }, b, ordered: true),
                "A.members: the column a_b.word is text, a place is an integer"
            ),
        ]
        for (model, part) in examples {
            let text = try tables.refusal(model)
            #expect(text.contains(part), "\(part)\n\(text)")
        }
        let friends = Rental.relationship("friends", isToMany: true, .nullifyDeleteRule, a)
        let own = Rental.entity("A", ["table": "a"], [Rental.attribute("name", .stringAttributeType), friends])
        (friends.destinationEntity, friends.inverseRelationship) = (own, friends)
        #expect(try tables.refusal(Self.model(own)).contains("A.friends is its own inverse"))
    }

    /// Proves: MappedTables-T2
    @Test("an ordered one-to-many needs a column with the places") func orderedColumn() throws {
        let tables = try ForeignTables(Self.tables)
        let text = try tables.refusal(Self.pair([:], ["column": "a_id"], many: false, ordered: true))
        #expect(text.contains("A.members is ordered: name the column with the places (postgresql.order)"))
    }

    /// Proves: MappedTables-T2
    @Test("members without an inverse are in a column of their table, which needs a version") func oneWay() throws {
        let tables = try ForeignTables(Self.tables)
        func model(version: String?) -> NSManagedObjectModel {
            let members = Rental.relationship("members", isToMany: true, .nullifyDeleteRule, ["column": "a_id"])
            var info = ["table": "b"]
            info["version"] = version
            let b = Rental.entity("B", info, [Rental.attribute("name", .stringAttributeType)])
            let a = Rental.entity(
                "A", ["table": "a", "version": "lock_version"],
                [Rental.attribute("name", .stringAttributeType), members])
            members.destinationEntity = b
            return Self.model(a, b)
        }
        let text = try tables.refusal(model(version: nil))
        #expect(text.contains("A.members has no inverse: the rows of \(tables.schema).b need a column with a version"))
        let context = try tables.open(model(version: "lock_version"))
        let members = ["x", "y", "z"].map { Rental.add("B", ["name": $0], to: context) }
        let owner = Rental.add("A", ["name": "a", "members": NSSet(array: Array(members.prefix(2)))], to: context)
        try context.save()
        #expect(try tables.column("SELECT name FROM %s.b WHERE a_id IS NOT NULL ORDER BY name") == ["x", "y"])
        owner.setValue(NSSet(array: [members[2]]), forKey: "members")
        try context.save()
        #expect(try tables.column("SELECT name FROM %s.b WHERE a_id IS NOT NULL ORDER BY name") == ["z"])
        context.refreshAllObjects()
        #expect((owner.value(forKey: "members") as? Set<NSManagedObject>)?.count == 1)
    }

    /// Proves: MappedTables-T1
    @Test(
        "a file that is no mapping is an error that names it and the fault",
        arguments: [
            ("[1, 2", "cannot be read as JSON"), ("[]", "'entities'"),
            (#"{"entities": {"Note": {"key": "id"}}}"#, "Note has no 'table'"),
            (#"{"entities": {"Note": {"table": "note", "properties": {"body": {"column": "text"}}}}}"#, "'body'"),
            (#"{"entities": {"Note": {"table": "note", "colour": "red"}}}"#, "'colour'"),
            (#"{"entities": {"Note": {"table": 7}}}"#, "'table'"),
        ])
    func files(content: String, part: String) throws {
        let tables = try ForeignTables(Self.tables)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let note = Rental.entity("Note", [:], [Rental.attribute("text", .stringAttributeType)])
        let error = #expect(throws: CocoaError.self) {
            try tables.open(Self.model(note), [NSPostgreSQLMappingOption: file.path])
        }
        let text = try #require(error).localizedDescription
        #expect(text.contains(part) && text.contains(file.lastPathComponent))
    }

    @Test("options of another type, and those that exclude one another, are errors") func options() throws {
        let tables = try ForeignTables(Self.tables)
        let note = Rental.entity("Note", ["table": "note"], [Rental.attribute("text", .stringAttributeType)])
        let examples: [([AnyHashable: Any], String)] = [
            ([NSPostgreSQLMappingOption: 7], "NSPostgreSQLMappingOption"),
            ([NSPostgreSQLTenantOption: "t"], "Mapped tables cannot have tenants"),
            ([NSPostgreSQLTenantOption: "t", NSPostgreSQLForeignKeysOption: true], "no foreign keys"),
            ([NSPostgreSQLReadURLsOption: 7], "NSPostgreSQLReadURLsOption is an array of URLs"),
        ]
        for (options, part) in examples {
            let error = #expect(throws: CocoaError.self) { try tables.open(Self.model(note), options) }
            let text = try #require(error).localizedDescription
            #expect(text.contains(part), "\(part)\n\(text)")
        }
    }

    /// Proves: MappedTables-S4
    @Test("another version of the model is a change of the store's metadata alone, where its columns are there")
    func migration() throws {
        let tables = try ForeignTables(Self.tables + ["INSERT INTO %s.note (text, size) VALUES ('a', 7)"])
        func version(_ number: Int) -> NSManagedObjectModel {
            var attributes = [Rental.attribute("text", .stringAttributeType)]
            if number > 1 { attributes.append(Rental.attribute("size", .integer64AttributeType)) }
            return Self.model(Rental.entity("Note", ["table": "note"], attributes))
        }
        let first = try tables.open(version(1))
        for store in first.persistentStoreCoordinator?.persistentStores ?? [] {
            try first.persistentStoreCoordinator?.remove(store)
        }
        let url = try #require(
            URL(
                string: tables.url.absoluteString + "&schema="
                    + tables.schema.replacing(" ", with: "%20")
                    .replacing("\"", with: "%22")))
        let plan = try MigrationPlan(
            forStoreAt: url, type: NSPersistentStore.StoreType(rawValue: StoreKind.postgresql.type), to: version(2))
        #expect(plan.steps.allSatisfy(\.statements.isEmpty) && plan.warnings.isEmpty && plan.costs.isEmpty)
        let second = try tables.open(version(2), MigrationTests.migrating)
        #expect(try Rental.fetch("Note", second, "size == 7").count == 1)
        Rental.add("Note", ["text": "b", "size": 8], to: second)
        try second.save()
        let third = try tables.open(version(2))
        #expect(try Rental.fetch("Note", third).count == 2)
    }
}
