// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Queries: selection, order, limits, formats, and the errors for missing keys.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("Queries") struct QueryTests {
    private static let recipes = "fruitsamples_iPhoneCoreDataRecipes__Recipes.sqlite"

    private func run(_ query: Query) throws -> QueryResult {
        let folder = try TemporaryFolder()
        return try query.run(on: OpenedStore(try folder.store(Self.recipes)))
    }

    private func message(_ query: Query) -> String { OpeningTests.message { try run(query) } }

    @Test("predicates, order, selection along relationships and a limit work together", .needsFixtures)
    func everything() throws {
        let result = try run(
            Query(
                entityName: "Recipe", format: "name CONTAINS[c] 'a' AND type != nil", sortKeys: ["-name"],
                selection: ["name", "type.name", "type"], limit: 2))
        #expect(result.columns == ["name", "type.name", "type"])
        #expect(result.rows.count == 2)
        let names = result.rows.map(\.cells[0].tableText)
        #expect(names == names.sorted(by: >))
        #expect(result.rows[0].cells[2].tableText.hasPrefix("RecipeType/"))
    }

    @Test("an unknown key is shown in its place, with the keys that there are", .needsFixtures)
    func unknownKey() {
        let message = message(Query(entityName: "Recipe", format: "name != nil AND typ.name = 1"))
        #expect(
            message.contains(
                "There is no key 'typ' in Recipe.\n    name != nil AND typ.name = 1\n                    ^"))
        #expect(message.contains("Its keys: ") && message.contains("instructions"))
        #expect(self.message(Query(entityName: "Recipe", sortKeys: ["nmae"])).contains("no key 'nmae' in Recipe"))
        #expect(self.message(Query(entityName: "Recipe", selection: ["type.x"])).contains("no key 'x' in RecipeType"))
    }

    @Test("a wrong format is shown with a caret", .needsFixtures)
    func wrongFormat() {
        #expect(message(Query(entityName: "Recipe", format: "name == ")).contains("    name == \n            ^"))
    }

    @Test("an unknown entity is answered with those there are", .needsFixtures)
    func unknownEntity() {
        let message = message(Query(entityName: "Recepi"))
        #expect(message.contains("There is no entity 'Recepi'; there are: ") && message.contains("Recipe"))
    }

    @Test("each format has a row for each object", .needsFixtures)
    func formats() throws {
        let result = try run(Query(entityName: "RecipeType"))
        let table = result.text(.table).split(separator: "\n")
        #expect(table.count == result.rows.count + 3)
        #expect(result.text(.csv).components(separatedBy: "\r\n").count == result.rows.count + 2)
        let objects = try JSONSerialization.jsonObject(with: Data(result.text(.json).utf8)) as? [[String: Any]]
        #expect(objects?.count == result.rows.count)
        #expect((objects?[0]["objectID"] as? String)?.hasPrefix("RecipeType/") == true)
    }

    @Test("descriptions are valid JSON with entities and counts", .needsFixtures, arguments: FixtureStores.names)
    func descriptions(name: String) throws {
        let folder = try TemporaryFolder()
        let summary = try ModelSummary(store: try OpenedStore(try folder.store(name)))
        let object = try JSONSerialization.jsonObject(with: Data(summary.text(.json).utf8)) as? [String: Any]
        let entities = try #require(object?["entities"] as? [[String: Any]])
        #expect(entities.count == summary.entities.count && !entities.isEmpty)
        #expect(entities.allSatisfy { $0["name"] is String && $0["count"] is Int })
    }
}
