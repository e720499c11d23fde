// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns outside of an entity's rows that lead to them.

/// A column of a join table, or of a one-way to-many, with the keys of its owners.
package struct LinkColumn {
    /// The name of the table, and its form in a statement.
    package let table: String
    package let sql: String
    package let name: String
    /// Whether the end of a link deletes the row of the table.
    package let isJoin: Bool
}

extension Schema {
    /// The columns to clear before rows of an entity are deleted.
    package func linkColumns(of layout: EntityLayout) -> [LinkColumn] {
        guard let mapping = mapping(layout) else { return [] }
        return layout.toManySlots.flatMap { slot -> [LinkColumn] in
            guard case .toMany(let storage) = mapping.storage[slot] else { return [] }
            switch storage {
            case .join(let join, let isOwner):
                return (join.isReflexive ? [isOwner, !isOwner] : [isOwner]).map {
                    LinkColumn(table: join.name, sql: join.sql, name: join.column(of: $0), isJoin: true)
                }
            case .column(let name, _, let table):
                if layout[slot].inverse >= 0 { return [] }
                return [LinkColumn(table: table.name, sql: table.sql, name: dialect.quoted(name), isJoin: false)]
            }
        }
    }
}
