// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that foreign contents of a store stay: metadata, the copy of the model, tables, indexes and triggers.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Foreign contents of a store stay") struct ForeignContentsTests {
    @Test(
        "new metadata leaves all other keys, the identifier and the copy of the model as they were",
        .needsStoreFixtures, arguments: StoreFixture.usable)
    func metadata(name: String) throws {
        let stack = try StoreFixture(name).stack()
        let before = try stack.contents()
        let store = stack.coordinator.persistentStores[0]
        var metadata = stack.coordinator.metadata(for: store)
        metadata["a key of ours"] = ["number": 7, "data": Data([1, 2])] as [String: Any]
        stack.coordinator.setMetadata(metadata, for: store)
        var population = Population(stack.context)
        _ = population.insert(try #require(stack.concreteEntities.first))
        try stack.context.save()

        let reopened = try stack.reopened()
        let found = reopened.coordinator.metadata(for: reopened.coordinator.persistentStores[0])
        #expect((found["a key of ours"] as? [String: Any])?["number"] as? Int == 7)
        let after = try reopened.contents()
        let changes = before.changes(to: after).filter { $0.table == "Z_METADATA" || $0.table == "Z_MODELCACHE" }
        #expect(changes.map(\.table) == ["Z_METADATA"] && changes.first?.columns == ["Z_PLIST"])
        var values = try propertyList(after)
        values["a key of ours"] = nil
        #expect((values as NSDictionary).isEqual(to: try propertyList(before)))
    }

    private func propertyList(_ contents: StoreContents) throws -> [String: Any] {
        let data = try #require(contents.rows("Z_METADATA").first?["Z_PLIST"]?.blobValue)
        return try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    @Test(
        "tables of CloudKit's mirror, of the application and of history keep their rows, and triggers and indexes stay",
        .needsStoreFixtures,
        arguments: [
            "sergd2005_ResourcesManager__default.store", "duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite",
            "alemar11_CoreDataPlus__SampleModel2_V1.sqlite", "RhetTbull_photoscript__Photos.sqlite",
        ])
    func tables(name: String) throws {
        let fixture = try StoreFixture(name)
        let model = try #require(try fixture.model())
        let connection = try Connection(url: fixture.url)
        for statement in [
            "CREATE TABLE ANSCKEVENT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCLOUDKITEVENTTYPE INTEGER )",
            "INSERT INTO ANSCKEVENT VALUES (1, 17007, 1, 2), (2, 17007, 3, 1)",
            "INSERT INTO Z_PRIMARYKEY VALUES (17007, 'NSCKEvent', 0, 2)",
            "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('kept'), (NULL), (x'00ff')",
            "CREATE INDEX notes_by_text ON notes (text)",
            "CREATE TRIGGER notes_are_upper AFTER INSERT ON notes BEGIN UPDATE notes SET text = upper(text); END",
        ] { try connection.execute(statement) }
        let before = try statements(connection)
        try connection.close()

        let stack = try FixtureStack(fixture.url, model)
        let beginning = try stack.contents()
        #expect(beginning.count("ANSCKEVENT") == 2 && beginning.count("notes") == 3)
        var population = Population(stack.context)
        for entity in stack.concreteEntities { _ = population.insert(entity) }
        var witness = try SaveWitness(stack)
        try witness.save("insert")
        for object in population.all { stack.context.delete(object) }
        try witness.save("delete")
        expectNone(witness.differences, name)
        stack.close()
        let changes = beginning.changes(to: try StoreContents(fixture.url))
        #expect(Set(changes.map(\.table).filter { !StoreContents.isHistory($0) }) == ["Z_PRIMARYKEY"])
        // A history goes on, and its rows stay.
        #expect(changes.allSatisfy { !StoreContents.isHistory($0.table) || $0.before == nil })
        let again = try Connection(url: fixture.url, options: .init(access: .readOnly))
        #expect(try statements(again) == before)
        try again.close()
    }

    private func statements(_ connection: Connection) throws -> [String] {
        try connection.schema().map { "\($0.type) \($0.name): \($0.sql ?? "")" }
    }

    @Test("an unannounced change is noticed", .needsStoreFixtures)
    func witness() throws {
        let stack = try StoreFixture("objcio_core-data__Moody_2.moody").stack()
        var witness = try SaveWitness(stack)
        let connection = try Connection(url: stack.url)
        try connection.execute("UPDATE ZMOOD SET Z_OPT = Z_OPT + 1 WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZMOOD)")
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME = 'Mood'")
        try connection.execute("INSERT INTO Z_METADATA VALUES (2, 'x', NULL)")
        try connection.close()
        var population = Population(stack.context)
        _ = population.insert(try #require(stack.model.entitiesByName["Mood"]))
        try witness.save("insert")
        for words in ["changed unasked: ZMOOD", "Mood: Z_MAX", "a row too many: Z_METADATA"] {
            #expect(witness.differences.contains { $0.contains(words) }, "\(witness.differences)")
        }
    }
}
