// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicting rows after a uniqueness rule has refused a save.

import CoreData
import Foundation
import PostgreSQLDriver

/// Compares the values of a save with one another and with the stored rows, outside of any transaction.
struct UniqueHolders {
    let opened: OpenServer
    let changes: ChangeSet
    let connection: Connection
    let filling: RowFilling

    private var schema: Schema { opened.schema }

    func conflicts() throws -> [SaveOutcome.Conflict] {
        // Rows that the save deletes or rewrites; their current values are ignored.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var check = UniquenessCheck<[ColumnValue]>()
        for update in changes.updates { add(update.snapshot, update.key, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, to: &check) }
        return try check.conflicts { group in
            try holder(of: group, leaving: leaving[group.layout.rootIndex] ?? [])
        }
    }

    private func add(_ row: Snapshot, _ key: Int64, to check: inout UniquenessCheck<[ColumnValue]>) {
        for rule in row.layout.uniquenessRules(schema.model) {
            guard let values = values(of: rule.names, row) else { continue }
            check.add(values, of: rule, key, row.layout)
        }
    }

    /// nil when one of the values is null: such rows never conflict.
    private func values(of names: [String], _ snapshot: Snapshot) -> [ColumnValue]? {
        let layout = snapshot.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        var result: [ColumnValue] = []
        for name in names {
            guard let slot = layout.slot(name), !snapshot.isNull(slot) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column):
                guard let value = snapshot.value(slot), let argument = ColumnArgument.column(value, column.coding)
                else {
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

    private func holder(of group: UniquenessCheck<[ColumnValue]>.Group, leaving: Set<Int64>) throws -> FetchedRow? {
        let layout = group.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        let columns = group.rule.names.compactMap { name -> String? in
            switch layout.slot(name).map({ mapping.storage[$0] }) {
            case .attribute(let column)?: opened.dialect.quoted(column.name)
            case .toOne(let columns)?: opened.dialect.quoted(columns.key)
            default: nil
            }
        }
        guard columns.count == group.values.count else { return nil }
        let plan = opened.rows(mapping.table.root, includesSubentities: true)
        let family = schema.model.layouts[group.rule.layoutIndex]
        var decoder = CellDecoder(opened, plan, root: mapping.table.root, filling)
        var text = SQLText(
            raw:
                "SELECT \(([opened.dialect.head(root: mapping.table.root, alias: nil)] + plan.columns).joined(separator: ", ")) "
                + "FROM \(mapping.table.sql) AS t WHERE ")
        text += zip(columns, group.values).map { "\(raw: $0) = \(value: $1)" as SQLText }.joined(" AND ")
        var rows: [FetchedRow] = []
        try connection.run(text.statement(), opened.sessions.deadline).forEachRow { cells in
            if let row = try decoder.row(cells), row.snapshot.layout.isKind(of: family) { rows.append(row) }
        }
        return rows.first { !group.keys.contains($0.key) && !leaving.contains($0.key) }
    }
}
