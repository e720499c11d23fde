// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transaction of a save on the writing connection, and its statements.

import Foundation
import SQLiteDriver

struct SQLiteSave: SaveBackend {
    static var parks: Bool { true }

    let opened: OpenDatabase
    let connection: Connection
    let metadata: [String: Any]?

    var schema: Schema { opened.schema }
    var planner: SavePlanner { opened.planner }

    /// Past the row cache: it takes rows with the acceptance of a save, and conflicts need the previous ones.
    private var reader: RowReader { RowReader(opened: opened, connection: connection) }

    func settledCommits() throws -> IndeterminateCommits<Int64> {
        try opened.settleDoubts(on: connection)
        return opened.indeterminate
    }

    func remember(_ number: Int64, _ work: IndeterminateCommits<Int64>.Work) { opened.remember(number, work) }

    func prepare(_ changes: ChangeSet) -> ChangeSet { changes }

    func read<T>(_ body: (RowReader) throws -> T) throws -> T { try body(reader) }

    func transaction(_ confirm: () throws -> Bool, _ body: (inout Session) throws -> Void) throws -> CommitEnd<Int64> {
        try opened.write(on: connection, confirm) { files in
            var session = Session(save: self, files: files, history: try opened.history.updated(on: connection))
            do {
                try body(&session)
            } catch let error as SQLiteError where error.isUniqueConstraint {
                throw SaveRefusal.duplicate(error)
            }
        }
    }

    struct Session: SaveSession {
        let save: SQLiteSave
        let files: ExternalFiles?
        let history: SQLiteHistory?

        private var opened: OpenDatabase { save.opened }
        private var connection: Connection { save.connection }

        func keys(of inserts: [ChangeSet.Insert]) throws -> AssignedKeys {
            try AssignedKeys(for: inserts) { count, root in
                let mapping = try opened.schema.held(root)
                let first = try PrimaryKeys.reserve(count, table: mapping.table, root: mapping.number, on: connection)
                return first...first + Int64(count - 1)
            }
        }

        func tombstones(of deletes: [ChangeSet.Delete]) throws -> HistoryTombstones {
            try history?.tombstones(of: deletes.map { .init(layout: $0.layout, key: $0.key) }, on: connection)
                ?? HistoryTombstones()
        }

        func write(_ changes: ChangeSet, _ keys: AssignedKeys, parking: Bool) throws {
            var writer = RowWriter(
                opened: opened, changes: changes, connection: connection, files: files, permanentKeys: keys)
            let plan = opened.planner.plan(changes, parking: parking)
            for batch in OperationBatcher.batches(plan, changes) { try writer.perform(batch) }
            if !writer.stale.isEmpty { throw SaveRefusal.outdated(writer.stale) }
            try opened.derived.update(changes, keys, on: connection, recorder: opened.recorder)
            try opened.settleValues(of: changes.inserts.count + changes.updates.count, on: connection)
            if let metadata = save.metadata { try StoreMetadata.write(metadata, to: connection) }
        }

        /// Reads the rows that triggers changed.
        func recompute(_ changes: ChangeSet, _ keys: AssignedKeys, into outcome: inout SaveOutcome) throws {
            let rows = opened.recorder.take()
            if rows.isEmpty { return }
            var keys: [Int: [Int64]] = [:]
            for row in rows {
                guard let layout = opened.schema.layout(number: row.entity) else { continue }
                keys[layout.rootIndex, default: []].append(row.key)
            }
            outcome.recomputed = try keys.sorted { $0.key < $1.key }.flatMap { root, keys in
                try save.reader.rows(keys.sorted(), root: opened.schema.model.layouts[root])
            }
        }

        var records: Bool { history != nil }

        func record(_ changes: RecordedChanges, _ tombstones: HistoryTombstones) throws -> Int64? {
            try history?.record(changes, tombstones: tombstones, on: connection)
        }
    }
}
