// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that make a table and fill it from an old one in a single pass.

import Foundation

struct RebuiltTable {
    let change: TableChange

    private var dialect: any Dialect { change.transition.dialect }
    private var source: Schema { change.transition.source }

    /// Run when the new table exists, before any old table changes, because the rows are read under their old names.
    var filling: ScriptStatement? {
        guard let source = change.source, !change.entities.isEmpty else { return nil }
        return ScriptStatement(insert(source), over: change.table.name)
    }

    private func insert(_ name: String) -> String {
        let filled = change.columns.compactMap { column in value(of: column).map { (column.name, $0) } }
        let names = dialect.names
        var head = [(names.key, names.key)]
        if let column = dialect.entityColumn(of: change.table.root) { head.append((column, change.newEntity)) }
        head.append((names.version, names.version))
        let columns = head.map(\.0) + filled.map { dialect.quoted($0.0) }
        let values = head.map(\.1) + filled.map(\.1)
        let condition =
            change.leaving.isEmpty
            ? "" : " WHERE \(change.oldEntity) IN \(source.list(change.entities.map(\.oldNumber)))"
        return "INSERT INTO \(dialect.qualified(change.workName)) (\(columns.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM \(dialect.qualified(name))\(condition) ORDER BY \(names.key)"
    }

    /// nil if the column has no value in any row.
    private func value(of column: ColumnPlan) -> String? {
        let values = change.entities.compactMap { entity in
            column.origins[entity.oldNumber].map { (entity.oldNumber, $0.value.sql(dialect)) }
        }.filter { $0.1 != "NULL" }
        guard let first = values.first else { return nil }
        if values.count == change.entities.count, values.allSatisfy({ $0.1 == first.1 }) { return first.1 }
        return "CASE \(change.oldEntity)" + values.map { " WHEN \(source.literal($0.0)) THEN \($0.1)" }.joined()
            + " END"
    }
}
