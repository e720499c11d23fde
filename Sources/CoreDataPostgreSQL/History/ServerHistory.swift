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
    let tables: ServerHistoryTables
    let schema: Schema
    let retention: PersistentHistoryRetention?
    /// By the index of the entity; nil for entities that the store does not contain.
    let kept: [TombstoneList?]

    init(_ tables: ServerHistoryTables, _ schema: Schema, retention: PersistentHistoryRetention?) {
        self.tables = tables
        self.schema = schema
        self.retention = retention
        kept = schema.model.layouts.map { layout in schema.mapping(layout).map { TombstoneList($0) } }
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
            let names = kept.names.map(tables.dialect.quoted).joined(separator: ", ")
            let statement = Statement(
                "SELECT id, \(names) FROM \(mapping.table.sql) AS t WHERE id = ANY($1)",
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
        let rows = HistoryRows(changes, schema)
        if rows.rows.isEmpty { return nil }
        let statement = Statement(
            """
            WITH head AS (UPDATE \(tables.head) SET last = last + \(ServerHistoryTables.step("$11")), \
            server = coalesce($11, server), changes = changes + $1, \
            at = greatest(clock_timestamp(), at + interval '1 microsecond') WHERE is_on RETURNING last, changes, at), \
            made AS (INSERT INTO \(tables.transactions) SELECT last, at, $2, $3, $4, $5 FROM head), \
            written AS (INSERT INTO \(tables.changes) SELECT head.changes - $1 + u.place, head.last, u.entity, u.key, \
            u.kind, u.properties::jsonb, u.tombstone FROM head, unnest($6, $7, $8, $9, $10) \
            WITH ORDINALITY AS u(entity, key, kind, properties, tombstone, place)) SELECT last FROM head
            """,
            [
                .int64(Int64(rows.rows.count)), .name(changes.author), .name(changes.contextName),
                .name(HistoryProgram.bundleID), .name(HistoryProgram.processID),
            ] + (try parameters(rows, tombstones)) + [.name(connection.server?.name)],
            isReused: true)  // it only inserts
        return try connection.run(statement, deadline).first(\.integer)
    }

    /// The columns of the changes: names of entities, keys, kinds, properties, tombstones.
    private func parameters(_ rows: HistoryRows, _ tombstones: [ObjectKey: Data]) throws -> [Parameter] {
        let names = try rows.shapes.map { shape in
            let properties = schema.model.layouts[shape.layout].properties
            return String(decoding: try JSONEncoder().encode(shape.slots.map { properties[$0].name }), as: UTF8.self)
        }
        var entities = ArrayBuilder(of: TypeNumber.text)
        var keys = ArrayBuilder(of: TypeNumber.int64)
        var kinds = ArrayBuilder(of: TypeNumber.int64)
        var properties = ArrayBuilder(of: TypeNumber.text)
        var values = ArrayBuilder(of: TypeNumber.bytes)
        for row in rows.rows {
            let layout = schema.model.layouts[row.layout]
            entities.append(layout.name)
            keys.append(row.key)
            kinds.append(row.type)
            if row.shape >= 0 { properties.append(names[row.shape]) } else { properties.appendNull() }
            let tombstone = row.isDeletion ? tombstones[ObjectKey(layout.rootIndex, row.key)] : nil
            if let tombstone { values.append(tombstone) } else { values.appendNull() }
        }
        return [entities, keys, kinds, properties, values].map(\.parameter)
    }
}
