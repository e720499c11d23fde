// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of a history: creates, checks, completes and removes them. Documentation/Internals/History.md.

import Foundation
import SQLiteDriver

/// The tables exactly as Apple's framework creates them, and an additional table for named readers.
enum HistoryTables {
    static let changeNumber: Int64 = 16_001
    static let transactionNumber: Int64 = 16_002
    static let stringNumber: Int64 = 16_003
    private static let names: [(number: Int64, name: String)] = [
        (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"), (stringNumber, "TRANSACTIONSTRING"),
    ]
    /// Readers by name. The row with the empty name has the number of the last transaction of a removed history.
    static let readers = "OCD_HISTORYREADER"

    private static let roles = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
    private static let columns = [
        "ACHANGE": [
            "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
        ],
        "ATRANSACTION": [
            "Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP", "ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID",
        ],
    ]

    static func tombstoneColumn(_ position: Int) -> String { "ZTOMBSTONE\(position)" }

    static func statements(tombstones: Int) -> [String] {
        let kept = (0..<tombstones).map { ", \(tombstoneColumn($0)) BLOB" }.joined()
        return [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
                + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(kept) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
                + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, "
                + "ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            strings,
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        ] + roles.map(index) + [
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            stringIndex,
        ]
    }

    private static let strings =
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )"
    private static let stringIndex =
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)"

    private static func index(_ role: String) -> String {
        "CREATE INDEX ATRANSACTION_Z\(role)TS_INDEX ON ATRANSACTION (Z\(role)TS)"
    }

    /// Whether a database has a history, or part of one.
    static func exist(on connection: Connection) throws -> Bool {
        try connection.tableExists("ACHANGE") || connection.tableExists("ATRANSACTION")
    }

    /// - Throws: 259 for history tables that lack columns; the error names them.
    static func check(_ connection: Connection, url: URL?) throws {
        for (table, columns) in columns.sorted(by: { $0.key < $1.key }) {
            let present = Set(try connection.columns(of: table).map(\.name))
            let missing = columns.filter { !present.contains($0) }
            if missing.isEmpty { continue }
            throw CoreDataError.cannotOpenStore(
                url: url, .corrupt,
                reason: "Its history is damaged: \(table) lacks \(missing.joined(separator: ", ")). Opening it with "
                    + "NSPersistentHistoryTrackingKey set to false removes the history and keeps the data.")
        }
    }

    // MARK: In a transaction

    static func create(_ connection: Connection, tombstones: Int) throws {
        for statement in statements(tombstones: tombstones) { try connection.execute(statement) }
        // The numbers of a removed history are not reused, and one more is skipped, so its tokens are expired.
        let former = try removedNumber(connection)
        for (number, name) in names {
            try connection.run(
                "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
                [.integer(number), .text(name), .integer(number == transactionNumber ? former.map { $0 + 1 } ?? 0 : 0)])
        }
    }

    /// Adds the missing parts of a history of an older framework or of another model version, and corrects outdated
    /// key rows.
    static func complete(_ connection: Connection, tombstones: Int) throws {
        if try !connection.tableExists("ATRANSACTIONSTRING") {
            try connection.execute(strings)
            try connection.execute(stringIndex)
        }
        let transaction = Set(try connection.columns(of: "ATRANSACTION").map(\.name))
        for role in roles where !transaction.contains("Z\(role)TS") {
            try connection.execute("ALTER TABLE ATRANSACTION ADD COLUMN Z\(role)TS INTEGER")
            try connection.execute(index(role))
        }
        let present = Set(try connection.columns(of: "ACHANGE").map(\.name))
        for position in 0..<tombstones where !present.contains(tombstoneColumn(position)) {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(tombstoneColumn(position)) BLOB")
        }
        for ((number, name), table) in zip(names, ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]) {
            try connection.run(
                "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, 0)",
                [.integer(number), .text(name)])
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM \(table)) "
                    + "WHERE Z_ENT = ? AND coalesce(Z_MAX, 0) < (SELECT MAX(Z_PK) FROM \(table))", [.integer(number)])
        }
    }

    /// Whether `complete` has anything to do. Reads only.
    static func isComplete(_ connection: Connection, tombstones: Int) throws -> Bool {
        let transaction = Set(try connection.columns(of: "ATRANSACTION").map(\.name))
        let change = Set(try connection.columns(of: "ACHANGE").map(\.name))
        guard try connection.tableExists("ATRANSACTIONSTRING"), roles.allSatisfy({ transaction.contains("Z\($0)TS") }),
            (0..<tombstones).allSatisfy({ change.contains(tombstoneColumn($0)) })
        else { return false }
        let outdated = try zip(names, ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]).contains { key, table in
            let last = try connection.value("SELECT MAX(Z_PK) FROM \(table)")?.integerValue ?? 0
            let known = try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(key.number)])
            return (known?.integerValue ?? -1) < last
        }
        return !outdated
    }

    static func remove(_ connection: Connection) throws {
        let known = try connection.value(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(transactionNumber)])?.integerValue
        for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
            try connection.execute("DROP TABLE IF EXISTS \(table)")
        }
        try connection.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(changeNumber) AND \(stringNumber)")
        try makeReaders(connection)
        try connection.run("DELETE FROM \(readers)")
        try connection.run(
            "INSERT INTO \(readers) (NAME, NUMBER) VALUES ('', ?)", [.integer(known ?? 0)])
    }

    static func makeReaders(_ connection: Connection) throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(readers) (NAME VARCHAR PRIMARY KEY, NUMBER INTEGER)")
    }

    /// The number of the last transaction of a removed history; nil if none was removed.
    static func removedNumber(_ connection: Connection) throws -> Int64? {
        guard try connection.tableExists(readers) else { return nil }
        return try connection.value("SELECT NUMBER FROM \(readers) WHERE NAME = ''")?.integerValue
    }
}
