// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The full-text indexes of an open store: made, kept or removed when it opens, and written by its saves.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The indexes that the store found or made when it was opened. Thread-safe.
final class ServerSearches: Sendable {
    /// Those that searches use.
    let tables: [SearchTable]
    /// Those that the model asks for, and the database does not have.
    let missing: [SearchTable]
    /// Those that the user may write tokens of. The rows of others are pending after a save.
    private let written: [SearchTable]
    private let isIndexing = Mutex(false)

    init(tables: [SearchTable] = [], written: [SearchTable] = [], missing: [SearchTable] = []) {
        (self.tables, self.written, self.missing) = (tables, written, missing)
    }

    func table(of layout: EntityLayout) -> SearchTable? {
        tables.first { $0.slots[layout.index] != nil }
    }

    // MARK: Saves

    /// Tells the triggers which tokens the transaction writes itself.
    var setting: Statement {
        Statement(
            "SELECT set_config('\(SearchTable.setting)', $1, true)", [.text(written.map(\.mark).joined())])
    }

    /// The tokens of inserted rows, also of those without texts, and of rows with changed texts.
    func rows(of changes: ChangeSet, _ keys: AssignedKeys) -> [TokenizedRows] {
        if written.isEmpty { return [] }
        var all: [TokenizedRows] = []
        for index in written {
            var rows: [(key: Int64, row: TokenizedRow)] = []
            for insert in changes.inserts {
                guard let slots = index.slots[insert.snapshot.layoutIndex] else { continue }
                rows.append((keys.permanent(insert.key), index.row(insert.snapshot, slots)))
            }
            for update in changes.updates {
                guard let slots = index.slots[update.snapshot.layoutIndex],
                    slots.contains(where: { update.changed.contains($0.slot) })
                else { continue }
                rows.append((update.key, index.row(update.snapshot, slots)))
            }
            rows.sort { $0.key < $1.key }
            for start in stride(from: 0, to: rows.count, by: TokenizedRows.mostRows) {
                var part = TokenizedRows(index)
                for (key, row) in rows[start..<min(start + TokenizedRows.mostRows, rows.count)] {
                    part.append(key, row)
                }
                all.append(part)
            }
        }
        return all
    }

    /// Queries whether an index is there. Asked after rows of its table are written: their lock keeps it there until
    /// the transaction ends.
    static func presence(of index: SearchTable) -> Statement {
        Statement("SELECT to_regclass($1) IS NOT NULL", [.text(index.sql)])
    }

    /// Whether rows of other writers are pending.
    static func pending(in index: SearchTable) -> Statement {
        Statement("SELECT EXISTS (SELECT 1 FROM \(index.sql) WHERE words IS NULL)")
    }

    /// Writes the tokens of pending rows, on another thread. A failure is left to the next call.
    func indexLater(_ sessions: Sessions) {
        guard
            isIndexing.withLock({ isIndexing in
                defer { isIndexing = true }
                return !isIndexing
            })
        else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { isIndexing.withLock { $0 = false } }
            try? sessions.with(repeats: false) { connection in
                for index in written { try index.indexPending(connection, sessions) }
            }
        }
    }
}

extension SearchTable {
    fileprivate func row(_ snapshot: Snapshot, _ slots: [(slot: Int, column: Int)]) -> TokenizedRow {
        var row = TokenizedRow()
        for (slot, column) in slots {
            if let text = snapshot.value(slot) as? String { row.add(text, columns[column], at: column) }
        }
        return row
    }

    /// The rows of a query for a key and the texts of all columns.
    func row(_ cells: CellRow) -> TokenizedRow {
        var row = TokenizedRow()
        for (place, column) in columns.enumerated() {
            if let text = cells[place + 1].text { row.add(text, column, at: place) }
        }
        return row
    }

    /// A query for the keys and the texts of rows.
    var texts: String {
        let names = columns.map { ", t." + PostgreSQLDialect.quoted($0.name) }.joined()
        return "SELECT t.id\(names) FROM \(table.sql) AS t "
    }

    /// Writes the tokens of all pending rows, in transactions of some rows each. Several programs share the work, and a
    /// row that a save is writing is left to that save (ServerSearch-5).
    func indexPending(_ connection: Connection, _ sessions: Sessions) throws {
        let part = 500
        var count = part
        while count == part {
            do {
                count = try indexOnce(part, connection, sessions)
            } catch {
                connection.rollBack(sessions.deadline)
                throw error
            }
        }
    }

    private func indexOnce(_ most: Int, _ connection: Connection, _ sessions: Sessions) throws -> Int {
        // Each statement sees the newest rows: the texts are read after the entries are locked.
        let locked = try connection.run(
            [
                Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
                Statement(
                    "SELECT id FROM \(sql) WHERE tokens IS NULL AND words IS NULL ORDER BY id LIMIT \(most) "
                        + "FOR UPDATE SKIP LOCKED"),
            ], sessions.unbounded)[1]
        var left: Set<Int64> = []
        locked.forEachRow { if let key = $0[0].integer { left.insert(key) } }
        let count = left.count
        if count > 0 {
            var rows = TokenizedRows(self)
            let found = try connection.run(
                Statement(texts + "WHERE t.id = ANY($1) ORDER BY t.id", [.int64s(left.sorted())]), sessions.unbounded)
            found.forEachRow { cells in
                guard let key = cells[0].integer else { return }
                left.remove(key)
                rows.append(key, row(cells))
            }
            try connection.run(rows.writing, sessions.unbounded)
            if !left.isEmpty {
                try connection.run(
                    Statement("DELETE FROM \(sql) WHERE id = ANY($1)", [.int64s(left.sorted())]), sessions.unbounded)
            }
        }
        try connection.run(Statement("COMMIT"), sessions.deadline)
        return count
    }
}
