// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model that is inferred only from tables.

import CAllocationCounter
import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Inferring a model from tables") struct SchemaModelTests {
    private static let schema = """
        CREATE TABLE ZASSET ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSIZE INTEGER, ZOWNER INTEGER,
            Z_FOK_OWNER INTEGER, ZPARENT INTEGER, Z1_PARENT INTEGER, ZRANK INTEGER, ZTAKEN TIMESTAMP, ZLENGTH FLOAT,
            ZPRICE DECIMAL, ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZTHUMB BLOB );
        CREATE INDEX ZASSET_ZOWNER_INDEX ON ZASSET (ZOWNER);
        CREATE INDEX ZASSET_ZPARENT_INDEX ON ZASSET (ZPARENT);
        CREATE INDEX ZASSET_ZRANK_INDEX ON ZASSET (ZRANK);
        CREATE TABLE ZOWNER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
        CREATE TABLE Z_1ALBUMS ( Z_1ASSETS INTEGER, Z_4ALBUMS INTEGER, Z_FOK_1ASSETS INTEGER, PRIMARY KEY (Z_1ASSETS, Z_4ALBUMS) );
        CREATE TABLE Z_3FRIENDS ( Z_3FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_3FRIENDS, REFLEXIVE) );
        CREATE TABLE ZALBUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER );
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Asset', 0, 0), (2, 'Photo', 1, 0), (3, 'Owner', 0, 0), (4, 'Album', 0, 0),
            (16001, 'CHANGE', 0, 0);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        """

    private func document() throws -> ModelDocument {
        let connection = try Connection.inMemory()
        try connection.execute(Self.schema)
        return try SchemaModel.infer(connection, file: try StoreFile(connection, path: "test")).document
    }

    private func relationships(_ document: ModelDocument, _ entity: String) -> [String] {
        document.entities.first { $0.name == entity }?.relationships.map { relationship in
            "\(relationship.traits.name): \(relationship.destinationEntityName)" + (relationship.isToMany ? "*" : "")
                + (relationship.isOrdered ? " ordered" : "") + (relationship.inverseName.map { " / \($0)" } ?? "")
        } ?? []
    }

    @Test("entities and inheritance come from Z_PRIMARYKEY, the framework's own left out")
    func entities() throws {
        let names = try document().entities.map { "\($0.name) \($0.superentityName ?? "-")" }
        #expect(names == ["Album -", "Asset -", "Owner -", "Photo Asset"])
    }

    @Test("column types give attribute types, names in lower case")
    func attributes() throws {
        let asset = try #require(try document().entities.first { $0.name == "Asset" })
        let types = asset.attributes.map { "\($0.traits.name) \(AttributeKind.title(of: $0.type))" }
        #expect(
            types == [
                "length Double", "price Decimal", "rank Integer 64", "size Integer 64", "taken Date", "thumb Binary",
                "title String", "title1 String",
            ])
    }

    @Test("keys are to-ones where the tables name the destination")
    func toOnes() throws {
        let document = try document()
        #expect(relationships(document, "Asset").suffix(2) == ["owner: Owner / assets", "parent: Asset"])
    }

    @Test("join tables are many-to-manys")
    func toManys() throws {
        let document = try document()
        #expect(relationships(document, "Asset").first == "albums: Album* / assets")
        #expect(relationships(document, "Album") == ["assets: Asset* ordered / albums"])
        #expect(relationships(document, "Owner").last == "friends: Owner* / friends")
    }

    @Test("an order key of a to-one gives its destination an ordered list with a made-up name")
    func orderedLists() throws {
        let document = try document()
        #expect(relationships(document, "Owner").first == "assets: Asset* ordered / owner")
    }

    private func document(entities: [(Int, String, Int)], _ statements: String...) throws -> ModelDocument {
        let connection = try Connection.inMemory()
        try connection.execute(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
                + "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);")
        for statement in statements { try connection.execute(statement) }
        for (number, name, parent) in entities {
            try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', \(parent), 0)")
        }
        return try SchemaModel.infer(connection, file: try StoreFile(connection, path: "test")).document
    }

    @Test("a circle of superentities is no inheritance")
    func circle() throws {
        let document = try document(
            entities: [(1, "A", 2), (2, "B", 3), (3, "C", 2), (4, "D", 4), (5, "E", 1), (6, "F", 0), (7, "G", 6)],
            "CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
            "CREATE TABLE ZC (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "CREATE TABLE ZD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "CREATE TABLE ZF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS))")
        let parents = document.entities.map { "\($0.name) \($0.superentityName ?? "-")" }
        #expect(parents == ["A B", "B -", "C -", "D -", "E A", "F -", "G F"])
        #expect(relationships(document, "A") == ["bs: B* / as"])
    }

    @Test(
        "inheritance of any depth is inferred, with allocations in proportion to the depth",
        .enabled(if: ocd_counts_allocations()))
    func deepInheritance() throws {
        func blocks(_ depth: Int) throws -> Int64 {
            let connection = try Connection.inMemory()
            try connection.execute(
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
                    + "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);")
            for number in 1...depth {
                try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(number), 'E\(number)', \(number - 1), 0)")
            }
            try connection.execute("CREATE TABLE ZE1 (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)")
            for number in 1...20 {
                try connection.execute(
                    "CREATE TABLE Z_\(depth)TO\(number) "
                        + "(Z_\(depth)FROM\(number) INTEGER, Z_\(depth - 1)TO\(number) INTEGER)")
            }
            let file = try StoreFile(connection, path: "test")
            let start = ocd_allocations()
            _ = try SchemaModel.infer(connection, file: file)
            return ocd_allocations() - start
        }
        let (short, long) = (try blocks(500), try blocks(4000))
        #expect(Double(long) < Double(short) * 8 * 1.3, "\(short) blocks for 500 levels, \(long) for 4,000")
    }
}
