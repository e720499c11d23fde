// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What differs between databases in the statements of a migration.

import Foundation

/// The words of migrations. Their scripts are texts without placeholders: DDL takes none.
package protocol MigrationWords {
    /// The column with the entity of a row; nil for a table without one, whose rows are all of its root entity.
    func entityColumn(of root: EntityLayout) -> String?
    /// An entity within a statement.
    func literal(_ entity: StoredEntity) -> String
    /// A value within a statement; nil for one that the database cannot keep.
    func literal(_ value: ColumnValue, _ coding: ColumnCoding) -> String?
    /// The value of an old column as a new one keeps it.
    func converted(_ old: AttributeColumn, type: String, to coding: ColumnCoding, type: String) -> RowExpression
    /// Whether a number is whole.
    func isWhole(_ column: String) -> String
    /// No key, as a column of a query.
    var noKey: String { get }
    /// A temporary table in a statement.
    func temporary(_ table: String) -> String
    /// A statement that makes an index of a temporary table.
    func temporaryIndex(_ name: String, on table: String, _ column: String) -> String
    /// What tells the rows of a temporary table apart.
    var rowPlace: String { get }
    /// The beginning and the end of a statement that inserts rows, and passes over those that are there.
    var insertionOfNew: (head: String, tail: String) { get }
    /// The next place among an owner's members; nil where the script counts them at its end.
    func nextOrder(_ key: String) -> RowExpression?
}

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
