// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Layouts of other versions of Apple's framework are sound for the doctor, and its repairs keep them.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The doctor and layouts of other frameworks") struct DoctorLayoutTests {
    /// A store of albums: a unique code, a subentity, and a many-to-many relationship within the entity.
    private struct Shelf {
        let folder: TemporaryFolder
        let url: URL
        let join: StoreTables.Join

        init() throws {
            folder = try TemporaryFolder()
            url = folder.url.appendingPathComponent("Shelf.sqlite")
            let source = folder.url.appendingPathComponent("Shelf.xcdatamodel")
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try Data(Self.source.utf8).write(to: source.appendingPathComponent("contents"))
            let model = try #require(NSManagedObjectModel(contentsOf: source))
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
            let connection = try Connection(url: url, options: .init(access: .readOnly))
            join = try #require(try StoreTables(connection, model: model).joins.first)
            try connection.close()
        }

        func execute(_ statements: String...) throws {
            let connection = try Connection(url: url, options: .init(access: .readWrite))
            for statement in statements { try connection.execute(statement) }
            try connection.close()
        }

        /// The names of the indexes of a table.
        func indexes(_ table: String) throws -> [String] {
            let connection = try Connection(url: url, options: .init(access: .readOnly))
            defer { try? connection.close() }
            return try connection.schema().filter { $0.type == "index" && $0.tableName == table && $0.sql != nil }
                .map(\.name)
        }

        /// The statement that makes a table.
        func creation(_ table: String) throws -> String {
            let connection = try Connection(url: url, options: .init(access: .readOnly))
            defer { try? connection.close() }
            return try #require(try connection.schema().first { $0.name == table }?.sql)
        }

        func findings() throws -> [Finding] { try Doctor(url).examine() }

        static let source = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="Album" representedClassName="NSManagedObject">
                    <attribute name="code" optional="YES" attributeType="String"/>
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <relationship name="alike" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Album" inverseName="alikeTo" inverseEntity="Album"/>
                    <relationship name="alikeTo" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Album" inverseName="alike" inverseEntity="Album"/>
                    <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
                </entity>
                <entity name="PhotoAlbum" representedClassName="NSManagedObject" parentEntity="Album"/>
            </model>
            """
    }

    private func texts(_ findings: [Finding]) -> String {
        findings.map { "\($0.rule): \($0.text)" }.joined(separator: "\n")
    }

    @Test("a uniqueness constraint inside CREATE TABLE does the work of the index", arguments: [true, false])
    func constraints(isOfColumn: Bool) throws {
        let shelf = try Shelf()
        let old = try shelf.creation("ZALBUM")
        let new =
            isOfColumn
            ? old.replacing("ZCODE VARCHAR", with: "ZCODE VARCHAR UNIQUE")
            : String(old.dropLast()) + ", CONSTRAINT ZCODE UNIQUE (ZCODE))"
        #expect(new != old)
        try shelf.execute("DROP TABLE ZALBUM", new)
        try shelf.execute("CREATE INDEX Z_Album_byTitle ON ZALBUM (ZTITLE COLLATE BINARY ASC)")
        let found = try shelf.findings()
        #expect(found == [], "\(texts(found))")
        // Without the constraint the index is missed.
        try shelf.execute("DROP TABLE ZALBUM", old)
        try shelf.execute("CREATE INDEX Z_Album_byTitle ON ZALBUM (ZTITLE COLLATE BINARY ASC)")
        #expect(try shelf.findings().map(\.property) == ["Z_Album_UNIQUE_code"])
    }

    @Test("the index of the other name of a join table is no fault")
    func otherName() throws {
        let shelf = try Shelf()
        for name in try shelf.indexes(shelf.join.name) { try shelf.execute("DROP INDEX \(name)") }
        // The key of the table is in the order of the columns, and an index in the other one.
        try shelf.execute(
            "CREATE INDEX \(shelf.join.name)_\(shelf.join.ownerSQL)_OTHER_INDEX ON \(shelf.join.sql) "
                + "(\(shelf.join.memberSQL), \(shelf.join.ownerSQL))")
        let found = try shelf.findings()
        #expect(found == [], "\(texts(found))")
    }

    @Test("an absent index of entity numbers is no fault")
    func entityNumbers() throws {
        let shelf = try Shelf()
        try shelf.execute("DROP INDEX ZALBUM_Z_ENT_INDEX")
        let found = try shelf.findings()
        #expect(found == [], "\(texts(found))")
    }

    @Test("an index that a migration of Apple's framework left is no finding, and one of a program is")
    func leftovers() throws {
        let shelf = try Shelf()
        try shelf.execute(
            "CREATE INDEX ZALBUM_ZTITLE_INDEX ON ZALBUM (ZTITLE)",
            "CREATE INDEX Z_Disc_byCode ON ZALBUM (ZCODE, ZTITLE)")
        #expect(try shelf.findings() == [])
        try shelf.execute("CREATE INDEX RADAR_7 ON ZALBUM (ZCODE DESC)")
        let found = try shelf.findings()
        #expect(found.map { "\($0.rule) \($0.property ?? "")" } == ["index.leftover RADAR_7"], "\(texts(found))")
        try RepairPlan(shelf.url, rules: ["index.leftover"]).run(backup: nil)
        #expect(try shelf.findings() == [])
        #expect(try shelf.indexes("ZALBUM").contains("ZALBUM_ZTITLE_INDEX"))
    }

    @Test("an index is redundant where the model asks for both, and not where the framework makes one")
    func redundant() throws {
        let shelf = try Shelf()
        // The first column of the other index is that of the framework's.
        try shelf.execute("CREATE INDEX ZALBUM_Z_ENT_ZTITLE ON ZALBUM (Z_ENT, ZTITLE)")
        #expect(try shelf.findings() == [])
        try shelf.execute("CREATE INDEX LONGER ON ZALBUM (ZTITLE, ZCODE)")
        let found = try shelf.findings()
        let rules = found.map { "\($0.rule) \($0.property ?? "")" }
        #expect(rules == ["index.leftover LONGER", "index.redundant Z_Album_byTitle"], "\(texts(found))")
    }

    // MARK: Mends

    @Test("values that no repair can convert are found without a repair")
    func unmendable() throws {
        let clinic = try Clinic()
        try clinic.execute("UPDATE ZBEING SET ZBORN = 'soon' WHERE Z_PK = 1")
        let found = try #require(try clinic.findings(.init(rules: ["value.type"])).first)
        #expect(found.property == "born" && found.repair == nil && found.command == nil)
        let plan = try RepairPlan(clinic.url, rules: ["value.type"])
        #expect(plan.steps.isEmpty && plan.unrepaired == ["value.type"])
    }

    @Test("a repair says how many values it converts, and leaves the others")
    func counted() throws {
        let clinic = try Clinic()
        // As bytes: SQLite would make numbers of texts.
        try clinic.execute(
            "UPDATE ZBEING SET ZBORN = x'31322E35' WHERE Z_PK = 1", "UPDATE ZBEING SET ZBORN = 'soon' WHERE Z_PK = 2")
        let found = try #require(try clinic.findings(.init(rules: ["value.type"])).first)
        #expect(found.count == 2 && found.repair?.text.hasPrefix("The values of 1 row become numbers") == true)
        let (_, rows) = try RepairPlan(clinic.url, rules: ["value.type"]).run(backup: nil)
        #expect(rows == 1)
        #expect(try clinic.value("SELECT ZBORN FROM ZBEING WHERE Z_PK = 1") == .real(12.5))
        #expect(try clinic.value("SELECT ZBORN FROM ZBEING WHERE Z_PK = 2") == .text("soon"))
    }
}
