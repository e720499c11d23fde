// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The inputs of the hostile harness: good files to damage, damage by seed, and inputs written by hand.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

struct HostileInputs {
    let sqlite: [UInt8]
    let walLog: [UInt8]
    let xml: [UInt8]
    let binary: [UInt8]
    let metadata: [UInt8]
    let cache: [UInt8]
    let archive: [UInt8]
    private let seed: UInt64

    init(seed: UInt64) throws {
        self.seed = seed
        func file(_ setup: Setup, _ work: (Place) throws -> [UInt8]) throws -> [UInt8] {
            let place = try Place()
            let site = try Site(setup, place.store)
            for operations in Workload(seed: seed, saves: 4).saves {
                site.perform(operations)
                try site.context.save()
            }
            defer { try? site.close() }
            if setup != .walNormal { try site.close() }
            return try work(place)
        }
        walLog = try file(.walNormal) { [UInt8](try Data(contentsOf: URL(filePath: $0.store.path + "-wal"))) }
        sqlite = try file(.delete) { [UInt8](try Data(contentsOf: $0.store)) }
        xml = try file(.xml) { [UInt8](try Data(contentsOf: $0.store)) }
        binary = try file(.binary) { [UInt8](try Data(contentsOf: $0.store)) }
        let place = try Place()
        try Data(sqlite).write(to: place.store)
        let connection = try Connection(url: place.store)
        func blob(_ sql: String) throws -> [UInt8] {
            if case .blob(let data) = try connection.value(sql) { return [UInt8](data) }
            return []
        }
        metadata = try blob("SELECT Z_PLIST FROM Z_METADATA")
        cache = try blob("SELECT Z_CONTENT FROM Z_MODELCACHE")
        try connection.close()
        let values: NSArray = [[1, 2.5, "text"] as NSArray, Data([1, 2, 3]) as NSData, NSSet(object: "one")]
        archive = [UInt8](try NSKeyedArchiver.archivedData(withRootObject: values, requiringSecureCoding: false))
    }

