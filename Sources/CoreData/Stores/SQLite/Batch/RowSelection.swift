// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Selects rows of one table for a batch deletion: by keys, or by a relationship of deleted rows.

/// Rows of one table under a condition.
struct RowSelection {
    let table: String
    let condition: SQLText?
    /// The entities of the rows that may be selected.
    let layouts: [EntityLayout]

    /// The statement after its verb.
    var tail: SQLText {
        SQLText(raw: " FROM \(table)") + (condition.map { SQLText(raw: " WHERE ") + $0 } ?? "")
    }

    var deletion: SQLText { SQLText(raw: "DELETE") + tail }
}

extension RowSelection {
    /// The rows of a table with some keys in a column.
    init(of table: EntityTable, _ column: String, _ keys: [Int64], _ schema: Schema) {
        let list = KeyList(keys)
        self.init(of: table, SQLText("\(column) \(list.condition)", list.values), schema)
    }

    private init(of table: EntityTable, _ condition: SQLText, _ schema: Schema) {
        self.init(
            table: table.sql, condition: condition,
            layouts: table.root.familyIndexes.map { schema.model.layouts[$0] })
    }

    /// The existing destinations of a relationship of deleted rows; nil if the rows have no destinations.
    init?(destinationsOf slot: Int, _ layout: EntityLayout, _ group: DeletedRows.Group, _ schema: Schema) {
        let destination = schema.model.layouts[Int(layout[slot].destination)]
        guard let table = schema.mapping(destination)?.table else { return nil }
        switch schema.mapping(layout)?.storage[slot] {
        case .toOne?:
            let keys = Set(group.destinations[slot] ?? []).sorted()
            if keys.isEmpty { return nil }
            self.init(of: table, "Z_PK", keys, schema)
        case .toMany(.column(let column, _, let table))?:
            self.init(of: table, SchemaNaming.quoted(column), group.keys, schema)
        case .toMany(.join(let join, let isOwner))?:
            let list = KeyList(group.keys)
            var text =
                "Z_PK IN (SELECT \(join.column(of: !isOwner)) FROM \(join.sql) WHERE \(join.column(of: isOwner)) "
                + "\(list.condition))"
            var arguments = list.values
            if join.isReflexive {
                text +=
                    " OR Z_PK IN (SELECT \(join.column(of: isOwner)) FROM \(join.sql) WHERE "
                    + "\(join.column(of: !isOwner)) \(list.condition))"
                arguments += list.values
            }
            self.init(of: table, SQLText(text, arguments), schema)
        default: return nil
        }
    }
}
