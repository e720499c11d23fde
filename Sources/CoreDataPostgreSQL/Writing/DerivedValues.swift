// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values that a save changes itself: dates rounded to the server's precision, and derived attributes.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// Computes derived attributes: those that depend only on the row before it is written, the others after all rows are
/// written, within the transaction.
struct DerivedValues {
    private struct Column {
        let rule: DerivedRule
        let table: EntityTable
        let name: String
    }

    private let schema: Schema
    private let columns: [Column]
    private var model: ModelLayout { schema.model }

    /// - Throws: 134080 for an attribute that cannot be computed.
    init(schema: Schema, entities: [NSEntityDescription]) throws {
        self.schema = schema
        do {
            columns = try DerivedRule.all(schema.model, entities).compactMap { rule in
                guard let mapping = schema.mapping(rule.layout),
                    case .attribute(let column) = mapping.storage[rule.slot]
                else { return nil }
                return Column(rule: rule, table: mapping.table, name: column.name)
            }
        } catch let unfit as DerivedRule.UnsupportedDerivation {
            throw CoreDataError.cannotOpenStore(url: nil, reason: unfit.reason)
        }
    }

    // MARK: Before

    /// The changes with values as the server stores them: dates in whole microseconds.
    func completing(_ changes: ChangeSet) -> ChangeSet {
        var result = changes
        for position in result.inserts.indices {
            if let row = Self.rounded(result.inserts[position].snapshot) { result.inserts[position].snapshot = row }
        }
        for position in result.updates.indices {
            if let row = Self.rounded(result.updates[position].snapshot) { result.updates[position].snapshot = row }
        }
        return result
    }

    /// nil if all dates already have the server's precision.
    private static func rounded(_ row: Snapshot) -> Snapshot? {
        var copy: Snapshot?
        for slot in row.layout.attributeSlots where row.layout[slot].kind == .date && !row.isNull(slot) {
            let seconds = row.double(slot)
            let kept = WireTimestamp.seconds(WireTimestamp.microseconds(seconds))
            if kept == seconds { continue }
            let changed = copy ?? row.copy()
            changed.setDouble(kept, slot)
            copy = changed
        }
        return copy
    }

    // MARK: Within the transaction

    /// Computes the derived attributes that the changes may affect, and writes those that differ.
    func update(_ changes: ChangeSet, _ keys: AssignedKeys, _ opened: OpenServer, _ connection: Connection) throws
        -> [ObjectKey]
    {
        if columns.isEmpty { return [] }
        let changes = DerivedRule.changes(changes, keys)
        let reader = ServerReader(opened: opened, connection: connection)
        let source = reader.relatedRows()
        var written: [ObjectKey] = []
        for column in columns {
            let concerned = try dependents(of: column.rule, changes, opened, connection)
            if concerned.isEmpty { continue }
            let rows = try reader.rows(concerned, root: model.layouts[column.rule.layout.rootIndex])
            source.forget()
            let new = try column.rule.changed(rows, source, now: Date())
            if new.isEmpty { continue }
            try write(new, column, opened, connection)
            written += new.map { ObjectKey(column.rule.layout.rootIndex, $0.key) }
        }
        return written
    }

    /// Computes the derived attributes of all rows of some tables, and writes those that differ.
    ///
    /// - Parameter roots: the indexes of root entities.
    func computeAll(below roots: Set<Int>, _ opened: OpenServer, _ connection: Connection) throws {
        let reader = ServerReader(opened: opened, connection: connection)
        let source = reader.relatedRows()
        for column in columns where roots.contains(column.rule.layout.rootIndex) {
            let keys = try keys(of: column.table, opened, connection)
            for start in stride(from: 0, to: keys.count, by: 1_000) {
                let part = Array(keys[start..<min(start + 1_000, keys.count)])
                let rows = try reader.rows(part, root: model.layouts[column.rule.layout.rootIndex])
                source.forget()
                let new = try column.rule.changed(rows, source, now: Date())
                if !new.isEmpty { try write(new, column, opened, connection) }
            }
        }
    }

    private func keys(of table: EntityTable, _ opened: OpenServer, _ connection: Connection) throws -> [Int64] {
        var result: [Int64] = []
        try connection.stream(
            Statement("SELECT id FROM \(table.sql) AS t"), answerTimeout: opened.sessions.answerTimeout
        ) { if let key = $0[0].integer { result.append(key) } }
        return result
    }

    private func write(_ rows: [FetchedRow], _ column: Column, _ opened: OpenServer, _ connection: Connection) throws {
        var slots = SlotSet()
        slots.insert(column.rule.slot)
        for (_, group) in Dictionary(grouping: rows, by: { $0.snapshot.layout.index }) {
            let plan = RowPlan(schema: schema, layouts: [group[0].snapshot.layout], slots: slots)
            let sink = ColumnArrays(plan, schema, AssignedKeys(), capacity: group.count)
            for row in group { try sink.append(row.snapshot) }
            let target = WriteTarget(column.table.name, opened.dialect)
            let name = opened.dialect.quoted(column.name)
            try connection.run(
                Statement(
                    "UPDATE \(target.sql) AS t SET \(target.column(name)) = \(target.value("u.c", for: name)) "
                        + "FROM unnest($1, $2) AS u(k, c) WHERE t.\(target.key) = u.k",
                    [.int64s(group.map(\.key)), sink.columns[0].parameter]), opened.sessions.deadline)
        }
    }

    /// The keys of the rows with values that may differ: the changed ones, and those that refer to a changed one.
    private func dependents(
        of rule: DerivedRule, _ changes: [DerivedRule.Change], _ opened: OpenServer, _ connection: Connection
    ) throws -> [Int64] {
        let own = rule.ownKeys(changes)
        // All rows with such a relationship are compared, because links to a deleted row cannot be followed backwards.
        guard !rule.paths.isEmpty, changes.contains(where: rule.isConcerned),
            let table = schema.mapping(rule.layout)?.table
        else { return own }
        return try keys(of: table, opened, connection)
    }

    // MARK: After

    /// The rows with stored values that differ from the given ones: rounded dates, or derived attributes.
    func recomputed(
        _ changes: ChangeSet, original: ChangeSet, _ keys: AssignedKeys, _ derived: [ObjectKey], _ opened: OpenServer,
        _ connection: Connection
    ) throws -> [FetchedRow] {
        var wanted: [Int: Set<Int64>] = [:]
        for key in derived { wanted[key.entityIndex, default: []].insert(key.key) }
        for (now, before) in zip(changes.inserts, original.inserts) where now.snapshot !== before.snapshot {
            wanted[now.snapshot.layout.rootIndex, default: []].insert(keys[now.key] ?? now.key)
        }
        for (now, before) in zip(changes.updates, original.updates) where now.snapshot !== before.snapshot {
            wanted[now.snapshot.layout.rootIndex, default: []].insert(now.key)
        }
        // The server may change values in a mapped table (MappedTables-K4).
        for insert in changes.inserts where opened.isMapped(insert.snapshot.layout) {
            wanted[insert.snapshot.layout.rootIndex, default: []].insert(keys[insert.key] ?? insert.key)
        }
        for update in changes.updates where opened.isMapped(update.snapshot.layout) {
            wanted[update.snapshot.layout.rootIndex, default: []].insert(update.key)
        }
        // Not the store's row cache: these rows may still be rolled back.
        let reader = ServerReader(opened: opened, connection: connection)
        return try wanted.sorted { $0.key < $1.key }.flatMap { root, keys in
            try reader.rows(keys.sorted(), root: model.layouts[root])
        }
    }
}
