// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of ACHANGE for one transaction, in order, and the statements that insert them.

import Foundation
import SQLiteDriver

struct HistoryRows {
    struct Row {
        var type: Int64
        var entity: Int64
        var key: Int64
        /// An index into `blobs`; -1 for no blob.
        var blob: Int
        var root: Int
    }

    private static let rowsPerInsert = 32

    private(set) var rows: [Row] = []
    /// The distinct values of ZCOLUMNS. Most changes of a transaction share a few.
    private var blobs: [Data] = []
    private let tombstoneCount: Int

    /// Insertions, then updates, then deletions; each by entity and key.
    init(_ changes: RecordedChanges, _ history: SQLiteHistory) {
        tombstoneCount = history.tombstoneCount
        rows.reserveCapacity(changes.inserts.count + changes.updates.count + changes.deletes.count)
        let schema = history.schema
        add(.insert, changes.inserts.lazy.map { ($0.layout, $0.key, -1) }, schema)
        var known: [Shape: Int] = [:]
        var (last, lastBlob) = (Shape(entity: -1, slots: SlotSet()), -1)
        var updates: [(EntityLayout, Int64, Int)] = []
        updates.reserveCapacity(changes.updates.count)
        for update in changes.updates {
            let shape = Shape(entity: update.layout.index, slots: update.slots)
            if shape != last {
                last = shape
                if let blob = known[shape] {
                    lastBlob = blob
                } else {
                    guard let columns = history.columns[shape.entity] else { continue }
                    lastBlob = blobs.count
                    known[shape] = lastBlob
                    blobs.append(columns.blob(shape.slots))
                }
            }
            updates.append((update.layout, update.key, lastBlob))
        }
        add(.update, updates, schema)
        add(.delete, changes.deletes.lazy.map { ($0.layout, $0.key, -1) }, schema)
    }

    private struct Shape: Hashable {
        var entity: Int
        var slots: SlotSet
    }

    private mutating func add(
        _ type: NSPersistentHistoryChangeType, _ records: some Sequence<(EntityLayout, Int64, Int)>, _ schema: Schema
    ) {
        let start = rows.count
        var (lastIndex, lastNumber) = (-1, Int64(0))
        var isSorted = true
        for (layout, key, blob) in records {
            if layout.index != lastIndex {
                guard let mapping = schema.mapping(layout) else { continue }
                (lastIndex, lastNumber) = (layout.index, mapping.number)
            }
            if isSorted, rows.count > start, let last = rows.last, (last.entity, last.key) > (lastNumber, key) {
                isSorted = false
            }
            rows.append(
                Row(type: Int64(type.rawValue), entity: lastNumber, key: key, blob: blob, root: layout.rootIndex))
        }
        if !isSorted { rows[start...].sort { ($0.entity, $0.key) < ($1.entity, $1.key) } }
    }

    func write(transaction: Int64, first: Int64, tombstones: HistoryTombstones, on connection: Connection) throws {
        let kept = tombstones.values.isEmpty ? 0 : tombstoneCount
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
                        try bind(
                            position + offset, to: statement, at: offset * (6 + kept) + 1, transaction: transaction,
                            number: first + Int64(position + offset), tombstones, kept)
                    }
                    _ = try statement.step()
                    statement.reset()
                    position += count
                }
            }
        }
    }

    private func bind(
        _ position: Int, to statement: Statement, at index: Int, transaction: Int64, number: Int64,
        _ tombstones: HistoryTombstones, _ kept: Int
    ) throws {
        let row = rows[position]
        try statement.bind(number, at: index)
        try statement.bind(row.type, at: index + 1)
        try statement.bind(row.entity, at: index + 2)
        try statement.bind(row.key, at: index + 3)
        try statement.bind(transaction, at: index + 4)
        if row.blob >= 0 {
            try statement.bind(blobs[row.blob], at: index + 5)
        } else {
            try statement.bindNull(at: index + 5)
        }
        if kept == 0 { return }
        let isDeletion = row.type == Int64(NSPersistentHistoryChangeType.delete.rawValue)
        let values = isDeletion ? tombstones.values[ObjectKey(row.root, row.key)] ?? [] : []
        for offset in 0..<kept {
            try statement.bind(offset < values.count ? values[offset] : .null, at: index + 6 + offset)
        }
    }
}
