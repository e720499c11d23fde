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

    private func inferred(entities: [(Int, String, Int)], _ statements: [String]) throws -> InferredModel {
        let connection = try Connection.inMemory()
        try connection.execute(
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
                + "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);")
        for statement in statements { try connection.execute(statement) }
        for (number, name, parent) in entities {
            try connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', \(parent), 0)")
        }
        return try SchemaModel.infer(connection, file: try StoreFile(connection, path: "test"))
    }

    private func document(entities: [(Int, String, Int)], _ statements: String...) throws -> ModelDocument {
        try inferred(entities: entities, statements).document
    }

    /// The table of an entity without a superentity.
    private func table(_ name: String, _ columns: String...) -> String {
        let all = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns
        return "CREATE TABLE Z\(name) (\(all.joined(separator: ", ")));"
    }

    private func attributes(_ document: ModelDocument, _ entity: String) -> [String] {
        document.entities.first { $0.name == entity }?.attributes.map {
            "\($0.traits.name) \(AttributeKind.title(of: $0.type))"
        } ?? []
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

    // MARK: Attributes

    @Test("a column is left out, with a note, if upper case does not give it back from the name of a property")
    func spelling() throws {
        let inferred = try inferred(
            entities: [(1, "Road", 0)], [table("ROAD", "ZNAME VARCHAR", "\"Zstraße\" VARCHAR", "Zplace VARCHAR")])
        #expect(attributes(inferred.document, "Road") == ["name String"])
        #expect(inferred.notes.map(\.isGuess) == [false, false])
    }

    @Test(
        "data is an attribute of archives if four fifths of the values are archives",
        arguments: [(4, "Transformable"), (3, "Binary")])
    func archives(_ count: Int, _ expected: String) throws {
        let archive = "(1, 1, x'62706C697374303024617263686976657200')"
        let rows = Array(repeating: archive, count: count) + ["(1, 1, x'00')"]
        let document = try document(
            entities: [(1, "Note", 0)], table("NOTE", "ZTEXT BLOB"),
            "INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTEXT) VALUES \(rows.joined(separator: ", "))")
        #expect(attributes(document, "Note") == ["text \(expected)"])
    }

    @Test("data of two lengths is no UUID, also where no query is left to look at all values") func lengths() throws {
        let columns = (1...500).map { "ZDATA\($0) BLOB" }.joined(separator: ", ")
        let document = try document(
            entities: [(1, "A", 0), (2, "B", 0), (3, "C", 0), (4, "D", 0)],
            table("A", columns), table("B", columns), table("C", columns), table("D", columns),
            "INSERT INTO ZD (Z_ENT, Z_OPT, ZDATA500) VALUES (4, 1, x'000102030405060708090A0B0C0D0E0F'), (4, 1, x'00')")
        #expect(attributes(document, "D").contains("data500 Binary"))
    }

    // MARK: Destinations

    /// Cars with a column of keys, and two owners.
    private func cars(_ column: String, _ keys: [Int], hasIndex: Bool = false) throws -> InferredModel {
        try inferred(
            entities: [(1, "Car", 0), (2, "Owner", 0)],
            [
                table("CAR", "Z\(column) INTEGER"), table("OWNER"),
                "INSERT INTO ZOWNER VALUES (1, 2, 1), (2, 2, 1)",
            ] + keys.map { "INSERT INTO ZCAR (Z_ENT, Z_OPT, Z\(column)) VALUES (1, 1, \($0))" }
                + (hasIndex ? ["CREATE INDEX ZCAR_Z\(column)_INDEX ON ZCAR (Z\(column))"] : []))
    }

    @Test(
        "a column without an index is a to-one only if an entity has its name, and all values are keys of it",
        arguments: [
            ("OWNER", [1, 2], ["owner: Owner"]), ("OWNER", [1, 99], []), ("OWNER", [], []), ("FIRSTOWNER", [1, 2], []),
        ])
    func withoutIndex(_ column: String, _ keys: [Int], _ expected: [String]) throws {
        #expect(try relationships(cars(column, keys).document, "Car") == expected)
    }

    @Test("a destination is a guess if the name of the column only ends with its name, otherwise a fact")
    func guesses() throws {
        let fact = try cars("OWNER", [1, 2], hasIndex: true)
        #expect(relationships(fact.document, "Car") == ["owner: Owner"])
        #expect(fact.notes == [])
        let guess = try cars("FIRSTOWNER", [1, 2], hasIndex: true)
        #expect(relationships(guess.document, "Car") == ["firstowner: Owner"])
        #expect(guess.notes.map(\.property) == ["firstowner"])
    }

    @Test("a column with a name that fits two entities is a number") func ambiguous() throws {
        let document = try document(
            entities: [(1, "Car", 0), (2, "FirstOwner", 0), (3, "LastOwner", 0)],
            table("CAR", "ZOWNER INTEGER"), table("FIRSTOWNER"), table("LASTOWNER"),
            "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)",
            "INSERT INTO ZCAR VALUES (1, 1, 1, 1); INSERT INTO ZFIRSTOWNER VALUES (1, 2, 1);",
            "INSERT INTO ZLASTOWNER VALUES (1, 3, 1)")
        #expect(relationships(document, "Car") == [])
        #expect(attributes(document, "Car") == ["owner Integer 64"])
    }

    /// A to-one of an entity with subentities has a second column, for the entity of the destination.
    @Test("a column with the name of an entity with subentities is a number without the column of their entities")
    func superentities() throws {
        let statements = [
            table("BOOK", "ZASSET INTEGER"), table("ASSET"), "CREATE INDEX ZBOOK_ZASSET_INDEX ON ZBOOK (ZASSET)",
            "INSERT INTO ZASSET VALUES (1, 1, 1); INSERT INTO ZBOOK VALUES (1, 3, 1, 1)",
        ]
        let entities = [(1, "Asset", 0), (2, "Photo", 1), (3, "Book", 0)]
        let document = try inferred(entities: entities, statements).document
        #expect(relationships(document, "Book") == [])
        #expect(attributes(document, "Book") == ["asset Integer 64"])
        let second = "ALTER TABLE ZBOOK ADD COLUMN Z1_ASSET INTEGER"
        #expect(
            try relationships(inferred(entities: entities, statements + [second]).document, "Book") == ["asset: Asset"])
    }

    // MARK: To-manys

    @Test(
        "a join table gives neither end if an entity has a column of that name", arguments: ["ASSET", "ALBUM", nil])
    func takenNames(_ taken: String?) throws {
        let document = try document(
            entities: [(1, "Asset", 0), (2, "Album", 0)],
            table("ASSET", taken == "ASSET" ? "ZALBUMS VARCHAR" : "ZTITLE VARCHAR"),
            table("ALBUM", taken == "ALBUM" ? "ZASSETS VARCHAR" : "ZTITLE VARCHAR"),
            "CREATE TABLE Z_1ALBUMS (Z_1ASSETS INTEGER, Z_2ALBUMS INTEGER, PRIMARY KEY (Z_1ASSETS, Z_2ALBUMS))")
        #expect(relationships(document, "Asset") == (taken == nil ? ["albums: Album* / assets"] : []))
        #expect(relationships(document, "Album") == (taken == nil ? ["assets: Asset* / albums"] : []))
    }

    @Test("a column with the number of an entity is a to-many of that entity, without an inverse") func owned() throws {
        let document = try document(
            entities: [(1, "Recipe", 0), (2, "Ingredient", 0)], table("RECIPE"), table("INGREDIENT", "Z1SPEC INTEGER"))
        #expect(relationships(document, "Recipe") == ["spec: Ingredient*"])
        #expect(relationships(document, "Ingredient") == [] && attributes(document, "Ingredient") == [])
    }
}
