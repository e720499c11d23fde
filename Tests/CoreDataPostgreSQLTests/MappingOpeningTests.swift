// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opening a store on existing tables: differences are listed, no table is made needlessly, names are only names.

import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Opening a store on tables that are there", .needsServer) struct MappingOpeningTests {
    private static func model(_ entity: NSEntityDescription) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// Proves: MappedTables-T2, MappedTables-K1
    @Test("all differences are in one error, and nothing was made") func differences() throws {
        let tables = try ForeignTables([
            "CREATE TABLE %s.odd (id uuid PRIMARY KEY, name text)",
            "CREATE TABLE %s.pair (a int, b int, PRIMARY KEY (a, b))",
            "CREATE TABLE %s.thing (id bigint PRIMARY KEY, big bigint, tags text[], at time, sum numeric(10,2), other_id text)",
        ])
        let odd = Rental.entity("Odd", ["table": "odd"], [Rental.attribute("name", .stringAttributeType)])
        let pair = Rental.entity("Pair", ["table": "pair"], [Rental.attribute("a", .integer32AttributeType)])
        let gone = Rental.entity("Gone", ["table": "gone"], [Rental.attribute("a", .integer32AttributeType)])
        let other = Rental.relationship("other")
        let back = Rental.relationship("things", isToMany: true)
        let thing = Rental.entity(
            "Thing", ["table": "thing", "version": "none"],
            [
                Rental.attribute("big", .integer16AttributeType), Rental.attribute("tags", .stringAttributeType),
                Rental.attribute("at", .dateAttributeType), Rental.attribute("sum", .integer64AttributeType),
                Rental.attribute("missing", .stringAttributeType), other, back,
            ])
        Rental.join(other, back, thing, thing)
        thing.uniquenessConstraints = [["big"]]
        let model = NSManagedObjectModel()
        model.entities = [odd, pair, gone, thing]
        let text = try tables.refusal(model)
        for part in [
            "Odd: the key \(tables.schema).odd.id is uuid",
            "Pair: \(tables.schema).pair has a primary key of 2 columns",
            "Gone: there is no table", "Thing.big of type Integer 16 does not fit the column thing.big of type bigint",
            "Thing.tags of type String does not fit the column thing.tags of type text[]", "Thing.at of type Date",
            "Thing.sum of type Integer 64 does not fit the column thing.sum of type numeric(10,2)",
            "Thing.missing: there is no column", "Thing.other: the column thing.other_id is text",
            "Thing: the version none is no column", "keeps big unique",
        ] { #expect(text.contains(part), "\(part)") }
        #expect(
            try tables.column(
                "SELECT relname::text FROM pg_class WHERE relname LIKE 'ocd\\_%' "
                    + "AND relnamespace = '%s'::regnamespace"
            ).isEmpty)
    }

    /// Proves: MappedTables-T1
    @Test("the store's own tables are in another schema, and the mapping in a file") func file() throws {
        let tables = try ForeignTables(Rental.tables)
        let own = "own_\(UUID().uuidString.prefix(8).lowercased())"
        defer { try? tables.run(["DROP SCHEMA \(own) CASCADE"]) }
        let entity = Rental.entity("Star", [:], [Rental.attribute("stageName", .stringAttributeType)])
        let content: [String: Any] = [
            "schema": tables.schema,
            "entities": ["Star": ["table": "actor", "properties": ["stageName": ["column": "name"]]]],
        ]
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try JSONSerialization.data(withJSONObject: content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options: [AnyHashable: Any] = [NSPostgreSQLSchemaOption: own, NSPostgreSQLMappingOption: file]
        let context = try tables.open(Self.model(entity), options)
        Rental.add("Star", ["stageName": "Ann"], to: context)
        try context.save()
        #expect(try tables.column("SELECT name FROM %s.actor") == ["Ann"])
        #expect(try tables.column("SELECT count(*)::text FROM \(own).ocd_transaction") == ["1"])
        try JSONSerialization.data(withJSONObject: ["entities": ["Moon": ["table": "x"]]]).write(to: file)
        let error = #expect(throws: CocoaError.self) { try tables.open(Self.model(entity), options) }
        #expect(try #require(error).localizedDescription.contains("no entity 'Moon'"))
    }

    /// Proves: MappedTables-K1
    @Test("without a sequence rows are read and changed, and an insertion is an error that says so") func noSequence()
        throws
    {
        let tables = try ForeignTables([
            "CREATE TABLE %s.plain (id int PRIMARY KEY, name text)", "INSERT INTO %s.plain VALUES (7, 'a')",
            "CREATE SEQUENCE %s.numbers START 100",
        ])
        let properties = { [Rental.attribute("name", .stringAttributeType)] }
        let context = try tables.open(Self.model(Rental.entity("Plain", ["table": "plain"], properties())))
        let object = try #require(Rental.fetch("Plain", context).first)
        object.setValue("b", forKey: "name")
        try context.save()
        let new = Rental.add("Plain", ["name": "c"], to: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .persistentStoreUnsupportedRequestType)
        #expect(try #require(error).localizedDescription.contains("plain, which has no sequence"))
        #expect(context.insertedObjects == [new])
        let sequence = PostgreSQLDialect.quoted(tables.schema) + ".numbers"
        let named = Rental.entity("Plain", ["table": "plain", "sequence": sequence], properties())
        let second = try tables.open(Self.model(named))
        Rental.add("Plain", ["name": "d"], to: second)
        try second.save()
        #expect(try tables.column("SELECT id || name FROM %s.plain ORDER BY id") == ["7b", "100d"])
    }

    /// Proves: MappedTables-S4
    @Test("a view is read, and a save is an error") func view() throws {
        let tables = try ForeignTables(
            Rental.tables + [
                "INSERT INTO %s.language (name) VALUES ('x')",
                "INSERT INTO %s.\"Film\" (\"the title\", language_id) VALUES ('Dune', 1)",
            ])
        let entity = Rental.entity(
            "Listed", ["table": "film_list", "key": "film_id"], [Rental.attribute("title", .stringAttributeType)])
        let context = try tables.open(Self.model(entity))
        let object = try #require(Rental.fetch("Listed", context, "title == 'Dune'").first)
        object.setValue("Emma", forKey: "title")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .persistentStoreUnsupportedRequestType)
        #expect(try #require(error).localizedDescription.contains("film_list, which is a view"))
    }

    /// Proves: MappedTables-K2
    @Test("a key below 1 is an error that names it") func lowKey() throws {
        let tables = try ForeignTables([
            "CREATE TABLE %s.low (id int PRIMARY KEY, name text)", "INSERT INTO %s.low VALUES (0, 'a')",
        ])
        let entity = Rental.entity("Low", ["table": "low"], [Rental.attribute("name", .stringAttributeType)])
        let context = try tables.open(Self.model(entity))
        let error = #expect(throws: CocoaError.self) { try Rental.fetch("Low", context) }
        #expect(try #require(error).localizedDescription.contains("has a row with the key 0"))
    }

    /// Proves: MappedTables-T4
    @Test("hostile names of schemas, tables and columns stay names") func hostileNames() throws {
        let name = "se\"lect'; DROP TABLE ?; -- $1 \\"
        let quoted = PostgreSQLDialect.quoted(name)
        let tables = try ForeignTables([
            "CREATE TABLE %s.\(quoted) (\(quoted) int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, \"\(String(repeating: "x", count: 60))\" text, \"order\" int)"
        ])
        let entity = Rental.entity(
            "Select", ["table": name, "key": name],
            [
                Rental.attribute("name", .stringAttributeType, ["column": String(repeating: "x", count: 60)]),
                Rental.attribute("user", .integer32AttributeType, ["column": "order"]),
            ])
        let context = try tables.open(Self.model(entity), [NSPersistentHistoryTrackingKey: true])
        let object = Rental.add("Select", ["name": "a", "user": 1], to: context)
        try context.save()
        object.setValue(2, forKey: "user")
        try context.save()
        let other = try tables.open(Self.model(entity))
        #expect(try Rental.fetch("Select", other, "name == 'a' AND user == 2", "user").count == 1)
        context.delete(object)
        try context.save()
        #expect(try Rental.fetch("Select", context).isEmpty)
    }

    /// Proves: MappedTables-T3
    @Test("another version of the model opens the same tables, and both work") func versions() throws {
        let tables = try ForeignTables(Rental.tables)
        let first = try tables.open(
            Self.model(Rental.entity("Actor", ["table": "actor"], [Rental.attribute("name", .stringAttributeType)])))
        let big = Rental.entity(
            "Actor", ["table": "actor"],
            [
                Rental.attribute("name", .stringAttributeType), Rental.attribute("age", .integer32AttributeType),
            ])
        try tables.run(["ALTER TABLE %s.actor ADD age int"])
        let second = try tables.open(
            Self.model(big),
            [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
        for context in [first, second] {
            Rental.add("Actor", ["name": "x"], to: context)
            try context.save()
        }
        #expect(try Rental.fetch("Actor", first).count == 2)
    }

    /// Proves: MappedTables-T1, MappedTables-T4
    @Test("a role with the least rights fetches and saves") func leastRights() throws {
        let tables = try ForeignTables(Rental.tables)
        let admin = try tables.open(Rental.model())
        let role = "clerk_\(UUID().uuidString.prefix(8).lowercased())"
        try tables.run([
            "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA %s TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.language, %s.\"Film\", %s.actor, %s.film_actor TO \(role)",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO \(role)",
            "GRANT SELECT ON %s.ocd_store, %s.ocd_history TO \(role)",
            "GRANT SELECT, INSERT ON %s.ocd_transaction TO \(role)",
        ])
        defer {
            try? tables.run(["DROP OWNED BY \(role)", "DROP ROLE \(role)"])
        }
        withExtendedLifetime(admin) {}
        let url = try #require(URL(string: tables.url.absoluteString.replacing("user=ocd", with: "user=\(role)")))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Rental.model())
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url,
            options: [NSPostgreSQLSchemaOption: tables.schema])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let language = Rental.add("Language", ["name": "Latin"], to: context)
        let film = Rental.add("Film", ["title": "x", "language": language], to: context)
        try context.save()
        film.setValue("y", forKey: "title")
        try context.save()
        context.delete(film)
        try context.save()
        #expect(try Rental.fetch("Language", context).count == 1)
        try coordinator.remove(store)
    }
}
