// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Every store of the collection opens, has the row counts of plain SQL, and returns every value.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Opening stores without a given model") struct OpeningTests {
    @Test(
        "counts are those that SQL gives by Z_ENT", .needsFixtures,
        arguments: FixtureStores.names)
    func counts(name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.store(name)
        let opened = try OpenedStore(url)
        let counts = try ModelSummary(store: opened).entities.map { "\($0.name) \($0.count ?? -1)" }
        #expect(counts.sorted() == (try Self.sqlCounts(url)).sorted())
    }

    @Test(
        "every row becomes an object, and each of its attributes reads", .needsFixtures, arguments: FixtureStores.names)
    func values(name: String) throws {
        let folder = try TemporaryFolder()
        let opened = try OpenedStore(try folder.store(name))
        for summary in try ModelSummary(store: opened).entities where summary.superentity == nil {
            let entity = try opened.entity(named: summary.name)
            let attributes = entity.attributesByName.keys.sorted()
            let result = try Query(entityName: summary.name, selection: attributes).run(on: opened)
            #expect(result.rows.allSatisfy { $0.cells.count == attributes.count })
            let objects = try JSONSerialization.jsonObject(with: Data(result.text(.json).utf8)) as? [[String: Any]]
            #expect(objects?.count == result.rows.count)
        }
    }

    @Test("the value in a column of SQL is the object's", .needsFixtures)
    func sampleValues() throws {
        let folder = try TemporaryFolder()
        let opened = try OpenedStore(try folder.store("objcio_core-data__Moody.moody"))
        let result = try Query(entityName: "Mood", format: "SELF.latitude > 7", sortKeys: ["date"], limit: 1).run(
            on: opened)
        #expect(result.columns.contains("country"))
        let row = try #require(result.rows.first)
        let values = Dictionary(uniqueKeysWithValues: zip(result.columns, row.cells))
        #expect(row.id == "Mood/38")
        #expect(values["date"]?.tableText == "2015-09-20T11:39:12.529884Z")
        #expect(values["markedForRemoteDeletion"] == .boolean(false))
        #expect(values["country"] == .object("Country/30"))
    }

    @Test("a store without a cached model opens with its source", .needsFixtures)
    func modelSource() throws {
        let folder = try TemporaryFolder()
        var found: [String] = []
        for name in FixtureStores.names {
            let url = try folder.store(name)
            let bare = try OpenedStore(url)
            // Without version hashes no model is known to be the store's.
            guard bare.origin == .schema, !bare.file.hashes.isEmpty else { continue }
            let plain = try Self.sqlCounts(url).sorted()
            for model in FixtureStores.modelSources {
                guard let opened = try? OpenedStore(url, model: FixtureStores.model(model)) else { continue }
                let counts = try ModelSummary(store: opened).entities.map { "\($0.name) \($0.count ?? -1)" }
                #expect(counts.sorted() == plain, "\(name) with \(model)")
                #expect(opened.origin == .file)
                found.append(name)
                break
            }
        }
        #expect(found.count >= 3, "\(found)")
    }

    @Test("a model of another version is refused, with the entities that differ", .needsFixtures)
    func otherModel() throws {
        let folder = try TemporaryFolder()
        let url = try folder.store("apptentive_apptentive-ios__ATDataModel.sqlite")
        let model = FixtureStores.model("apptentive_apptentive-ios__ATDataModel--ATDataModel_2.contents.xml")
        let message = Self.message { try OpenedStore(url, model: model) }
        #expect(message.contains("it has no entity ATMessage") == true)
    }

    @Test("reading changes no file, and makes none next to the store", .needsFixtures, arguments: FixtureStores.names)
    func leavesNoTraces(name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.store(name)
        let before = try folder.contents
        _ = try ModelSummary(store: try OpenedStore(url))
        #expect(try folder.contents == before)
    }

    @Test("a file that is no store is refused with its path")
    func noStore() throws {
        let folder = try TemporaryFolder()
        let text = folder.url.appendingPathComponent("notes.txt")
        try Data("hello".utf8).write(to: text)
        let database = folder.url.appendingPathComponent("plain.sqlite")
        let connection = try Connection(url: database)
        try connection.execute("CREATE TABLE t (a)")
        try connection.close()
        let missing = folder.url.appendingPathComponent("missing.sqlite")
        #expect(Self.message { try OpenedStore(text) }.contains("notes.txt is no store"))
        #expect(Self.message { try OpenedStore(database) }.contains("no Core Data store"))
        #expect(Self.message { try OpenedStore(missing) }.contains("There is no file"))
    }

    static func message<T>(_ body: () throws -> T) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return ToolError.text(of: error)
        }
    }

    /// By plain SQL, for each entity of `Z_PRIMARYKEY`: rows of its root's table with its number.
    private static func sqlCounts(_ url: URL) throws -> [String] {
        let location = try ReadLocation(of: url, isWritten: false)
        let connection = try Connection(url: location.url, options: .init(access: .readOnly, leavesNoTrace: true))
        defer { try? connection.close() }
        let rows = try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
        var parents: [Int64: Int64] = [:]
        var names: [Int64: String] = [:]
        for row in rows {
            guard let number = row[0].integerValue else { continue }
            names[number] = row[1].textValue
            parents[number] = row[2].integerValue ?? 0
        }
        return try names.map { number, name in
            var root = number
            while let parent = parents[root], parent > 0 { root = parent }
            let table = "Z" + (names[root] ?? "").uppercased()
            let count = try connection.value("SELECT count(*) FROM \"\(table)\" WHERE Z_ENT = ?", [.integer(number)])
            return "\(name) \(count?.integerValue ?? -1)"
        }
    }
}
