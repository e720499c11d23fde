// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests deviations that no version hash shows: differences of a store's structure, and defects of its rows.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Drift and defects of stores") struct SchemaDriftTests {
    private func model(isIndexed: Bool) -> NSManagedObjectModel {
        version { model in
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            let pet = model.entity("Pet")
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            person.relate("friends", .many, to: person, inverse: "friendOf", .many)
            guard isIndexed, let name = person.attributesByName["name"] else { return }
            let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
            person.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
        }
    }

    private func store() throws -> MigratingStore {
        try MigratingStore(model(isIndexed: false)) { context in
            let ada = context.make("Person", ["name": "Ada"])
            let bob = context.make("Person", ["name": "Bob", "friends": Set([ada])])
            for _ in 0..<2 { context.make("Pet", ["owner": bob]) }
        }
    }

    private func execute(_ sql: String, _ store: MigratingStore) throws {
        let connection = try Connection(url: store.url)
        try connection.execute(sql)
        try connection.close()
    }

    /// Proves: G83
    @Test("an index added without a new version and a leftover table are named and repaired; opening does neither")
    func drift() throws {
        let store = try store()
        try execute("CREATE TABLE Z_9GHOSTS (Z_9OWNERS INTEGER)", store)
        let model = model(isIndexed: true)
        try store.close(try store.open(model))
        let expected = ["the table Z_9GHOSTS is left over", "the index Z_Person_byName is missing"]
        let drift = try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: model)
        #expect(drift.differences == expected)
        #expect(drift.statements.contains { $0.hasPrefix("CREATE INDEX Z_Person_byName") })
        try drift.mend()
        #expect(try store.differences(from: model) == [])
        #expect(try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: model).differences == [])
        let context = try store.open(model)
        #expect(try context.values("Person", "name") == ["Ada", "Bob"])
        #expect(context.persistentStoreCoordinator?.persistentStores.first?.metadata[MigrationHistoryKey] == nil)
        try store.close(context)
    }

    /// Proves: G83
    @Test("a store of another version has no drift, and one without a column cannot be mended") func others() throws {
        let store = try store()
        let other = version { $0.entity("Person") }
        #expect(try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: other).differences == [])
        try execute("ALTER TABLE ZPERSON RENAME COLUMN ZNAME TO ZNOM", store)
        let before = try store.bytes()
        #expect(throws: (any Error).self) {
            try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: model(isIndexed: false))
        }
        #expect(try store.bytes() == before)
    }

    /// Proves: G92
    @Test(
        "an examination finds references to no object, rows of no entity, keys that come again, and nothing else",
        arguments: [
            ("SELECT 1", []), ("UPDATE ZPET SET ZOWNER = 77 WHERE Z_PK = 1", ["reference Pet.owner"]),
            ("UPDATE JOIN SET KEY = 78", ["reference Person"]),
            ("UPDATE ZPET SET Z_ENT = 9 WHERE Z_PK = 2", ["row ZPET"]),
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Person'", ["row ZPERSON"]),
            ("DROP INDEX ZPET_ZOWNER_INDEX", ["schema the index"]),
        ] as [(String, [String])])
    func examination(sql: String, expected: [String]) throws {
        let store = try store()
        let link = try store.column("SELECT name FROM sqlite_master WHERE name GLOB 'Z_1F*' AND type = 'table'")
        let table = try #require(link.first?.textValue)
        let connection = try Connection(url: store.url)
        let column = try #require(connection.columns(of: table).first).name
        let text = sql.replacing("JOIN", with: table).replacing(" KEY ", with: " \(column) ")
        try connection.execute(text)
        try connection.close()
        let found = try StoreExamination.defects(ofStoreAt: store.url, model: model(isIndexed: false))
        #expect(found.count == expected.count, "\(found)")
        for (defect, start) in zip(found, expected) {
            #expect("\(defect.kind.rawValue) \(defect.text)".hasPrefix(start))
        }
    }
}
