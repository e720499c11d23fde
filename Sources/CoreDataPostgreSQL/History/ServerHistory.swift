// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the transactions of a store in its history, within each transaction.

import CoreData
import Foundation
import PostgreSQLDriver

/// The history of an open store. Thread-safe.
///
/// # Use
/// Within a transaction: `question` after the token, `tombstones` before rows are deleted, and `record` as the last
/// statement before COMMIT, because from then on other saves wait.
final class ServerHistory: @unchecked Sendable {  // immutable
    /// The numbers to skip after a failover: more than the old server can have lost (PostgreSQL-F3).
    static let gap = 1_000_001

    let tables: ServerHistoryTables
    let schema: Schema
    let retention: PersistentHistoryRetention?
    /// By the index of the entity; nil for entities that the store does not contain.
    let kept: [TombstoneValues?]

    init(_ tables: ServerHistoryTables, _ schema: Schema, retention: PersistentHistoryRetention?) {
        self.tables = tables
        self.schema = schema
        self.retention = retention
        kept = schema.model.layouts.map { layout in schema.mapping(layout).map { TombstoneValues($0) } }
    }

    /// Queries whether the store records.
    var question: Statement { Statement("SELECT is_on FROM \(tables.head)") }

    /// The last values of the attributes that tombstones keep, for rows that are about to be deleted.
    func tombstones(of deletes: [ChangeSet.Delete], _ connection: Connection, _ deadline: Deadline) throws
        -> [ObjectKey: Data]
    {
        var result: [ObjectKey: Data] = [:]
        for (entity, rows) in Dictionary(grouping: deletes, by: { $0.layout.index }) {
            guard let kept = kept[entity], !kept.isEmpty, let mapping = schema.mapping(entity) else { continue }
            let statement = Statement(
                "SELECT id, \(kept.selection(tables.dialect)) FROM \(mapping.table.sql) AS t WHERE id = ANY($1)",
                [.int64s(rows.map(\.key))])
            try connection.run(statement, deadline).forEachRow { cells in
                guard let key = cells[0].integer else { return }
                result[ObjectKey(mapping.layout.rootIndex, key)] = try kept.list(cells, first: 1)
            }
        }
        return result
    }

    /// Assigns the transaction its number, and writes its changes. Other transactions that record wait for its end.
    ///
    /// - Returns: the number; nil if the transaction changes nothing, or if another process has removed the history.
    func record(
        _ changes: RecordedChanges, tombstones: [ObjectKey: Data], _ connection: Connection, _ deadline: Deadline
    ) throws -> Int64? {
        let rows = try ChangeRows(changes.settled(), tombstones)
        if rows.count == 0 { return nil }
        func text(_ value: String?) -> Parameter {
            value.map { .text($0.replacing("\0", with: "")) } ?? .null(TypeNumber.text)
        }
        let statement = Statement(
            """
            WITH head AS (UPDATE \(tables.head) SET last = last + CASE WHEN server = $11 OR server IS NULL \
            OR $11 IS NULL THEN 1 ELSE \(Self.gap) END, server = coalesce($11, server), changes = changes + $1, \
            at = greatest(clock_timestamp(), at + interval '1 microsecond') WHERE is_on RETURNING last, changes, at), \
            made AS (INSERT INTO \(tables.transactions) SELECT last, at, $2, $3, $4, $5 FROM head), \
            written AS (INSERT INTO \(tables.changes) SELECT head.changes - $1 + u.place, head.last, u.entity, u.key, \
            u.kind, u.properties::jsonb, u.tombstone FROM head, unnest($6, $7, $8, $9, $10) \
            WITH ORDINALITY AS u(entity, key, kind, properties, tombstone, place)) SELECT last FROM head
            """,
            [
                .int64(Int64(rows.count)), text(changes.author), text(changes.contextName),
                text(HistoryProgram.bundleID), text(HistoryProgram.processID),
            ] + rows.parameters + [text(connection.server?.name)])
        return try connection.run(statement, deadline).first(\.integer)
    }
}

/// The changes of a transaction as columns: insertions, updates, deletions, each sorted by entity and key.
private struct ChangeRows {
    private(set) var count = 0
    private var entities = ArrayBuilder(of: TypeNumber.text)
    private var keys = ArrayBuilder(of: TypeNumber.int64)
    private var kinds = ArrayBuilder(of: TypeNumber.int64)
    private var properties = ArrayBuilder(of: TypeNumber.text)
    private var tombstones = ArrayBuilder(of: TypeNumber.bytes)

    var parameters: [Parameter] { [entities, keys, kinds, properties, tombstones].map(\.parameter) }

    init(_ changes: RecordedChanges, _ kept: [ObjectKey: Data]) throws {
        func place(_ layout: EntityLayout, _ key: Int64) -> (Int, Int64) { (layout.index, key) }
        for insert in changes.inserts.sorted(by: { place($0.layout, $0.key) < place($1.layout, $1.key) }) {
            add(.insert, insert.layout, insert.key)
        }
        for update in changes.updates.sorted(by: { place($0.layout, $0.key) < place($1.layout, $1.key) }) {
            let slots: SlotSet = update.slots.filter {
                !update.layout[$0].isTransient && update.layout[$0].kind != .fetched
            }
            if slots.isEmpty { continue }
            let names = slots.map { update.layout.properties[$0].name }
            let text = String(decoding: try JSONEncoder().encode(names), as: UTF8.self)
            add(.update, update.layout, update.key, properties: text)
        }
        for delete in changes.deletes.sorted(by: { place($0.layout, $0.key) < place($1.layout, $1.key) }) {
            add(
                .delete, delete.layout, delete.key,
                tombstone: kept[ObjectKey(delete.layout.rootIndex, delete.key)])
        }
    }

    private mutating func add(
        _ kind: NSPersistentHistoryChangeType, _ layout: EntityLayout, _ key: Int64, properties names: String? = nil,
        tombstone: Data? = nil
    ) {
        count += 1
        entities.append(layout.name)
        keys.append(key)
        kinds.append(Int64(kind.rawValue))
        if let names { properties.append(names) } else { properties.appendNull() }
        if let tombstone { tombstones.append(tombstone) } else { tombstones.appendNull() }
    }
}
