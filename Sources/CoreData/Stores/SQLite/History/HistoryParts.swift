// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records a transaction in parts, so that its changes need not be in memory at once.

import Foundation
import SQLiteDriver

/// A transaction of any size.
///
/// # Use
/// Within the store's transaction: `add` for each part, then `finish`. The parts must come in the order of insertions,
/// updates and deletions, and contain each record once (History-4). It takes one statement more than
/// `SQLiteHistory.record(_:tombstones:on:)`.
struct HistoryParts {
    private let history: SQLiteHistory
    private let author: String?
    private let contextName: String?
    private var number: Int64?
    private var first: Int64 = 0
    private var count: Int64 = 0

    init(_ history: SQLiteHistory, author: String?, contextName: String?) {
        self.history = history
        self.author = author
        self.contextName = contextName
    }

    mutating func add(
        _ changes: RecordedChanges, tombstones: HistoryTombstones = HistoryTombstones(), on connection: Connection
    ) throws {
        let rows = HistoryRows(changes, history.schema)
        if rows.rows.isEmpty { return }
        if number == nil {
            (number, first) = try history.begin(
                author: author, contextName: contextName, changes: 0, on: connection)
        }
        guard let number else { return }
        try rows.write(
            to: history, transaction: number, first: first + count, tombstones: tombstones, on: connection)
        count += Int64(rows.rows.count)
    }

    /// - Returns: the number of the transaction; nil if no part had changes.
    func finish(on connection: Connection) throws -> Int64? {
        if count > 0 {
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = \(HistoryTables.changeNumber)",
                [.integer(first + count - 1)])
        }
        return number
    }
}
