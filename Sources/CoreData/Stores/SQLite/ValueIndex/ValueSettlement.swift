// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the entries of pending rows, within a transaction. StructuredValues-10.

import Foundation
import SQLiteDriver

/// Settles the pending rows of one index. Memory is that of one row.
struct ValueSettlement {
    /// The number of rows that a save settles besides those that it has written, and those of one transaction of an
    /// opening.
    static let part = 1000

    let table: ValueTable
    let connection: Connection
    /// The columns of the table with indexed values, by the number of the entity.
    private let readers: [Int64: [Reader]]

    private struct Reader {
        let position: Int
        let coding: ColumnCoding
        let paths: [(name: String, path: InsidePath)]
    }

    init(_ table: ValueTable, _ schema: Schema, on connection: Connection) {
        self.table = table
        self.connection = connection
        var readers: [Int64: [Reader]] = [:]
        for mapping in schema.entities where mapping.table.name == table.content {
            readers[mapping.number] = ValueTable.indexed(mapping, schema).compactMap { indexed in
                table.columns.firstIndex(of: indexed.column.name).map {
                    Reader(position: $0, coding: indexed.column.coding, paths: indexed.paths)
                }
            }
        }
        self.readers = readers
    }

    /// Settles pending rows, those with the lowest keys first.
    ///
    /// - Parameter count: the most rows; nil for all.
    /// - Returns: the number of settled rows.
    /// - Throws: SQLite's errors.
    @discardableResult
    func settle(_ count: Int?) throws -> Int {
        var (settled, last): (Int, Int64) = (0, 0)
        let limit = count.map { " LIMIT \($0)" } ?? ""
        let insertion = try connection.statement(
            for: "INSERT OR IGNORE INTO \(table.sql) (PATH, V, K) VALUES (?, ?, ?)")
        defer { insertion.reset() }
        try connection.withStatement(
            "SELECT P.K, R.Z_ENT\(columnList) FROM \(table.pendingSQL) AS P "
                + "LEFT JOIN \(table.contentSQL) AS R ON R.Z_PK = P.K ORDER BY P.K\(limit)"
        ) { row in
            while try row.step() {
                (last, settled) = (row.int64(at: 0), settled + 1)
                for entry in entries(row) {
                    try insertion.bind(entry.path, at: 1)
                    try insertion.bind(entry.value.columnValue.sqlite, at: 2)
                    try insertion.bind(last, at: 3)
                    _ = try insertion.step()
                    insertion.reset()
                }
            }
        }
        if settled > 0 { try connection.run("DELETE FROM \(table.pendingSQL) WHERE K <= ?", [.integer(last)]) }
        return settled
    }

    var columnList: String { table.columns.map { ", R." + SchemaNaming.quoted($0) }.joined() }

    /// The entries of the statement's row, which has its entity in the second column.
    func entries(_ row: Statement) -> [(path: String, value: IndexedValue)] {
        guard let readers = readers[row.int64(at: 1)] else { return [] }
        var entries: [(path: String, value: IndexedValue)] = []
        for reader in readers {
            guard let value = InsidePath.decoded(row.value(reader.coding, at: reader.position + 2)) else { continue }
            for (name, path) in reader.paths {
                entries += IndexedValue.entries(of: path.value(inDecoded: value)).map { (name, $0) }
            }
        }
        return entries
    }
}

extension ValueSettlement {
    /// Settles all pending rows of a file, in several transactions. Another writer, a full disk or a damaged index may
    /// prevent it; fetches read the rows that are left.
    static func settleAll(_ indexes: SideIndexes<ValueTable>, _ schema: Schema, on connection: Connection) throws {
        do {
            for table in try connection.read({ try indexes.usable(on: connection) }) {
                while try connection.value("SELECT 1 FROM \(table.pendingSQL) LIMIT 1") != nil {
                    let isUsable = try connection.write {
                        guard try indexes.usable(on: connection).contains(table) else { return false }
                        try ValueSettlement(table, schema, on: connection).settle(part)
                        return true
                    }
                    // Another program has replaced its triggers in the meantime.
                    if !isUsable { break }
                }
            }
        } catch let error as SQLiteError where error.isBusy || error.isFull || error.isCorrupt {}
    }
}
