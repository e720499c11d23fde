// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// PostgreSQL's dialect: names, types, conditions and the parts of statements.

package import CoreData
package import CoreDataFoundation
import CoreDataModelFiles
import Foundation

package struct PostgreSQLDialect: Dialect {
    /// The schema (namespace) of the tables.
    let schema: String
    /// Whether the tables have rows of several tenants (PostgreSQL-E1).
    var hasTenants = false

    /// Existing tables, by their names in the store's schema.
    let mapped: [String: MappedTable]
    private let sources: [String: String]
    /// Whether the store has created no tables for entities.
    let isWhole: Bool
    /// Whether texts must be sorted in an order that differs from that of their columns.
    let sortsOtherwise: Bool
    /// Columns of the outermost table that contain no null, as written in a statement.
    private let neverNull: Set<String>

    package init(schema: String) { self.init(schema: schema, mapped: [:], isWhole: false) }

    /// - Parameter isWhole: whether all tables are mapped.
    init(schema: String, mapped: [String: MappedTable], isWhole: Bool) {
        self.schema = schema
        self.mapped = mapped
        self.isWhole = isWhole
        sources = mapped.mapValues { table in
            table.source { destination, key in
                if let other = mapped[destination] { return other.kind(ofKey: key) }
                let place = "\(Self.quoted(schema)).\(Self.quoted(destination))"
                return "(SELECT k.\(SnakeNames.kind) FROM \(place) AS k WHERE k.id = \(key))"
            }
        }
        let columns = mapped.values.flatMap(\.columns)
        sortsOtherwise = columns.contains(where: \.sortsOtherwise)
        let nullable = Set(columns.filter { !$0.isNotNull }.map(\.name))
        let full = isWhole ? columns.map(\.name).filter { !nullable.contains($0) } : []
        neverNull = Set(full.map { "t0." + Self.quoted($0) })
    }

    init(_ settings: StoreSettings) {
        self.init(schema: settings.schema)
        hasTenants = settings.tenant != nil
    }

    package var names: any SchemaNames { SnakeNames() }

    package func quoted(_ name: String) -> String { Self.quoted(name) }
    /// The table for FROM: a mapped table is a subquery, and needs an alias.
    package func qualified(_ table: String) -> String {
        sources[table] ?? "\(Self.quoted(schema)).\(Self.quoted(table))"
    }

    /// The only function that inserts a name into a statement.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacingEach("\0", with: "").replacingEach("\"", with: "\"\"") + "\""
    }

    /// A name of the model within DDL, which allows no placeholders.
    static func literal(_ name: String) -> String {
        let text = name.replacingEach("\0", with: "").replacingEach("'", with: "''")
        let escaped = text.replacingEach("\\", with: "\\\\")
        return (escaped == text ? "'" : "E'") + escaped + "'"
    }

    package func columnType(_ attribute: NSAttributeDescription, _ coding: ColumnCoding) -> String {
        switch coding {
        case .integer:
            switch attribute.attributeType {
            case .integer16AttributeType: "smallint"
            case .integer32AttributeType: "integer"
            default: "bigint"
            }
        case .boolean: "boolean"
        case .float: "real"
        case .double: "double precision"
        case .decimal: "numeric"
        case .date: "timestamptz"
        case .string, .uri: "text COLLATE \"C\""
        case .uuid: "uuid"
        case .binary, .externalBinary, .transformable: "bytea"
        }
    }

    package var keyType: String { "bigint" }
    package var entityType: String { "text COLLATE \"C\"" }
    package var orderType: String { "bigint" }

    // MARK: Rows

    package func entity(_ alias: String, _ layout: EntityLayout, root: EntityLayout) -> SQLText {
        guard root.hasSubentities else { return .value(.text(layout.name)) }
        return SQLText(raw: (alias.isEmpty ? "" : "\(alias).") + Self.quoted(SnakeNames.kind))
    }

    package func head(root: EntityLayout, alias: String?) -> String {
        let columns = ["id", "version"] + (root.hasSubentities ? [SnakeNames.kind] : [])
        return columns.map { (alias.map { "\($0)." } ?? "") + Self.quoted($0) }.joined(separator: ", ")
    }

    package func isEntity(_ entity: SQLText, among entities: [StoredEntity]) -> SQLText {
        "\(entity) = ANY(\(value: .list(entities.map { .text($0.name) })))"
    }

    package func entityArgument(_ entity: StoredEntity?) -> SQLText { .value(.text(entity?.name ?? "")) }

    package var hasForeignRows: Bool { false }

    // MARK: Conditions

    package var yes: SQLText { "TRUE" }
    package var no: SQLText { "FALSE" }
    package func orFalse(_ condition: SQLText) -> SQLText { "COALESCE(\(condition), FALSE)" }

    package func isSame(_ left: SQLText, _ right: SQLText, isConstant: Bool, negated: Bool) -> SQLText {
        if isConstant, !negated { return "\(left) = \(right)" }
        // No index serves IS NOT DISTINCT FROM, so constants are compared by the equals sign.
        return "\(left) IS \(raw: negated ? "" : "NOT ")DISTINCT FROM \(right)"
    }

    package func comparable(_ left: SQLOperand, _ right: SQLOperand) throws -> (left: SQLOperand, right: SQLOperand) {
        guard case .value = left.kind, case .value = right.kind else { return (left, right) }
        if right.isConstant { return (left, try OperandTypes.constant(right, beside: left)) }
        if left.isConstant { return (try OperandTypes.constant(left, beside: right), right) }
        return try OperandTypes.comparable(left, right)
    }

    package func membership(of element: SQLOperand, in values: [ColumnValue], negated: Bool) throws -> SQLText {
        var list = values
        if case .value = element.kind {
            list = try values.map { try OperandTypes.argument($0, coding: element.coding, isString: element.isString) }
            // In a list with integers and decimals, all become decimals.
            let isMixed = list.contains { if case .decimal = $0 { true } else { false } }
            if isMixed { list = list.map(OperandTypes.asDecimal) }
        }
        return negated ? "\(element.sql) <> ALL(\(value: .list(list)))" : "\(element.sql) = ANY(\(value: .list(list)))"
    }

    /// The store's own columns are declared with byte order.
    var byBytes: String { sortsOtherwise ? " COLLATE \"C\"" : "" }

    package func collation(_ options: ComparisonSyntax.Options) throws -> String {
        if !options.contains(.normalized), !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
            throw NotTranslatable(reason: "an order regardless of case or diacritics")
        }
        return byBytes
    }

    // MARK: Parts of statements

    package func ordered(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison) throws -> SQLText {
        switch coding {
        case .string, .uri:
            if comparison != .standard { throw NotTranslatable(reason: "an order other than that of bytes") }
            return "\(column)\(raw: byBytes)"
        default: return column
        }
    }

    package func order(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison, isAscending: Bool)
        throws -> SQLText
    {
        // An index in the default order does not serve NULLS FIRST.
        let isNeverNull = neverNull.contains(column.text)
        let column = try ordered(column, coding, comparison)
        if isNeverNull { return "\(column)\(raw: isAscending ? "" : " DESC")" }
        return "\(column)\(raw: isAscending ? " NULLS FIRST" : " DESC NULLS LAST")"
    }

    package func window(limit: Int, offset: Int) -> SQLText {
        var text: SQLText = limit == 0 ? "" : " LIMIT \(value: .integer(Int64(limit)))"
        if offset != 0 { text += " OFFSET \(value: .integer(Int64(offset)))" }
        return text
    }

    package var groupHint: String { "" }
    package var subqueryName: String { " AS w" }
    package var groupOfAll: String { " GROUP BY ()" }
    package var sortsDistinctFreely: Bool { false }
}
