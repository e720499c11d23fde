// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a consistent state of a store's history.

import CoreData
import Foundation
import PostgreSQLDriver

/// The history in one read transaction.
struct ServerHistorySource: HistorySource {
    let history: ServerHistory
    let connection: Connection
    let sessions: Sessions
    let bounds: HistoryBounds
    /// The properties for each text that was already parsed.
    private let known = KnownTexts()

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
        ) { cells in
            guard let number = cells[0].integer, let time = cells[1].timestamp else {
                throw damaged("a transaction has no number or no time")
            }
            return try body(
                HistoryTransactionRecord(
                    number: number, time: time, author: cells[2].text, contextName: cells[3].text,
                    bundleID: cells[4].text ?? "", processID: cells[5].text ?? ""))
        }
    }

    func changes(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRecord) throws -> Bool) throws {
        // The numbers of changes ascend with those of their transactions.
        try pages(
            "SELECT number, transaction, entity, row_id, kind, properties::text, tombstone "
                + "FROM \(history.tables.changes) WHERE number > $1 AND transaction BETWEEN $2 AND $3 "
                + "ORDER BY transaction, number LIMIT 1000",
            after: 0, [.int64(numbers.lowerBound), .int64(numbers.upperBound)]
        ) { cells in
            guard let record = try record(cells) else { return true }
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

    /// nil for an entity that the model lacks.
    private func record(_ cells: CellRow) throws -> HistoryChangeRecord? {
        guard let number = cells[0].integer, let transaction = cells[1].integer, let key = cells[3].integer, key > 0,
            let kind = cells[4].integer, let type = NSPersistentHistoryChangeType(rawValue: Int(kind))
        else { throw damaged("a change is of no known kind, or names no record") }
        guard let layout = cells[2].text.flatMap(history.schema.model.layout(named:)),
            let kept = history.kept[layout.index]
        else { return nil }
        return HistoryChangeRecord(
            number: number, transaction: transaction, type: type, layout: layout, key: key,
            slots: type == .update ? cells[5].text.flatMap { slots($0, layout) } : nil,
            tombstone: type == .delete ? cells[6].data.flatMap(kept.values) : nil)
    }

    /// nil if another version of the entity had other properties.
    private func slots(_ text: String, _ layout: EntityLayout) -> SlotSet? {
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

    private func damaged(_ what: String) -> NSError {
        CoreDataError.storeOperation(
            "The history of the store \(sessions.settings.connection.publicURL) is damaged: \(what). Its objects are "
                + "not concerned.")
    }
}
