// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The differences between databases in the statements of a migration.

import Foundation

/// The words of migrations. Their scripts are texts without placeholders: DDL takes none.
package protocol MigrationDialect {
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
    /// The columns that distinguish the rows of a temporary table.
    var rowPlace: String { get }
    /// The beginning and the end of a statement that inserts rows, and passes over those that are there.
    var insertionOfNew: (head: String, tail: String) { get }
    /// The next place among an owner's members; nil where the script counts them at its end.
    func nextOrder(_ key: String) -> RowExpression?
}
