// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What differs between the databases that relational stores speak to. Asked while a statement is built, never for a
// row.

package import CoreDataFoundation
import Foundation

/// The words of one database, and what it can express.
///
/// A method that throws `NotTranslatable` leaves its part of the fetch to evaluation in memory: a condition is
/// translated only if it holds for exactly the same rows there.
package protocol Dialect: MigrationDialect, Sendable {
    /// How tables and columns are called.
    var names: any SchemaNames { get }

    /// A name in a statement.
    func quoted(_ name: String) -> String
    /// The name of a table in a statement.
    func qualified(_ table: String) -> String
    /// The type of an attribute's column.
    func columnType(_ attribute: NSAttributeDescription, _ coding: ColumnCoding) -> String
    /// The type of a column with the key of another row.
    var keyType: String { get }
    /// The type of a column with the entity of another row, and of one with a place in an order.
    var entityType: String { get }
    var orderType: String { get }

    // MARK: Rows

    /// The entity of a row, as a value.
    ///
    /// - Parameters:
    ///   - alias: that of the row's table; empty for none.
    ///   - layout: the entity that the row is seen as.
    ///   - root: the entity of the table.
    func entity(_ alias: String, _ layout: EntityLayout, root: EntityLayout) -> SQLText
    /// The columns that tell key, entity and version, which every row begins with.
    func head(root: EntityLayout, alias: String?) -> String
    /// Whether the entity of a row, as `entity(_:_:root:)` gives it, is one of some entities of its table.
    func isEntity(_ entity: SQLText, among entities: [StoredEntity]) -> SQLText
    /// An entity as the value that a row's is compared with; nil for one that the store does not hold.
    func entityArgument(_ entity: StoredEntity?) -> SQLText
    /// Whether tables may have rows of entities that the schema does not know, which counts have to leave out.
    var hasForeignRows: Bool { get }

    // MARK: Conditions

    var yes: SQLText { get }
    var no: SQLText { get }
    /// The condition with null taken for false.
    func orFalse(_ condition: SQLText) -> SQLText
    /// Whether two operands, none of them null by itself, are the same; null is the same as null.
    ///
    /// - Parameter isConstant: whether one of them is a constant that is not null.
    func isSame(_ left: SQLText, _ right: SQLText, isConstant: Bool, negated: Bool) -> SQLText
    /// Operands in types that the database compares as evaluation in memory does.
    func comparable(_ left: SQLOperand, _ right: SQLOperand) throws -> (left: SQLOperand, right: SQLOperand)
    /// Whether the element is, or is not, one of the values, of which none is null. Null where the element is null.
    func membership(of element: SQLOperand, in values: [ColumnValue], negated: Bool) throws -> SQLText
    /// A comparison of two strings: true, false or null.
    func text(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) throws -> SQLText
    /// What follows the second operand of `<` and its kind between strings.
    func collation(_ options: ComparisonSyntax.Options) throws -> String
    /// A condition that holds for the rows for which a comparison holds that has no translation, and for more; nil
    /// where none is known.
    func wider(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) -> SQLText?

    // MARK: Values

    /// A value as a uniqueness constraint compares it. Texts are compared byte by byte, and Swift's are not.
    func kept(_ value: ColumnValue) -> ColumnValue
    /// A function of numbers or strings, with its operands.
    ///
    /// - Parameter result: the kind of its values.
    func function(_ name: String, _ operands: [SQLOperand], _ result: ValueKind) throws -> SQLText
    /// The sum of a value over several rows, 0 for no values.
    func sum(_ operand: SQLOperand) throws -> SQLText
    /// The mean of a value: over the rows that have one, or over all rows with 0 for none.
    func mean(_ operand: SQLOperand, overRows: Bool) throws -> SQLText
    /// The mean of a value over the rows of the statement itself.
    func average(_ operand: SQLOperand) throws -> SQLText
    /// `MIN` or `MAX`.
    func extreme(_ name: String, _ operand: SQLOperand) throws -> SQLText

    // MARK: Parts of statements

    /// A term of ORDER BY.
    func order(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison, isAscending: Bool) throws
        -> SQLText
    /// - Parameters:
    ///   - limit: 0 for none.
    ///   - offset: 0 for none.
    func window(limit: Int, offset: Int) -> SQLText
    /// What follows a table that is read through for groups.
    var groupHint: String { get }
    /// What follows a SELECT within FROM.
    var subqueryName: String { get }
    /// The GROUP BY that makes one group of all rows.
    var groupOfAll: String { get }
    /// Whether a SELECT DISTINCT may be sorted by what is not among its columns.
    var sortsDistinctFreely: Bool { get }
}

/// An entity by its number and its name: databases tell the entities of rows by one or the other.
package struct StoredEntity {
    package var number: Int64
    package var name: String
}

/// How the tables and columns of one kind of database are called.
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
    /// The column with the places of members, beside a column.
    func order(_ column: String) -> String
    /// A join table, by the relationship that owns it.
    func join(_ relationship: String, owner: EntityLayout, number: Int64) -> String
    /// The column with the key of an owner, by the relationship that leads back to it.
    func joinColumn(_ inverse: String, owner: EntityLayout, number: Int64) -> String
    /// Whether a relationship names the join table of its pair, and not the inverse, which is of the same entity.
    func namesJoin(_ relationship: String, inverse: String, in entity: NSEntityDescription) -> Bool
    /// Whether equal names of columns in join tables get their numbers by the name of the entity at the other end, not
    /// by the name of the relationship that leads there.
    var numbersJoinColumnsByEntity: Bool { get }
    /// The second column of a relationship that is its own inverse.
    func reflexiveColumn(_ relationship: String, owner: EntityLayout) -> String
    /// The name, as long as the database allows.
    func limited(_ name: String) -> String
}
