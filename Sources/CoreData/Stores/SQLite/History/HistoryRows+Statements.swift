// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts the changes of one transaction into ACHANGE.

import Foundation
import SQLiteDriver

extension HistoryRows {
    private static var rowsPerInsert: Int { 32 }

    func write(
        to history: SQLiteHistory, transaction: Int64, first: Int64, tombstones: HistoryTombstones,
        on connection: Connection
    ) throws {
        let kept = tombstones.values.isEmpty ? 0 : history.tombstoneCount
        let blobs = shapes.map { history.columns[$0.layout]?.blob($0.slots) ?? Data() }
        let head =
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
            + (0..<kept).map { ", " + HistoryTables.tombstoneColumn($0) }.joined() + ") VALUES "
        let row =
            "(?, \(HistoryTables.changeNumber), ?, ?, ?, ?, ?" + String(repeating: ", ?", count: kept) + ")"
        var position = 0
        while position < rows.count {
            let count = min(Self.rowsPerInsert, rows.count - position)
            // All full statements have the same text.
            let last = count == Self.rowsPerInsert ? rows.count / count * count : rows.count
            try connection.withStatement(head + Array(repeating: row, count: count).joined(separator: ", ")) {
                statement in
                while position + count <= last {
                    for offset in 0..<count {
                        let (row, index) = (rows[position + offset], offset * (6 + kept) + 1)
                        try statement.bind(first + Int64(position + offset), at: index)
                        try statement.bind(row.type, at: index + 1)
                        try statement.bind(row.entity, at: index + 2)
                        try statement.bind(row.key, at: index + 3)
                        try statement.bind(transaction, at: index + 4)
                        if row.shape >= 0 {
                            try statement.bind(blobs[row.shape], at: index + 5)
                        } else {
                            try statement.bindNull(at: index + 5)
                        }
                        if kept == 0 { continue }
                        let root = history.schema.model.layouts[row.layout].rootIndex
                        let values = row.isDeletion ? tombstones.values[ObjectKey(root, row.key)] ?? [] : []
                        for offset in 0..<kept {
                            try statement.bind(offset < values.count ? values[offset] : .null, at: index + 6 + offset)
                        }
                    }
                    _ = try statement.step()
                    statement.reset()
                    position += count
                }
            }
        }
    }
}