    /// A short model of an Xcode source.
    let source = [UInt8](
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222">
            <entity name="Thing" representedClassName="Thing" syncable="YES" codeGenerationType="class">
                <attribute name="name" optional="YES" attributeType="String" regularExpressionString="a*b"/>
                <attribute name="number" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Thing" inverseName="children" inverseEntity="Thing"/>
                <relationship name="children" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
                    destinationEntity="Thing" inverseName="parent" inverseEntity="Thing"/>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <fetchRequest name="All" entity="Thing" predicateString="number &gt; 3 AND ANY children.name LIKE 'x*'"/>
        </model>
        """.utf8)

    func write(_ bytes: [UInt8], to url: URL) throws { try Data(bytes).write(to: url) }

    func fixedCount(_ job: String) -> Int? {
        switch job {
        case "statements": statements.count
        case "names": names.count
        default: nil
        }
    }

    // MARK: Damage

    func mutated(_ good: [UInt8], _ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: seed &* 7_919 &+ UInt64(number))
        return ByteDamage.of(good, &random)
    }

    func predicate(_ number: Int) -> [UInt8] {
        let texts = [
            "name == 'x' AND (number > 3 OR NOT amount BETWEEN {1, 2.5})", "ANY tags.code LIKE[cd] '*a?' ",
            "SUBQUERY(children, $c, $c.amount > 0x1F AND $c.name MATCHES 'a+').@count > 0",
            "FUNCTION(name, 'uppercaseString') IN {'A', nil} AND pieces[FIRST].number != -1e308",
            "TERNARY(TRUEPREDICATE, 1, 2) == sum:({1, 2}) + 3 ** 2 / 4 % $v", "%K == %@ AND SELF IN %@",
            "(((((a == 1)))))", "CAST(now(), 'NSDate') > \"\\u0041\\n\" AND #and.or == {{}, {}}",
        ]
        var random = SeededGenerator(seed: seed &+ UInt64(number))
        let text = (0..<Int.random(in: 1...3, using: &random)).map { _ in texts.randomElement(using: &random) ?? "" }
        return mutated(
            Array(text.joined(separator: [" AND ", " OR ", "", "("].randomElement(using: &random) ?? "").utf8), number)
    }

    // MARK: By hand

    private static let endlessView =
        "CREATE VIEW ZTHING AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) "
        + "SELECT T.* FROM T, (SELECT i FROM n LIMIT 100000)"

    /// Changes of a good database by SQL.
    let statements: [[String]] = [
        ["CREATE TRIGGER t AFTER INSERT ON ZTHING BEGIN DELETE FROM ZTHING; END"],
        ["CREATE TRIGGER t AFTER INSERT ON ZTHING BEGIN INSERT INTO ZTHING (Z_ENT) VALUES (NEW.Z_PK); END"],
        [
            "CREATE TRIGGER t AFTER UPDATE ON Z_PRIMARYKEY BEGIN UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808; END"
        ],
        ["ALTER TABLE ZTHING RENAME TO T", "CREATE VIEW ZTHING AS SELECT * FROM T"],
        ["ALTER TABLE ZTHING RENAME TO T", "CREATE VIEW ZTHING AS SELECT a.* FROM T a, T b, T c, T d, T e"],
        [
            "ALTER TABLE ZTHING RENAME TO T",
            Self.endlessView,
        ],
        ["UPDATE ZTHING SET Z_ENT = 99"], ["UPDATE ZTHING SET Z_ENT = -9223372036854775808"],
        ["UPDATE ZTHING SET Z_ENT = NULL"], ["UPDATE ZTHING SET Z_ENT = 'x'"], ["UPDATE ZTHING SET Z_OPT = NULL"],
        ["UPDATE ZTHING SET Z_OPT = 9223372036854775807"], ["UPDATE ZTHING SET Z_OPT = -9223372036854775808"],
        ["UPDATE ZTHING SET Z_PK = -Z_PK"], ["UPDATE ZTHING SET Z_PK = 9223372036854775807 WHERE Z_PK = 1"],
        ["UPDATE ZTHING SET Z_PK = -9223372036854775808 WHERE Z_PK = 1"], ["UPDATE ZTHING SET Z_PK = 0 WHERE Z_PK = 1"],
        ["UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807"],
        ["UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808"],
        ["UPDATE Z_PRIMARYKEY SET Z_MAX = 'many'"], ["UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 1"],
        ["UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT"], ["UPDATE Z_PRIMARYKEY SET Z_NAME = 'Thing'"],
        ["DELETE FROM Z_PRIMARYKEY"], ["DROP TABLE Z_PRIMARYKEY"], ["DELETE FROM Z_METADATA"],
        ["UPDATE Z_METADATA SET Z_UUID = '../../../etc'"], ["UPDATE Z_METADATA SET Z_VERSION = -1"],
        ["UPDATE Z_METADATA SET Z_PLIST = zeroblob(50000000)"],
        ["UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(50000000)"],
        ["UPDATE ZTHING SET ZDATA = X'022E2E2F2E2E2F2E2E2F6574632F70617373776400'"],
        ["UPDATE ZTHING SET ZDATA = CAST(X'02' || '../Store.sqlite' || X'00' AS BLOB)"],
        ["UPDATE ZTHING SET ZDATA = X'02'"], ["UPDATE ZTHING SET ZDATA = X'03'"], ["UPDATE ZTHING SET ZDATA = 'text'"],
        ["UPDATE ZTHING SET ZDATA = X'0200'"], ["UPDATE ZTHING SET ZDATA = 17"],
        ["UPDATE ZTHING SET ZAMOUNT = 9e999"], ["UPDATE ZTHING SET ZAMOUNT = 'nan'"],
        ["UPDATE ZTHING SET ZNUMBER = 1e300"], ["UPDATE ZTHING SET ZNUMBER = X'00'"],
        ["UPDATE ZTHING SET ZNAME = CAST(X'FFFE00FF' AS TEXT)"],
        ["UPDATE ZTHING SET ZNAME = zeroblob(20000000) WHERE Z_PK = 1"],
        ["UPDATE ZTHING SET ZPARENT = Z_PK"], ["UPDATE ZTHING SET ZPARENT = -9223372036854775808"],
        ["UPDATE ZPIECE SET ZWHOLE = 12345"], ["UPDATE ZPIECE SET Z_FOK_WHOLE = 0"],
        ["UPDATE ZPIECE SET Z_FOK_WHOLE = -9223372036854775808"],
        ["UPDATE ZPIECE SET Z_FOK_WHOLE = 9223372036854775807"],
        ["DROP TABLE ZPIECE"], ["ALTER TABLE ZTHING DROP COLUMN ZAMOUNT"],
        ["CREATE TABLE \"ZTHING'; DROP TABLE ZTHING; --\" (a)"], ["PRAGMA user_version = -1"],
        ["PRAGMA application_id = 252006674"], ["PRAGMA writable_schema = 1", "UPDATE sqlite_master SET sql = 'x'"],
        ["PRAGMA writable_schema = 1", "UPDATE sqlite_master SET rootpage = 999999"],
        ["PRAGMA writable_schema = 1", "DELETE FROM sqlite_master WHERE type = 'index'"],
        ["DELETE FROM ZTHING WHERE Z_PK = 1"], ["DELETE FROM ZTAG"],
        ["UPDATE ZTAG SET ZCODE = 't'"], ["DROP TRIGGER IF EXISTS Z_DA_ZTHING_Thing_pieceCount_INSERT"],
    ]

    let names: [String] = [
        "a b.sqlite", "100%.sqlite", "100%25.sqlite", "?mode=memory", "a?mode=memory&cache=shared", "#.sqlite",
        "'.sqlite",
        "\".sqlite", "a'; DROP TABLE ZTHING; --.sqlite", "ünï.sqlite", "👩‍👩‍👧.sqlite", "\n.sqlite", "\t.sqlite", "\u{7f}",
        "-wal",
        "Store-wal", "Store-journal", "Store-shm", ".sqlite", "..sqlite", "...", ":memory:", "file:x.sqlite", "*", "~",
        "\\", "e\u{301}.sqlite", "a.b.c.d", String(repeating: "x", count: 200), String(repeating: "x", count: 255),
        String(repeating: "x", count: 300), String(repeating: "é", count: 120), "Store.half", "CON", "nul", " ",
        "a\u{202e}b",
    ]

    /// Inputs that are too large, too deep, or that refer to other files.
    var corpus: [(Place) throws -> Void] {
        func store(_ text: String, _ setup: Setup) -> (Place) throws -> Void {
            { place in
                try Data(text.utf8).write(to: place.store)
                StoreUse.run(setup, place)
            }
        }
        func parse(_ text: String) -> (Place) throws -> Void {
            { _ in _ = (try? NSPredicate.parsing(text, arguments: []))?.description }
        }
        func entity(_ level: Int) -> String {
            let name = level == 1 ? "" : "\(level - 1)"
            return "<!ENTITY a\(level) \"" + repeated("&a\(name);", 10) + "\">"
        }
        let entities: String = (1..<10).map(entity).joined()
        let start = "<?xml version=\"1.0\"?><!DOCTYPE database [<!ENTITY a \"aaaaaaaaaa\">"
        let bomb = start + entities + "]><database>&a9;</database>"
        let outside =
            "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><database>&x;</database>"
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        return [
            store(bomb, .xml), store(outside, .xml), store(repeated("<a>", 100_000), .xml),
            store("<database>" + repeated("<object type=\"THING\" id=\"z1\"></object>", 20_000), .xml),
            store("", .walNormal), store("SQLite format 3\0", .walNormal), store(repeated("\0", 1 << 20), .walNormal),
            store("OCDATOM\0" + repeated("\u{7f}", 4096), .binary), store(repeated("x", 1 << 20), .binary),
            parse(repeated("(", 100_000)), parse(repeated("NOT ", 100_000) + "a == 1"),
            parse(repeated("a.", 50_000) + "b == 1"), parse("a == " + repeated("{", 50_000)),
            parse("a == '" + repeated("x", 1_000_000) + "'"), parse(repeated("a == 1 AND ", 20_000) + "a == 1"),
            parse("a == " + repeated("1 + ", 20_000) + "1"), parse("a == " + repeated("-", 100_000) + "1"),
            parse("a == " + repeated("9", 100_000)), parse("a MATCHES '" + repeated("(a*)*", 2000) + "'"),
            parse("a == \u{0}"), parse("%@ %@ %@ == %K"), parse(repeated("SUBQUERY(a, $x, ", 20_000)),
            parse("a == FUNCTION('/etc/passwd', 'stringByAppendingString:', 'x')"),
            { place in
                try FileManager.default.createSymbolicLink(
                    at: place.store, withDestinationURL: place.folder.appending(path: "Store.sqlite"))
                StoreUse.run(.walNormal, place)
            },
            { place in
                try FileManager.default.createDirectory(at: place.store, withIntermediateDirectories: true)
                StoreUse.run(.walNormal, place)
                StoreUse.run(.xml, place)
            },
            { place in
                _ = mkfifo(place.store.path, 0o600)
                for setup in [Setup.walNormal, .xml, .binary] { StoreUse.run(setup, place) }
            },
            { place in
                // The folder of large data is a link to another folder.
                let other = place.folder.appending(path: "elsewhere")
                try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    at: place.folder.appending(path: ".Store_SUPPORT"), withDestinationURL: other)
                StoreUse.run(.walNormal, place)
            },
            { place in
                try self.write(self.sqlite, to: place.store)
                let support = place.folder.appending(path: ".Store_SUPPORT")
                try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
                let lines = [
                    "store Store%2Esqlite", "../../Store.sqlite", "/etc/passwd", "..", "", repeated("x", 100_000),
                ]
                try Data(lines.joined(separator: "\n").utf8).write(
                    to: support.appending(path: "\(UUID().uuidString).pending"))
                StoreUse.run(.walNormal, place)
            },
        ]
    }
}
