// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that make a table and fill it from an old one in a single pass.

import Foundation

struct RebuiltTable {
    let change: TableChange

    /// Run before any old table changes, because the rows are read under their old names.
    var statements: [ScriptStatement] {
        let create = ScriptStatement(SchemaDDL.create(change.table, as: change.workName))
        guard let source = change.source, !change.entities.isEmpty else { return [create] }
        return [create, ScriptStatement(insert(source), over: change.table.name)]
    }

    private func insert(_ source: String) -> String {
        let filled = change.columns.compactMap { column in value(of: column).map { (column.name, $0) } }
        let renumbered = change.entities.filter { $0.oldNumber != $0.newNumber }
        let number = renumbered.isEmpty ? "Z_ENT" : AlteredTable.number(change.entities, renumbered)
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + filled.map { SchemaNaming.quoted($0.0) }
        let values = ["Z_PK", number, "Z_OPT"] + filled.map(\.1)
        let condition =
            change.leaving.isEmpty
            ? "" : " WHERE Z_ENT IN \(RowExpression.list(change.entities.map(\.oldNumber)))"
        return "INSERT INTO \(SchemaNaming.quoted(change.workName)) (\(names.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM \(SchemaNaming.quoted(source))\(condition) ORDER BY Z_PK"
    }

    /// nil if the column has no value in any row.
    private func value(of column: ColumnPlan) -> String? {
        let values = change.entities.compactMap { entity in
            column.origins[entity.oldNumber].map { (entity.oldNumber, $0.value.sql()) }
        }.filter { $0.1 != "NULL" }
        guard let first = values.first else { return nil }
        if values.count == change.entities.count, values.allSatisfy({ $0.1 == first.1 }) { return first.1 }
        return "CASE Z_ENT" + values.map { " WHEN \($0.0) THEN \($0.1)" }.joined() + " END"
    }
}
