// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Queries a consistent state of a store's history.

import CoreData
import Foundation
import PostgreSQLDriver

/// The history in one read transaction.
struct ServerHistorySource: RelationalHistorySource {
    let history: ServerHistory
    let connection: Connection
    let sessions: Sessions
    let bounds: HistoryBounds
    /// The properties for each text that was already parsed.
    private let known = KnownTexts()

    var schema: Schema { history.schema }
    var place: String { "\(sessions.settings.connection.publicURL)" }

    private final class KnownTexts {
        var slots: [String: SlotSet] = [:]
    }

    /// nil if the store has no history.
    init?(_ history: ServerHistory, _ connection: Connection, _ sessions: Sessions) throws {
        self.history = history
        self.connection = connection
        self.sessions = sessions
        var bounds: HistoryBounds?
        try connection.run(
            Statement("SELECT last, deleted FROM \(history.tables.head) WHERE is_on"), sessions.deadline
        ).forEachRow { cells in
            if let last = cells[0].integer, let deleted = cells[1].integer {
                bounds = HistoryBounds(deleted: deleted, last: last)
            }
        }
        guard let bounds else { return nil }
        self.bounds = bounds
    }

    func lastNumber(before time: Double, inclusive: Bool) throws -> Int64? {
        try connection.run(
            Statement(
                "SELECT number FROM \(history.tables.transactions) WHERE at \(inclusive ? "<=" : "<") $1 "
                    + "ORDER BY at DESC LIMIT 1", [.timestamp(time)]), sessions.deadline
        ).first(\.integer)
    }

    func transactions(after number: Int64, _ body: (HistoryTransactionRecord) throws -> Bool) throws {
        try pages(
            "SELECT number, at, author, context_name, bundle_id, process_id FROM \(history.tables.transactions) "
                + "WHERE number > $1 ORDER BY number LIMIT 1000", after: number
        ) { try body(transaction($0)) }
    }

    func changes(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRecord) throws -> Bool) throws {
        // The numbers of changes ascend with those of their transactions.
        try pages(
            "SELECT number, transaction, kind, entity, row_id, properties::text, tombstone "
                + "FROM \(history.tables.changes) WHERE number > $1 AND transaction BETWEEN $2 AND $3 "
                + "ORDER BY transaction, number LIMIT 1000",
            after: 0, [.int64(numbers.lowerBound), .int64(numbers.upperBound)]
        ) { cells in
            guard let record = try change(cells) else { return true }
            return try body(record)
        }
    }

    /// Calls the body with rows that begin with an ascending number, page by page, so that the body may use the
    /// connection, and no answer is large.
    private func pages(
        _ text: String, after number: Int64, _ values: [Parameter] = [], _ body: (CellRow) throws -> Bool
    ) throws {
        var last = number
        while true {
            let answer = try connection.run(Statement(text, [.int64(last)] + values), sessions.deadline)
            var goesOn = true
            try answer.forEachRow { cells in
                guard goesOn else { return }
                last = cells[0].integer ?? last
                goesOn = try body(cells)
            }
            if !goesOn || answer.rowCount < 1_000 { return }
        }
    }

    func tombstone(_ row: CellRow, at column: Int, of layout: EntityLayout) -> [AnyHashable: Any]? {
        row[column].data.flatMap { history.kept[layout.index]?.values($0) }
    }

    func slots(_ row: CellRow, at column: Int, of layout: EntityLayout) -> SlotSet? {
        guard let text = row[column].text else { return nil }
        let name = "\(layout.index) \(text)"
        if let slots = known.slots[name] { return slots }
        guard let names = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else { return nil }
        var result = SlotSet()
        for name in names {
            guard let slot = layout.slot(name) else { return nil }
            result.insert(slot)
        }
        known.slots[name] = result
        return result
    }
}
