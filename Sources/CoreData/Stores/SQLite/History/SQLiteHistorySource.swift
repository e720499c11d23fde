// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Queries the history tables.

import Foundation
import SQLiteDriver

/// The history of a store in one read transaction.
struct SQLiteHistorySource: RelationalHistorySource {
    let history: SQLiteHistory
    let connection: Connection
    let externalFolder: URL?
    /// The number of tombstone columns in the file. Another process may have created the history with fewer of them.
    private let tombstoneCount: Int
    /// False for a file of an older framework.
    private let hasStrings: Bool

    init(_ history: SQLiteHistory, on connection: Connection, externalFolder: URL?) throws {
        self.history = history
        self.connection = connection
        self.externalFolder = externalFolder
        tombstoneCount = try connection.columns(of: "ACHANGE").count { $0.name.hasPrefix("ZTOMBSTONE") }
        hasStrings = try connection.tableExists("ATRANSACTIONSTRING")
    }

    var schema: Schema { history.schema }
    var place: String { connection.path ?? "in memory" }

    var bounds: HistoryBounds {
        get throws {
            let row = try connection.rows(
                "SELECT (SELECT MIN(Z_PK) FROM ATRANSACTION), (SELECT MAX(Z_PK) FROM ATRANSACTION), "
                    + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionNumber))"
            ).first
            let last = max(row?[1].integerValue ?? 0, row?[2].integerValue ?? 0)
            return HistoryBounds(deleted: row?[0].integerValue.map { $0 - 1 } ?? last, last: last)
        }
    }

    func lastNumber(before time: Double, inclusive: Bool) throws -> Int64? {
        try connection.value(
            "SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP \(inclusive ? "<=" : "<") ? "
                + "ORDER BY ZTIMESTAMP DESC LIMIT 1", [.real(time)])?.integerValue
    }

    func transactions(after number: Int64, _ body: (HistoryTransactionRecord) throws -> Bool) throws {
        let roles = ["AUTHOR", "CONTEXTNAME", "BUNDLEID", "PROCESSID"]
        // In files of framework 851 the transaction table contains the texts.
        let texts = roles.map { role in
            hasStrings
                ? "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = Z\(role)TS), Z\(role))" : "Z\(role)"
        }
        let sql =
            "SELECT Z_PK, ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION WHERE Z_PK > ? ORDER BY Z_PK"
        try connection.withStatement(sql) { statement in
            try statement.bind(number, at: 1)
            while try statement.step() {
                guard try body(transaction(statement)) else { return }
            }
        }
    }

    func changes(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRecord) throws -> Bool) throws {
        let kept = (0..<tombstoneCount).map { ", " + HistoryTables.tombstoneColumn($0) }.joined()
        // The index has this order, so no sort is needed.
        let sql =
            "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(kept) FROM ACHANGE "
            + "WHERE ZTRANSACTIONID BETWEEN ? AND ? ORDER BY ZTRANSACTIONID, Z_PK"
        try connection.withStatement(sql) { statement in
            try statement.bind(numbers.lowerBound, at: 1)
            try statement.bind(numbers.upperBound, at: 2)
            while try statement.step() {
                guard let record = try change(statement) else { continue }
                guard try body(record) else { return }
            }
        }
    }

    func slots(_ row: Statement, at column: Int, of layout: EntityLayout) -> SlotSet? {
        row.data(at: column).flatMap { history.columns[layout.index]?.slots($0) }
    }

    func tombstone(_ row: Statement, at column: Int, of layout: EntityLayout) -> [AnyHashable: Any]? {
        var values: [AnyHashable: Any] = [:]
        for (position, kept) in (history.columns[layout.index]?.kept ?? []).prefix(tombstoneCount).enumerated() {
            guard let kept else { continue }
            values[kept.name] = row.value(kept.column.coding, at: column + position, in: externalFolder)
        }
        return values.isEmpty ? nil : values
    }
}
