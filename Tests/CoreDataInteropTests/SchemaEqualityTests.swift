// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// New stores have the tables and indexes of Apple's, letter by letter.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("The tables of a new store equal Apple's") struct SchemaEqualityTests {
    /// A difference between a store of Apple's and a new one, with the reason.
    struct Exception: Sendable {
        var store: String
        /// Names in `sqlite_master`.
        var names: Set<String>
        var reason: String
    }

    static let exceptions: [Exception] = [
        Exception(
            store: "RhetTbull_photoscript__Photos.sqlite",
            names: ["RADAR_22158684_INDEX", "RADAR_10322662_INDEX", "RADAR_45737537_UNIQUE_INDEX"],
            reason: "made by the application itself"),
        Exception(
            store: "RhetTbull_photoscript__Photos.sqlite",
            names: [
                "Z_RT_GenericAsset_boundedByRect", "Z_RT_GenericAsset_boundedByRect_rowid",
                "Z_RT_GenericAsset_boundedByRect_node", "Z_RT_GenericAsset_boundedByRect_parent",
                "Z_RT_GenericAsset_boundedByRect_INSERT", "Z_RT_GenericAsset_boundedByRect_UPDATE",
                "Z_RT_GenericAsset_boundedByRect_DELETE",
            ], reason: "a spatial index that the cached model does not have"),
        Exception(
            store: "RhetTbull_photoscript__Photos.sqlite", names: ["ZGENERICASSET_Z_ENT_INDEX"],
            reason: "left out by Apple where an index of the model has the entity among its elements"),
        Exception(
            store: "RhetTbull_photoscript__Photos.sqlite", names: ["ZCLOUDSHAREDCOMMENT", "ZGENERICASSET"],
            reason: "the order of several order keys in one table follows no known rule; the columns are the same"),
        Exception(
            store: "apptentive_apptentive-ios__ATDataModel~2.sqlite", names: ["ZATRECORD"],
            reason: "the file lacks a column that every model with its hashes has"),
    ]

    @Test("every table, index and trigger has the same statement", .needsStoreFixtures, arguments: StoreFixture.modeled)
    func statements(name: String) throws {
        let fixture = try StoreFixture(name)
        let model = try #require(try fixture.model())
        let connection = try Connection(url: fixture.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let metadata = try StoreMetadata.read(connection, url: nil)
        let framework = (metadata[NSPersistenceFrameworkVersionKey] as? NSNumber)?.intValue ?? 0
        let layout = ModelLayout(entities: model.entities)
        let inventory = try StoreInventory(connection)
        let schema = Schema(model: layout, entities: Set(inventory.entities.map(\.name)))
        for entity in inventory.entities where entity.number < 16_000 {
            let number = layout.layout(named: entity.name).flatMap { schema.mapping($0)?.number }
            #expect(number == entity.number, "\(entity.name)")
        }
        let expected = Dictionary(
            uniqueKeysWithValues: try connection.schema().compactMap { entry in entry.sql.map { (entry.name, $0) } })
        let made = Dictionary(
            uniqueKeysWithValues: try SchemaDDL(schema: schema).statements.map { (Self.name($0), $0) })
        let excepted = Self.exceptions.filter { $0.store == name }.reduce(into: Set<String>()) {
            $0.formUnion($1.names)
        }
        for entry in Set(expected.keys).union(made.keys).sorted() {
            if excepted.contains(entry) || Self.isOfHistory(entry) || entry.hasPrefix("ZT_") { continue }
            if framework < 849, Self.isOldForm(entry, expected[entry], made[entry]) { continue }
            #expect(made[entry] == expected[entry], "\(entry)")
        }
    }

    @Test(
        "tables, then indexes, then the tables of the framework, in Apple's order", .needsStoreFixtures,
        arguments: [
            "alemar11_CoreDataPlus__SampleModel2_V1.sqlite", "alemar11_CoreDataPlus__SampleModel_V1.sqlite",
            "duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite", "sergd2005_ResourcesManager__default.store",
            "MatthewHunt84_MetaCocktailsSwiftData__PreloadedCocktails.store",
            "RhetTbull_photoscript__CLSPublicEventCache.sqlite",
        ])
    func order(name: String) throws {
        let fixture = try StoreFixture(name)
        let model = try #require(try fixture.model())
        let connection = try Connection(url: fixture.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let names = Set(try StoreInventory(connection).entities.map(\.name))
        let schema = Schema(model: ModelLayout(entities: model.entities), entities: names)
        let theirs = try connection.schema().filter { $0.sql != nil && !Self.isOfHistory($0.name) }.map(\.name)
        #expect(try SchemaDDL(schema: schema).statements.map(Self.name) == theirs)
    }

    /// The name of the table, index or trigger that a statement creates.
    private static func name(_ statement: String) -> String {
        let words = statement.split(separator: " ", maxSplits: 5)
        let position = ["UNIQUE", "VIRTUAL"].contains(words[1]) ? 3 : 2
        return String(words[position])
    }

    private static func isOfHistory(_ name: String) -> Bool {
        name.hasPrefix("ACHANGE") || name.hasPrefix("ATRANSACTION") || name.hasPrefix("Z_TRANSACTION")
    }

    /// Frameworks before 849 spelled some parts differently: indexes of attributes without the name of the entity,
    /// constraints inside the table, join tables without an index, and no copy of the model.
    private static func isOldForm(_ name: String, _ theirs: String?, _ ours: String?) -> Bool {
        if name == "Z_MODELCACHE" { return theirs == nil }
        guard let text = theirs ?? ours else { return false }
        if text.hasPrefix("CREATE INDEX") || text.hasPrefix("CREATE UNIQUE INDEX") {
            return theirs == nil || ours == nil
        }
        if let theirs, let ours, let cut = theirs.range(of: ", CONSTRAINT") {
            return ours == theirs[..<cut.lowerBound] + " )"
        }
        return false
    }
}
