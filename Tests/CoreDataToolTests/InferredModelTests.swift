// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores that keep no model are read, exported, compared and copied with a model inferred from their tables.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Stores read with an inferred model") struct InferredModelTests {
    /// A copy of a store that keeps no model, or that has lost it.
    private func bare(_ name: String, in folder: TemporaryFolder) throws -> URL {
        let url = try folder.store(name)
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        try StoreTables.prepare(connection)
        if try connection.tableExists("Z_MODELCACHE") { try connection.execute("DELETE FROM Z_MODELCACHE") }
        try connection.close()
        return url
    }

    @Test("the fixtures have fifteen stores without a model", .needsFixtures) func stores() {
        #expect(FixtureStores.names.count - FixtureStores.withModel.count == 15)
    }

    @Test("each entity has as many objects as its table has rows", .needsFixtures, arguments: FixtureStores.names)
    func counts(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try bare(name, in: folder)
        let opened = try OpenedStore(url, inference: ModelInference())
        #expect(opened.origin == .schema)
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        let family = EntityFamily(opened.file.entities)
        for known in opened.file.entities {
            let root = try #require(family.name(family.root(of: known.number)))
            let rows = try connection.value(
                "SELECT COUNT(*) FROM \(("Z" + root.uppercased()).sqlName) WHERE Z_ENT = \(known.number)")
            let counted = try opened.ask { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: known.name)
                request.includesSubentities = false
                return try context.count(for: request)
            }
            #expect(rows == .integer(Int64(counted)), "\(known.name)")
        }
        try connection.close()
    }

    @Test("an export comes back as an equal store", .needsFixtures, arguments: FixtureStores.names)
    func roundTrip(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try bare(name, in: folder)
        let before = try Data(contentsOf: url)
        let export = folder.url.appendingPathComponent("Export")
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        let exported = try StoreExport.write(RowStore(url, inference: ModelInference()), to: export, format: .jsonl)
        #expect(try StoreImport.make(copy, from: ExchangeSource(export), model: nil).inserted == exported.objects)
        let counts = try DataDiff(RowStore(url, inference: ModelInference()), RowStore(copy)).run { _ in }
        #expect(counts.isEmpty && counts.compared == exported.objects, "\(counts)")
        #expect(try ModelDiff(url, copy, inference: ModelInference()).changes == [])
        #expect(try Data(contentsOf: url) == before)
    }

    @Test("the written model source reads the store as the tables do", .needsFixtures, arguments: FixtureStores.names)
    func source(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try bare(name, in: folder)
        let inferred = try InferredModel(store: url)
        let read = try OpenedStore(url, inference: ModelInference()).authoredModel()
        #expect(inferred.markedDocument == read)
        try NSManagedObjectModel(document: read).check()
        let marked = read.entities.flatMap { $0.attributes.map(\.traits) + $0.relationships.map(\.traits) }
            .count { $0.userInfo[InferredModel.guessKey] != nil }
        let guesses = Set(
            inferred.notes.filter { $0.isGuess && $0.property != nil }.map(\.line).map { $0.prefix { $0 != ":" } })
        #expect(marked == guesses.count)
    }

    @Test("SQL and copies use the inferred names", .needsFixtures) func commands() throws {
        let folder = try TemporaryFolder()
        let url = try bare("fruitsamples_iPhoneCoreDataRecipes__Recipes.sqlite", in: folder)
        final class Rows: RowSink {
            var texts: [String] = []
            func begin(_ header: QueryResult.Header) {}
            func add(_ row: QueryResult.Row) { texts.append(row.cells.map(\.tableText).joined(separator: "|")) }
            func end(_ count: Int) {}
        }
        let rows = Rows()
        try NamedViews(url, inference: ModelInference()).run(
            "SELECT type.name, COUNT(*) FROM Recipe GROUP BY type ORDER BY 2 DESC, 1 LIMIT 1", into: rows)
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        let expected = try #require(
            try connection.rows(
                "SELECT T.ZNAME, COUNT(*) FROM ZRECIPE R JOIN ZRECIPETYPE T ON T.Z_PK = R.ZTYPE GROUP BY R.ZTYPE "
                    + "ORDER BY 2 DESC, 1 LIMIT 1"
            ).first)
        try connection.close()
        #expect(rows.texts == ["\(expected[0].textValue ?? "")|\(expected[1].integerValue ?? 0)"])
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        #expect(try OpenedStore(url, inference: ModelInference()).copy(to: copy) == 50)
        let counts = try DataDiff(RowStore(url, inference: ModelInference()), RowStore(copy)).run { _ in }
        #expect(counts.isEmpty && counts.compared == 50)
    }

    @Test("without permission, and for changes, such a store is refused") func refusals() throws {
        let clinic = try Clinic()
        #expect(throws: ToolError.self) { try InferredModel(store: clinic.url) }
        try clinic.execute("DELETE FROM Z_MODELCACHE")
        #expect(throws: ToolError.self) { try RowStore(clinic.url) }
        #expect(throws: ToolError.self) { try OpenedStore(clinic.url).authoredModel() }
        #expect(throws: ToolError.self) { try OpenedStore(clinic.url, isWritable: true, inference: ModelInference()) }
        #expect(throws: ToolError.self) { try OpenedStore(clinic.url, isWritable: true, isEditable: true) }
    }

    @Test("names, spatial indexes, files of data, ordered lists and pairs are inferred") func clinic() throws {
        let clinic = try Clinic()
        try clinic.execute("DELETE FROM Z_MODELCACHE")
        let inferred = try InferredModel(store: clinic.url)
        func entity(_ name: String) throws -> ModelDocument.Entity {
            try #require(inferred.document.entities.first { $0.name == name })
        }
        let being = try entity("Being")
        #expect(being.uniquenessConstraints == [["code"]])
        #expect(being.attributes.first { $0.traits.name == "photo" }?.allowsExternalBinaryDataStorage == true)
        let kinds = being.attributes.filter { ["key", "note", "born"].contains($0.traits.name) }
            .map { AttributeKind.title(of: $0.type) }
        #expect(kinds == ["Date", "UUID", "Transformable"])
        #expect(try entity("Bed").indexes.first?.elements.map(\.collation) == [1, 1])
        let patient = try entity("Patient").relationships.map {
            "\($0.traits.name) \($0.destinationEntityName) \($0.inverseName ?? "-")"
        }
        #expect(patient == ["friends Patient friends", "passport Passport holder", "wards Ward patients"])
        let lists = try entity("Physician").relationships.map { "\($0.traits.name) \($0.isOrdered)" }
        #expect(lists == ["beings true"])
        #expect(inferred.notes.contains { $0.line.hasPrefix("Physician.beings: The name is made up") })
    }

    // MARK: Overlays

    private func corrected(_ clinic: Clinic, _ text: String) throws -> ModelDocument {
        let overlay = clinic.folder.url.appendingPathComponent("Names.json")
        try Data(text.utf8).write(to: overlay)
        return try OpenedStore(clinic.url, inference: ModelInference(overlay: overlay)).authoredModel()
    }

    @Test("an overlay corrects names, types, entities and inverses") func overlay() throws {
        let clinic = try Clinic()
        try clinic.execute("DELETE FROM Z_MODELCACHE")
        let document = try corrected(
            clinic,
            """
            {"entities": {
              "Being": {"properties": {
                "alive": {"name": "aLive", "type": "Boolean"}, "age": {"type": "Integer 16", "optional": false},
                "physician": {"entity": "Patient", "inverse": "patients"}, "load": {"entity": "Physician"}}},
              "Bed": {"properties": {"ward": {"inverse": "beds"}}}}}
            """)
        let being = try #require(document.entities.first { $0.name == "Being" })
        #expect(being.attributes.contains { $0.traits.name == "aLive" && $0.type == AttributeKind.boolean.rawValue })
        #expect(being.attributes.contains { $0.traits.name == "age" && !$0.traits.isOptional })
        let physician = try #require(document.entities.first { $0.name == "Physician" })
        #expect(physician.attributes.map(\.traits.name) == ["load"])
        let lists = physician.relationships.map { "\($0.traits.name) \($0.destinationEntityName) \($0.isOrdered)" }
        #expect(lists == ["patients Patient true"])
        let ward = try #require(document.entities.first { $0.name == "Ward" })
        #expect(ward.relationships.map(\.traits.name).sorted() == ["beds", "patients"])
        let overlay = clinic.folder.url.appendingPathComponent("Names.json")
        let store = try OpenedStore(clinic.url, inference: ModelInference(overlay: overlay))
        let found = try store.ask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Physician")
            return try context.fetch(request).map { ($0.value(forKey: "patients") as? NSOrderedSet)?.count ?? 0 }
        }
        #expect(found == [6])
    }

    @Test(
        "a wrong part of an overlay is named by its place",
        arguments: [
            ("[]", "Names.json must be a JSON object."),
            ("{\"entity\": {}}", "Names.json has an unknown key 'entity'"),
            (
                "{\"entities\": {\"Bird\": {}, \"Bird2\": {\"properties\": {\"x\": 1}}}}",
                "entities.Bird2.properties.x must be"
            ),
            (
                "{\"entities\": {\"Bird\": {\"properties\": {\"x\": {}}}}}",
                "entities.Bird: the tables have no such entity"
            ),
            (
                "{\"entities\": {\"Bed\": {\"properties\": {\"code\": {\"type\": \"Date\"}}}}}",
                "entities.Bed.properties.code.type: the column holds no 'Date'"
            ),
            (
                "{\"entities\": {\"Bed\": {\"properties\": {\"code\": {\"name\": \"number\"}}}}}",
                "entities.Bed.properties.code.name: 'number' does not have the letters of the column."
            ),
            (
                "{\"entities\": {\"Bed\": {\"properties\": {\"ward\": {\"inverse\": \"name\"}}}}}",
                "entities.Bed.properties.ward.inverse: Ward.name is an attribute."
            ),
            (
                "{\"entities\": {\"Bed\": {\"properties\": {\"code\": {\"entity\": \"Ward\"}}}}}",
                "entities.Bed.properties.code.entity: 'Ward' is no subentity of Bed."
            ),
        ])
    func wrongOverlays(_ text: String, _ expected: String) throws {
        let clinic = try Clinic()
        try clinic.execute("DELETE FROM Z_MODELCACHE")
        do {
            _ = try corrected(clinic, text)
            Issue.record("The overlay was accepted.")
        } catch {
            #expect(ToolError.text(of: error).contains(expected), "\(ToolError.text(of: error))")
        }
    }

    // MARK: Hostile files

    @Test("hostile names of entities and columns become neither statements nor paths") func hostile() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Hostile.sqlite")
        let connection = try Connection(url: url, options: .init(access: .readWriteCreate))
        let metadata = try PropertyListSerialization.data(
            fromPropertyList: [String: Any](), format: .binary, options: 0)
        for statement in [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "INSERT INTO Z_METADATA VALUES (1, '\(UUID().uuidString)', \(metadata.sqlLiteral))",
            "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Book', 0, 1), (2, '../../Escape', 0, 0), (3, 'A\"; DROP TABLE ZBOOK; --', 0, 0), "
                + "(4, 'book', 0, 0), (5, NULL, 0, 0), (6, '', 0, 0)",
            "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, "
                + "\"ZA\"\"; DROP TABLE ZBOOK; --\" BLOB, \"Z../X\" INTEGER, \"Zß\" VARCHAR, ztitle2 VARCHAR)",
            "CREATE TABLE \"Z../../ESCAPE\" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "CREATE TABLE \"ZA\"\"; DROP TABLE ZBOOK; --\" (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'Dune')",
        ] { try connection.execute(statement) }
        try connection.close()
        let inferred = try InferredModel(store: url)
        #expect(inferred.document.entities.map(\.name) == ["Book"])
        #expect(inferred.document.entities[0].attributes.map(\.traits.name) == ["title"])
        #expect(inferred.notes.count { !$0.isGuess } >= 6, "\(inferred.notes.map(\.line))")
        let export = folder.url.appendingPathComponent("Export")
        let summary = try StoreExport.write(RowStore(url, inference: ModelInference()), to: export, format: .jsonl)
        #expect(summary.objects == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: export.path).sorted()
        #expect(files == ["Book.jsonl", "Model.mom", "manifest.json"])
        #expect(try Doctor(url).examine().contains { $0.rule == "model.missing" })
    }

    @Test("a file with thousands of entities is read with a bounded number of statements") func manyEntities() throws {
        let connection = try Connection.inMemory()
        try connection.execute(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
                + "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);")
        for number in 1...1500 {
            try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(number), 'E\(number)X', 0, 0)")
            try connection.execute(
                "CREATE TABLE ZE\(number)X (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZA INTEGER, ZB INTEGER)"
            )
            try connection.execute("CREATE INDEX ZE\(number)X_ZA_INDEX ON ZE\(number)X (ZA)")
            try connection.execute("CREATE INDEX ZE\(number)X_ZB_INDEX ON ZE\(number)X (ZB)")
            try connection.execute(
                "INSERT INTO ZE\(number)X VALUES (1, \(number), 1, 1, 1), (2, \(number), 1, 2, 2), (3, \(number), 1, 3, 3)"
            )
        }
        let inferred = try SchemaModel.infer(connection, file: try StoreFile(connection, path: "test"))
        #expect(inferred.document.entities.count == 1500)
        #expect(inferred.notes.contains { $0.entity == nil && $0.isGuess })
    }
}
