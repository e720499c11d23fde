// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The differences between the databases of relational stores. Used to build statements, never for single rows.

package import CoreDataFoundation
import Foundation

/// The syntax of one database, and the conditions that it can express.
///
/// A method that throws `NotTranslatable` leaves its part of the fetch to evaluation in memory: a condition is
/// translated only if it holds for exactly the same rows as in memory.
package protocol Dialect: MigrationDialect, Sendable {
    /// The names of tables and columns.
    var names: any SchemaNames { get }

    /// A name in a statement.
    func quoted(_ name: String) -> String
    /// The name of a table in a statement.
    func qualified(_ table: String) -> String
    /// The type of an attribute's column.
    func columnType(_ attribute: NSAttributeDescription, _ coding: ColumnCoding) -> String
    /// The type of a column with the key of another row.
    var keyType: String { get }
    /// The type of a column with the entity of another row, and of a column with an order key.
    var entityType: String { get }
    var orderType: String { get }

    // MARK: Rows

    /// The entity of a row, as a value.
    ///
    /// - Parameters:
    ///   - alias: the alias of the row's table; empty for none.
    ///   - layout: the entity as which the row is read.
    ///   - root: the entity of the table.
    func entity(_ alias: String, _ layout: EntityLayout, root: EntityLayout) -> SQLText
    /// The columns with key, entity and version, with which every row begins.
    func head(root: EntityLayout, alias: String?) -> String
    /// Whether the entity of a row, as `entity(_:_:root:)` returns it, is one of several entities of its table.
    func isEntity(_ entity: SQLText, among entities: [StoredEntity]) -> SQLText
    /// An entity as the value that is compared with a row's entity; nil for an entity that the store does not contain.
    func entityArgument(_ entity: StoredEntity?) -> SQLText
    /// Whether tables may have rows of entities that the schema does not contain, which counts must leave out.
    var hasForeignRows: Bool { get }

    // MARK: Conditions

    var yes: SQLText { get }
    var no: SQLText { get }
    /// The condition with null replaced by false.
    func orFalse(_ condition: SQLText) -> SQLText
    /// Whether two operands, neither of them the constant null, are the same; null is the same as null.
    ///
    /// - Parameter isConstant: whether one of them is a constant that is not null.
    func isSame(_ left: SQLText, _ right: SQLText, isConstant: Bool, negated: Bool) -> SQLText
    /// The operands converted to types that the database compares as evaluation in memory does.
    func comparable(_ left: SQLOperand, _ right: SQLOperand) throws -> (left: SQLOperand, right: SQLOperand)
    /// Whether the element is, or is not, one of the values, none of which is null. Null if the element is null.
    func membership(of element: SQLOperand, in values: [ColumnValue], negated: Bool) throws -> SQLText
    /// A comparison of two strings: true, false or null.
    func text(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) throws -> SQLText
    /// The clause after the second operand of `<` and similar operators between strings.
    func collation(_ options: ComparisonSyntax.Options) throws -> String
    /// A condition that includes all rows for which an untranslatable comparison holds; nil if none is known.
    func wider(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) -> SQLText?

    // MARK: Values

    /// A value as a uniqueness constraint compares it: databases compare texts byte by byte, Swift does not.
    func kept(_ value: ColumnValue) -> ColumnValue
    /// A function of numbers or strings, applied to operands.
    ///
    /// - Parameter result: the kind of its values.
    func function(_ name: String, _ operands: [SQLOperand], _ result: ValueKind) throws -> SQLText
    /// The sum of a value over several rows, 0 for no values.
    func sum(_ operand: SQLOperand) throws -> SQLText
    /// The mean of a value: over the rows that have a value, or over all rows with 0 for a missing one.
    func mean(_ operand: SQLOperand, overRows: Bool) throws -> SQLText
    /// The mean of a value over the rows of the statement.
    func average(_ operand: SQLOperand) throws -> SQLText
    /// `MIN` or `MAX`.
    func extreme(_ name: String, _ operand: SQLOperand) throws -> SQLText

    // MARK: Parts of statements

    /// A number that is equal for dates with the same part, and less for an earlier period or a lesser component; null
    /// for null.
    func partition(_ date: SQLText, by part: DatePart) throws -> SQLText

    /// A column as ORDER BY compares it; `<`, `=` and `>` then follow the same order.
    func ordered(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison) throws -> SQLText
    /// A term of ORDER BY.
    func order(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison, isAscending: Bool) throws
        -> SQLText
    /// - Parameters:
    ///   - limit: 0 for none.
    ///   - offset: 0 for none.
    func window(limit: Int, offset: Int) -> SQLText
    /// The clause after a table that is scanned for groups.
    var groupHint: String { get }
    /// The clause after a SELECT within FROM.
    var subqueryName: String { get }
    /// The GROUP BY that puts all rows into one group.
    var groupOfAll: String { get }
    /// Whether a SELECT DISTINCT may be sorted by terms that are not among its columns.
    var sortsDistinctFreely: Bool { get }
}

/// An entity by number and name: a database identifies the entities of rows by one or the other.
package struct StoredEntity {
    package var number: Int64
    package var name: String
}

/// The names of tables and columns in one kind of database.
package protocol SchemaNames: Sendable {
    var key: String { get }
    var version: String { get }
    var reservedTables: Set<String> { get }
    var reservedColumns: Set<String> { get }

    func table(_ root: EntityLayout) -> String
    func column(_ property: String) -> String
    /// The column of an element of a composite attribute.
    func element(_ path: [String]) -> String
    func toOne(_ relationship: String) -> String
    /// The column with the entity of a to-one's destination.
    ///
    /// - Parameter root: the number of the destination's root entity.
    func destinationEntity(_ relationship: String, root: Int64) -> String
    /// The column in the destination's table for a to-many relationship without an inverse.
    func oneWay(_ relationship: String, source: EntityLayout, number: Int64) -> String
    /// The column with the order keys that belong to a key column.
    func order(_ column: String) -> String
    /// A join table, by the relationship that owns it.
    func join(_ relationship: String, owner: EntityLayout, number: Int64) -> String
    /// The column with the key of an owner, by the relationship that refers back to it.
    func joinColumn(_ inverse: String, owner: EntityLayout, number: Int64) -> String
    /// Whether a relationship names the join table of its pair, and not the inverse, which is of the same entity.
    func namesJoin(_ relationship: String, inverse: String, in entity: NSEntityDescription) -> Bool
    /// Whether equal column names in join tables are numbered by the name of the entity at the other end, not by the
    /// name of the relationship to it.
    var numbersJoinColumnsByEntity: Bool { get }
    /// The second column of a relationship that is its own inverse.
    func reflexiveColumn(_ relationship: String, owner: EntityLayout) -> String
    /// The name, shortened to the limit of the database.
    func limited(_ name: String) -> String
}
