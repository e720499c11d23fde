// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The differences between databases in the statements of a migration.

import Foundation

/// The syntax of migrations. Their scripts are texts without placeholders, because DDL does not allow any.
package protocol MigrationDialect {
    /// The column with the entity of a row; nil for a table without one, all of whose rows are of its root entity.
    func entityColumn(of root: EntityLayout) -> String?
    /// An entity within a statement.
    func literal(_ entity: StoredEntity) -> String
    /// A value within a statement; nil for a value that the database cannot store.
    func literal(_ value: ColumnValue, _ coding: ColumnCoding) -> String?
    /// The value of an old column converted for a new one.
    func converted(_ old: AttributeColumn, type: String, to coding: ColumnCoding, type: String) -> RowExpression
    /// Whether a number is whole.
    func isWhole(_ column: String) -> String
    /// The missing key, as a column of a query.
    var noKey: String { get }
    /// A temporary table in a statement.
    func temporary(_ table: String) -> String
    /// A statement that makes an index of a temporary table.
    func temporaryIndex(_ name: String, on table: String, _ column: String) -> String
    /// The columns that distinguish the rows of a temporary table.
    var rowPlace: String { get }
    /// The beginning and the end of a statement that inserts rows and skips those that exist.
    var insertionOfNew: (head: String, tail: String) { get }
    /// The next order key among an owner's members; nil if the script counts them at its end.
    func nextOrder(_ key: String) -> RowExpression?
}
