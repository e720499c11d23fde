// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Plants damage of every kind into a store, each as a value that a test may take as its argument.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

/// One kind of damage, and the rule that finds it.
struct Damage: Sendable, CustomTestStringConvertible {
    let rule: String
    let name: String
    /// Whether `--fix` of the rule repairs the store completely.
    let isRepaired: Bool
    /// Whether the doctor needs the model's file to repair it.
    var needsModel = false
    /// Other rules that the damage, or its repair, breaks.
    var others: Set<String> = []
    let plant: @Sendable (Clinic) throws -> Void

    var testDescription: String { "\(rule): \(name)" }

    private static func sql(
        _ rule: String, _ name: String, isRepaired: Bool = true, needsModel: Bool = false, others: Set<String> = [],
        _ statements: String...
    ) -> Damage {
        Damage(rule: rule, name: name, isRepaired: isRepaired, needsModel: needsModel, others: others) { clinic in
            for statement in statements { try clinic.execute(statement) }
        }
    }

    static let all =
        file + catalogue + structure + rows + links + values + derived + search + paths + largeData + history + cloud

    // MARK: Pages

    private static let file = [
        Damage(rule: "file.damage", name: "a page is overwritten", isRepaired: false) { clinic in
            let page = try #require(
                try clinic.value("SELECT rootpage FROM sqlite_master WHERE name = 'ZWARD'")?.integerValue)
            try overwrite(clinic.url, at: UInt64(page - 1) * 4096, with: Data(repeating: 0xAB, count: 4096))
        },
        Damage(rule: "file.damage", name: "the file is cut", isRepaired: false) { clinic in
            let size = ReadLocation.size(clinic.url.path)
            #expect(truncate(clinic.url.path, off_t(size - 3 * 4096)) == 0)
        },
        Damage(rule: "index.damage", name: "an index has another value than its row", isRepaired: true) { clinic in
            // The entry of the index is found in its page, and changed there.
            var bytes = try Data(contentsOf: clinic.url)
            let page = try #require(
                try clinic.value("SELECT rootpage FROM sqlite_master WHERE name = 'Z_Being_byName'")?.integerValue)
            let range = Int(page - 1) * 4096..<Int(page) * 4096
            let place = try #require(bytes.range(of: Data("patient 3".utf8), in: range))
            bytes.replaceSubrange(place, with: Data("patiens 3".utf8))
            try bytes.write(to: clinic.url)
        },
    ]

    private static func overwrite(_ url: URL, at offset: UInt64, with data: Data) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: data)
        try handle.close()
    }

    // MARK: Metadata and entities

    private static let catalogue = [
        sql("metadata.missing", "no row", others: ["store.refused"], "DELETE FROM Z_METADATA"),
        sql(
            "metadata.unreadable", "bytes that are no property list", others: ["store.refused"],
            "UPDATE Z_METADATA SET Z_PLIST = x'00112233'"),
        sql("metadata.rows", "a second row", "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA"),
        sql("metadata.uuid", "no identifier", "UPDATE Z_METADATA SET Z_UUID = NULL"),
        Damage(rule: "metadata.hashes", name: "no version hashes", isRepaired: true) { clinic in
            try changeMetadata(clinic) { $0["NSStoreModelVersionHashes"] = nil }
        },
        Damage(rule: "metadata.digest", name: "a digest of other hashes", isRepaired: true) { clinic in
            try changeMetadata(clinic) { $0["NSStoreModelVersionHashesDigest"] = "AAAA" }
        },
        sql("model.missing", "no copy of the model", needsModel: true, "DELETE FROM Z_MODELCACHE"),
        sql(
            "model.unreadable", "bytes that are no model", needsModel: true,
            "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'"),
        Damage(rule: "model.differs", name: "the copy of another version", isRepaired: true, needsModel: true) {
            clinic in
            let text = Clinic.source.replacing("name=\"weight\" optional=\"YES\"", with: "name=\"weight\"")
            let other = clinic.folder.url.appendingPathComponent("Other.xcdatamodel")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: other.appendingPathComponent("contents"))
            let model = try #require(NSManagedObjectModel(contentsOf: other))
            try clinic.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(StoreTables.cachedModel(model).sqlLiteral)")
        },
        sql(
            "entity.missing", "an entity is not listed", others: ["history.entity"],
            "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Ward'"),
        sql("entity.unknown", "an entity of no model", "INSERT INTO Z_PRIMARYKEY VALUES (77, 'Ghost', 0, 0)"),
        sql("entity.super", "a wrong superentity", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 6 WHERE Z_NAME = 'Patient'"),
        sql("key.low", "keys would be given anew", "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Being'"),
        sql("key.low", "the last key would be given anew", "UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Being'"),
        sql(
            "key.subentity", "a highest key of a subentity",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_NAME = 'Patient'"),
    ]

    private static func changeMetadata(_ clinic: Clinic, _ change: (inout [String: Any]) -> Void) throws {
        let bytes = try #require(try clinic.value("SELECT Z_PLIST FROM Z_METADATA")?.blobValue)
        var values = try #require(
            try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
        change(&values)
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        try clinic.execute("UPDATE Z_METADATA SET Z_PLIST = \(data.sqlLiteral)")
    }

    // MARK: Structure

    private static let structure = [
        sql(
            "table.missing", "the table of an entity",
            others: ["reference.dangling", "link.dangling", "index.missing"], "DROP TABLE ZWARD"),
        sql(
            "table.leftover", "a table of a former entity",
            "CREATE TABLE ZGHOST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER)"),
        sql("column.missing", "a column of an attribute", "ALTER TABLE ZWARD DROP COLUMN ZNAME"),
        sql("column.leftover", "a column of a former attribute", "ALTER TABLE ZWARD ADD COLUMN ZGHOST VARCHAR"),
        sql("index.missing", "of a foreign key", "DROP INDEX ZBED_ZWARD_INDEX"),
        sql("index.missing", "of a uniqueness constraint", "DROP INDEX Z_Being_UNIQUE_code"),
        sql(
            "index.changed", "over another column", others: ["index.redundant"], "DROP INDEX Z_Being_byName",
            "CREATE INDEX Z_Being_byName ON ZBEING (ZBORN)"),
        sql("index.leftover", "that the model does not ask for", "CREATE INDEX RADAR_1 ON ZWARD (ZNAME)"),
        sql(
            "trigger.missing", "of a derived attribute",
            "PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name LIKE 'Z_DA_ZBEING_Physician_load_%DELETE'; "
                + "PRAGMA writable_schema = 0"),
        sql(
            "trigger.leftover", "of somebody else",
            "CREATE TRIGGER Ghost AFTER INSERT ON ZWARD BEGIN UPDATE ZWARD SET ZNAME = 'ghost'; END"),
    ]

    // MARK: Rows

    private static let rows = [
        sql(
            "row.entity", "no entity", others: ["link.dangling", "reference.foreign"],
            "UPDATE ZWARD SET Z_ENT = NULL WHERE Z_PK = 1"),
        sql(
            "row.abstract", "an abstract entity", isRepaired: false,
            others: ["reference.foreign", "inverse.oneSided", "link.dangling"],
            "UPDATE ZBEING SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Being') WHERE Z_PK = 6"),
        sql(
            "row.key", "a key below 1", isRepaired: false, others: ["value.count"],
            "INSERT INTO ZWARD (Z_PK, Z_ENT, Z_OPT) SELECT -3, Z_ENT, 1 FROM ZWARD LIMIT 1"),
        sql("row.version", "no version", "UPDATE ZWARD SET Z_OPT = NULL WHERE Z_PK = 1"),
    ]

    // MARK: Links

    private static let links = [
        sql(
            "reference.dangling", "an object that is not there", others: ["value.count"],
            "UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1"),
        sql(
            "reference.foreign", "an object of another entity", others: ["order.missing"],
            "UPDATE ZBEING SET ZPHYSICIAN = 2 WHERE Z_PK = 3"),
        sql(
            "reference.entity", "the number of another entity",
            "UPDATE ZBED SET Z2_OCCUPANT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Physician') WHERE Z_PK = 1"),
        sql("inverse.oneSided", "the other end is empty", "UPDATE ZPASSPORT SET ZHOLDER = NULL WHERE Z_PK = 1"),
        sql(
            "inverse.oneSided", "the other end is another object", others: ["inverse.contested"],
            "UPDATE ZBEING SET ZPASSPORT = 1 WHERE Z_PK = 5"),
        sql(
            "inverse.contested", "two objects claim one", others: ["inverse.oneSided"],
            "UPDATE ZPASSPORT SET ZHOLDER = 1"),
        sql("link.end", "a link without an end", "INSERT INTO Z_3WARDS SELECT 1, NULL, 5000"),
        sql("link.dangling", "a link to no object", "INSERT INTO Z_3WARDS SELECT 99, 1, 5000"),
        sql("link.mirror", "a link in one direction", "DELETE FROM Z_3FRIENDS WHERE REFLEXIVE = 1"),
        sql("order.missing", "of members with a column", "UPDATE ZBEING SET Z_FOK_PHYSICIAN = NULL WHERE Z_PK = 3"),
        sql("order.doubled", "of members with a column", "UPDATE ZBEING SET Z_FOK_PHYSICIAN = 2048 WHERE Z_PK = 3"),
        sql(
            "order.missing", "of members of a join table",
            "UPDATE Z_3WARDS SET Z_FOK_3PATIENTS = NULL WHERE Z_3PATIENTS = 3"),
        sql("order.doubled", "of members of a join table", "UPDATE Z_3WARDS SET Z_FOK_3PATIENTS = 2048"),
    ]

    // MARK: Values

    private static let values = [
        sql("value.type", "a number as text", "UPDATE ZBEING SET ZWEIGHT = CAST('12.5' AS BLOB) WHERE Z_PK = 1"),
        sql(
            "value.type", "a text in place of a number", isRepaired: false, others: ["value.rule"],
            "UPDATE ZBEING SET ZWEIGHT = 'heavy' WHERE Z_PK = 1"),
        sql("value.boolean", "neither 0 nor 1", "UPDATE ZBEING SET ZALIVE = 7 WHERE Z_PK = 1"),
        sql(
            "value.uuid", "seven bytes", isRepaired: false, "UPDATE ZBEING SET ZKEY = x'00112233445566' WHERE Z_PK = 1"),
        sql(
            "value.text", "bytes that are no UTF-8", isRepaired: false,
            "UPDATE ZBEING SET ZNAME = CAST(x'70FFFE' AS TEXT) WHERE Z_PK = 1"),
        sql(
            "value.archive", "bytes that are no archive", isRepaired: false,
            "UPDATE ZBEING SET ZNOTE = x'00112233' WHERE Z_PK = 1"),
        sql("value.missing", "with a default", "UPDATE ZBEING SET ZAGE = NULL WHERE Z_PK = 1"),
        sql("value.missing", "without a default", isRepaired: false, "UPDATE ZBEING SET ZNAME = NULL WHERE Z_PK = 1"),
        sql(
            "value.rule", "beyond the greatest value", isRepaired: false, "UPDATE ZBEING SET ZAGE = 201 WHERE Z_PK = 1"),
        sql("value.range", "beyond 16 bits", isRepaired: false, "UPDATE ZBEING SET ZAGE = 70000 WHERE Z_PK = 1"),
        sql("value.count", "too few members", isRepaired: false, "UPDATE ZBED SET ZWARD = NULL WHERE Z_PK = 1"),
        sql(
            "unique.doubled", "two objects of one code", isRepaired: false, others: ["index.missing"],
            "DROP INDEX Z_Being_UNIQUE_code", "UPDATE ZBEING SET ZCODE = 'P1' WHERE Z_PK = 2"),
    ]

    // MARK: Derived values

    private static let derived = [
        sql("derived.value", "a wrong number of members", "UPDATE ZBEING SET ZLOAD = 99 WHERE Z_PK = 7"),
        sql("derived.value", "no number of members", "UPDATE ZBEING SET ZLOAD = NULL WHERE Z_PK = 7"),
        sql("derived.value", "a text of an older value", "UPDATE ZBED SET ZSEARCH = 'old' WHERE Z_PK = 1"),
        sql("spatial.missing", "the table of a spatial index", "DROP TABLE Z_RT_Bed_byPlace"),
        sql("spatial.entry", "a row without an entry", "DELETE FROM Z_RT_Bed_byPlace WHERE Z_PK = 1"),
        sql("spatial.entry", "an entry at another place", "UPDATE Z_RT_Bed_byPlace SET ZEAST_MAX = 99 WHERE Z_PK = 1"),
        sql("spatial.entry", "an entry of no row", "INSERT INTO Z_RT_Bed_byPlace VALUES (50, 1, 1, 2, 2)"),
    ]

    // MARK: Full-text indexes

    private static let search = [
        indexed("search.trigger", "an index without a trigger", "DROP TRIGGER OCD_FTS_ZBED_UPDATE"),
        indexed(
            "search.entry", "an index with the words of another text",
            "INSERT INTO OCD_FTS_ZBED (OCD_FTS_ZBED, rowid, ZCODE) VALUES ('delete', 1, 'B1')",
            "INSERT INTO OCD_FTS_ZBED (rowid, ZCODE) VALUES (1, 'C7')"),
        indexed(
            "search.entry", "an index with a row that is gone",
            "INSERT INTO OCD_FTS_ZBED (rowid, ZCODE) VALUES (50, 'B50')"),
        indexed(
            "search.entry", "an index without a row",
            "INSERT INTO OCD_FTS_ZBED (OCD_FTS_ZBED, rowid, ZCODE) VALUES ('delete', 1, 'B1')"),
        indexed("search.entry", "an index with a damaged page", "DELETE FROM OCD_FTS_ZBED_data WHERE id > 10"),
    ]

    // MARK: Indexes of values

    private static let paths = [
        indexed("paths.trigger", "an index without a trigger", "DROP TRIGGER OCD_VAL_ZBEING_DELETE"),
        indexed("paths.entry", "an entry of another value", "UPDATE OCD_VAL_ZBEING SET V = 'other' WHERE K = 1"),
        indexed("paths.entry", "a row without its entry", "DELETE FROM OCD_VAL_ZBEING WHERE K = 1"),
        indexed("paths.entry", "a pending row with an entry", "INSERT INTO OCD_NEW_ZBEING VALUES (1)"),
    ]

    /// A damage of an index that an option asks for, which is made before.
    private static func indexed(_ rule: String, _ name: String, _ statements: String...) -> Damage {
        Damage(rule: rule, name: name, isRepaired: true) { clinic in
            try clinic.makeIndexes()
            for statement in statements { try clinic.execute(statement) }
        }
    }

    // MARK: Large data

    private static let largeData = [
        Damage(rule: "large.missing", name: "a file is gone", isRepaired: true) { clinic in
            try FileManager.default.removeItem(at: largeFile(of: clinic))
        },
        sql(
            "large.outside", "a name that is a path", isRepaired: false,
            others: ["large.orphan"],
            "UPDATE ZBEING SET ZPHOTO = x'02' || CAST('../../../../../../../../etc/passwd' AS BLOB) || x'00' WHERE Z_PK = 3",
            "UPDATE ZBEING SET ZPHOTO = CAST(ZPHOTO AS BLOB) WHERE Z_PK = 3"),
        sql(
            "large.shared", "two rows name one file", others: ["large.orphan"],
            "UPDATE ZBEING SET ZPHOTO = (SELECT ZPHOTO FROM ZBEING WHERE Z_PK = 3) WHERE Z_PK = 4"),
        sql("large.mark", "neither mark", "UPDATE ZBEING SET ZPHOTO = x'FF00FF' WHERE Z_PK = 1"),
        Damage(rule: "large.empty", name: "a file is cut", isRepaired: false) { clinic in
            try Data().write(to: largeFile(of: clinic))
        },
        Damage(rule: "large.orphan", name: "a file of no row", isRepaired: true) { clinic in
            let url = clinic.largeData.appendingPathComponent(UUID().uuidString)
            try Data("orphan".utf8).write(to: url)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: url.path)
        },
    ]

    private static func largeFile(of clinic: Clinic) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: clinic.largeData.path)
        let name = try #require(names.filter { UUID(uuidString: $0) != nil }.min())
        return clinic.largeData.appendingPathComponent(name)
    }

    // MARK: History

    private static let history = [
        sql("history.change", "a change of no transaction", "UPDATE ACHANGE SET ZTRANSACTIONID = 999 WHERE Z_PK = 1"),
        sql("history.entity", "a change of no entity", "UPDATE ACHANGE SET ZENTITY = 999 WHERE Z_PK = 1"),
        sql("history.string", "an author that is not there", "UPDATE ATRANSACTION SET ZAUTHORTS = 999 WHERE Z_PK = 1"),
    ]
}
