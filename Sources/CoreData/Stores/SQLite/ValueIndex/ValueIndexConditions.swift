// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a condition on a path into a value to one on keys, by the indexes of a file. StructuredValues-9.

import Foundation
import SQLiteDriver

/// The indexes of values for the fetch of one connection.
struct ValueIndexConditions: ValueConditions {
    let indexes: SideIndexes<ValueTable>
    /// The connection of the fetch, within a read transaction.
    let connection: Connection
    let schema: Schema

    func candidates(_ path: InsidePath, _ wanted: WantedEntries, key: SQLText, of layout: EntityLayout) throws
        -> SQLText?
    {
        guard let content = schema.mapping(layout)?.table.name,
            let name = ValueTable.name(of: path, in: layout, schema.model),
            let table = try indexes.usable(on: connection).first(where: {
                $0.content == content && $0.paths.contains(name)
            })
        else { return nil }
        let entries: SQLText = "SELECT K FROM \(raw: table.sql) WHERE PATH = \(value: .text(name))"
        let pending = SQLText(raw: "SELECT K FROM \(table.pendingSQL)")
        switch wanted {
        case .absent: return "(\(key) IS NULL OR \(key) NOT IN (\(entries)) OR \(key) IN (\(pending)))"
        case .present: return "\(key) IN (\(entries) UNION ALL \(pending))"
        case .equal(let values):
            let list = ([IndexedValue.unplaced.columnValue] + values).map { SQLText.value($0) }.joined(", ")
            return "\(key) IN (\(entries) AND V IN (\(list)) UNION ALL \(pending))"
        case .ranges(let ranges):
            let parts = ranges.map { range -> SQLText in
                let end: SQLText = "\(raw: range.includesEnd ? "<=" : "<") \(value: range.end)"
                return "\(entries) AND V >= \(value: range.least) AND V \(end)"
            }
            let unplaced: SQLText = "\(entries) AND V = \(value: IndexedValue.unplaced.columnValue)"
            return "\(key) IN (\((parts + [unplaced, pending]).joined(" UNION ALL ")))"
        }
    }

    /// Whether SQLite refuses a statement because of an index of values. The fetch then reads all rows: an answer does
    /// not depend on an index.
    static func isRefused(_ error: SQLiteError) -> Bool {
        guard let sql = error.sql, sql.contains(ValueTable.prefix) else { return false }
        return error.isGeneric || error.isCorrupt
    }
}
