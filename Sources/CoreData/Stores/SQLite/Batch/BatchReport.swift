// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the insertions, updates and deletions of a batch request for the history.

import Foundation
import SQLiteDriver

/// The changes of one batch request, reported within its transaction: all records that it writes, whether requested,
/// deleted by a cascade, or with a nullified relationship.
///
/// A deletion is reported while its rows still exist, so that their values can be kept.
struct BatchReport {
    /// The number of insertions that are collected before they are written.
    private static let partSize = 4096

    private let history: SQLiteHistory?
    private let connection: Connection
    private var changes: RecordedChanges
    private var tombstones = HistoryTombstones()
    /// nil until a part of the transaction is written.
    private var parts: HistoryParts?

    init(_ batch: StoreBatch, _ history: SQLiteHistory?, _ connection: Connection) {
        self.history = history
        self.connection = connection
        changes = RecordedChanges(author: batch.author, contextName: batch.contextName)
    }

    /// Whether the store has a history. If not, statements need not return the keys of changed rows.
    var isWanted: Bool { history != nil }

    mutating func insert(_ layout: EntityLayout, _ key: Int64) {
        if isWanted { changes.insert(layout, key) }
    }

    mutating func update(_ layout: EntityLayout, _ key: Int64, _ slots: SlotSet) {
        if isWanted { changes.update(layout, key, slots) }
    }

    mutating func delete(_ layout: EntityLayout, _ keys: [Int64]) throws {
        guard let history else { return }
        let records = keys.map { RecordedChanges.Record(layout: layout, key: $0) }
        changes.deletes += records
        tombstones.add(try history.tombstones(of: records, on: connection))
    }

    /// Writes the collected insertions if there are many, so that memory stays bounded. For requests that only insert.
    mutating func writeInsertions() throws {
        guard let history, changes.inserts.count >= Self.partSize else { return }
        if parts == nil {
            parts = HistoryParts(history, author: changes.author, contextName: changes.contextName)
        }
        try parts?.add(changes, on: connection)
        changes = RecordedChanges(author: changes.author, contextName: changes.contextName)
    }

    /// Writes the transaction of the history. Called once, before the commit.
    ///
    /// - Returns: the number of the transaction; nil if nothing was recorded.
    mutating func record() throws -> Int64? {
        guard parts != nil else { return try history?.record(changes, tombstones: tombstones, on: connection) }
        try parts?.add(changes, on: connection)
        return try parts?.finish(on: connection)
    }
}
