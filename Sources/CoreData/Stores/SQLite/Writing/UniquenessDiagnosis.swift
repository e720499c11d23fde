// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicting rows after a uniqueness rule has rejected a save.

import Foundation
import SQLiteDriver

/// Compares the values of a save with one another and with the stored rows, outside of any transaction.
struct UniquenessDiagnosis {
    let schema: Schema
    let plans: PlanCache
    let changes: ChangeSet
    let connection: Connection
    let filling: RowFilling
    let externalFolder: URL?

    func conflicts() throws -> [SaveOutcome.Conflict] {
        // Rows that the save deletes or rewrites; their current values are ignored.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var check = UniquenessCheck<[SQLiteValue]>()
        for update in changes.updates { add(update.snapshot, update.key, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, to: &check) }
        return try check.conflicts { group in
            try holder(of: group, leaving: leaving[group.layout.rootIndex] ?? [])
        }
    }

    private func add(_ row: Snapshot, _ key: Int64, to check: inout UniquenessCheck<[SQLiteValue]>) {
        for rule in row.layout.uniquenessRules(schema.model) {
            guard let values = values(of: rule.names, row) else { continue }
            check.add(values, of: rule, key, row.layout)
        }
    }

    /// nil when one of the values is null: such rows never conflict.
    private func values(of names: [String], _ snapshot: Snapshot) -> [SQLiteValue]? {
        let layout = snapshot.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        var result: [SQLiteValue] = []
        for name in names {
            guard let slot = layout.slot(name), !snapshot.isNull(slot) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column):
                guard let value = snapshot.value(slot), let argument = ColumnArgument.value(value, column.coding) else {
                    return nil
                }
                result.append(argument)
            case .toOne:
                guard let reference = snapshot.reference(slot) else { return nil }
                result.append(.integer(reference.key))
            default: return nil
            }
        }
        return result.isEmpty ? nil : result
    }

    private func holder(of group: UniquenessCheck<[SQLiteValue]>.Group, leaving: Set<Int64>) throws -> FetchedRow? {
        let layout = group.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        let columns = group.rule.names.compactMap { name -> String? in
            switch layout.slot(name).map({ mapping.storage[$0] }) {
            case .attribute(let column)?: SchemaNaming.quoted(column.name)
            case .toOne(let columns)?: SchemaNaming.quoted(columns.key)
            default: nil
            }
        }
        guard columns.count == group.values.count else { return nil }
        let plan = plans.rows(mapping.table.root, includesSubentities: true)
        var decoder = RowDecoder(
            plan: plan, schema: schema, rootIndex: mapping.table.root.rootIndex, cache: filling,
            externalFolder: externalFolder)
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let list = plan.columns.map { ", " + $0 }.joined()
        let sql = "SELECT Z_PK, Z_ENT, Z_OPT\(list) FROM \(mapping.table.sql) WHERE \(condition)"
        return try connection.withStatement(sql) { statement in
            try statement.bind(group.values)
            return try decoder.rows(statement).first { !group.keys.contains($0.key) && !leaving.contains($0.key) }
        }
    }
}
