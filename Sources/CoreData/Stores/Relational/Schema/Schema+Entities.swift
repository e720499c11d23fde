// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities of a schema within the statements of a migration.

import Foundation

extension Schema {
    /// The entity of a table's rows within a script: a column, or the only entity.
    package func entity(of table: EntityTable) -> String {
        dialect.entityColumn(of: table.root)
            ?? dialect.literal(StoredEntity(number: mapping(table.root)?.number ?? 0, name: table.root.name))
    }

    /// An entity of this schema within a script, by its number.
    package func literal(_ number: Int64) -> String {
        dialect.literal(StoredEntity(number: number, name: layout(number: number)?.name ?? ""))
    }

    /// A list for IN.
    package func list(_ numbers: some Sequence<Int64>) -> String {
        "(" + numbers.sorted().map(literal).joined(separator: ", ") + ")"
    }
}
