// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQLite's dialect: its syntax for conditions and values, and Apple's names of tables and columns.

import CoreDataFoundation
import Foundation

struct SQLiteDialect: Dialect {
    var names: any SchemaNames { AppleNames() }

    func quoted(_ name: String) -> String { SchemaNaming.quoted(name) }
    func qualified(_ table: String) -> String { SchemaNaming.quoted(table) }
    func columnType(_ attribute: NSAttributeDescription, _ coding: ColumnCoding) -> String {
        switch coding {
        case .integer, .boolean: "INTEGER"
        case .float, .double: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary, .externalBinary, .transformable: "BLOB"
        }
    }
    var keyType: String { "INTEGER" }
    var entityType: String { "INTEGER" }
    var orderType: String { "INTEGER" }

    // MARK: Rows

    func entity(_ alias: String, _ layout: EntityLayout, root: EntityLayout) -> SQLText {
        SQLText(raw: alias.isEmpty ? SchemaNaming.entity : "\(alias).\(SchemaNaming.entity)")
    }

    func head(root: EntityLayout, alias: String?) -> String {
        guard let alias else { return "Z_PK, Z_ENT, Z_OPT" }
        return "\(alias).Z_PK, \(alias).Z_ENT, \(alias).Z_OPT"
    }

    func isEntity(_ entity: SQLText, among entities: [StoredEntity]) -> SQLText {
        let numbers = entities.map { String($0.number) }
        if numbers.count == 1 { return entity + SQLText(raw: " = \(numbers[0])") }
        return entity + SQLText(raw: " IN (\(numbers.joined(separator: ", ")))")
    }

    func entityArgument(_ entity: StoredEntity?) -> SQLText { entity.map { .value(.integer($0.number)) } ?? "-1" }

    var hasForeignRows: Bool { true }

    // MARK: Conditions

    var yes: SQLText { "1" }
    var no: SQLText { "0" }

    func orFalse(_ condition: SQLText) -> SQLText { "IFNULL(\(condition), 0)" }

    func isSame(_ left: SQLText, _ right: SQLText, isConstant: Bool, negated: Bool) -> SQLText {
        if isConstant { return negated ? "\(left) IS NOT \(right)" : "\(left) = \(right)" }
        return "\(left) IS\(raw: negated ? " NOT" : "") \(right)"
    }

    func collation(_ options: ComparisonSyntax.Options) -> String {
        StringFunctions.collation(options).map { " COLLATE \($0)" } ?? ""
    }

    func wider(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) -> SQLText? { nil }

    // MARK: Values

    func kept(_ value: ColumnValue) -> ColumnValue {
        switch value {
        case .text(let text): .bytes(Data(text.utf8))
        case .decimal(let number): .double(ColumnArgument.double(number))
        default: value
        }
    }

    // MARK: Parts of statements

    func partition(_ date: SQLText, by part: DatePart) throws -> SQLText {
        "\(raw: DateFunctions.part)(\(date), \(value: .text(try DateFunctions.text(part))))"
    }

    func ordered(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison) -> SQLText {
        var order = ""
        switch coding {
        case .string, .uri: order = StringFunctions.collation(comparison).map { " COLLATE \($0)" } ?? ""
        default: break
        }
        return "\(column)\(raw: order)"
    }

    func order(_ column: SQLText, _ coding: ColumnCoding, _ comparison: SortComparison, isAscending: Bool) -> SQLText {
        "\(ordered(column, coding, comparison))\(raw: isAscending ? "" : " DESC")"
    }

    func window(limit: Int, offset: Int) -> SQLText {
        let limit = ColumnValue.integer(limit == 0 ? -1 : Int64(limit))
        return offset == 0
            ? " LIMIT \(value: limit)" : " LIMIT \(value: limit) OFFSET \(value: .integer(Int64(offset)))"
    }

    var groupHint: String { " NOT INDEXED" }
    var subqueryName: String { "" }
    var groupOfAll: String { " GROUP BY NULL" }
    var sortsDistinctFreely: Bool { true }
}

/// Apple's names.
struct AppleNames: SchemaNames {
    var key: String { SchemaNaming.key }
    var version: String { SchemaNaming.version }
    var reservedTables: Set<String> { SchemaNaming.reservedTables }
    var reservedColumns: Set<String> { SchemaNaming.reservedColumns }

    func table(_ root: EntityLayout) -> String { SchemaNaming.plain(root.name) }
    func column(_ property: String) -> String { SchemaNaming.plain(property) }
    func element(_ path: [String]) -> String { SchemaNaming.plain(path.last ?? "") }
    func toOne(_ relationship: String) -> String { SchemaNaming.plain(relationship) }
    func destinationEntity(_ relationship: String, root: Int64) -> String {
        SchemaNaming.discriminator(relationship, root: root)
    }
    func oneWay(_ relationship: String, source: EntityLayout, number: Int64) -> String {
        SchemaNaming.oneWay(relationship, source: number)
    }
    func order(_ column: String) -> String { SchemaNaming.order(column) }
    func join(_ relationship: String, owner: EntityLayout, number: Int64) -> String {
        SchemaNaming.join(relationship, owner: number)
    }
    func joinColumn(_ inverse: String, owner: EntityLayout, number: Int64) -> String {
        SchemaNaming.join(inverse, owner: number)
    }
    func namesJoin(_ relationship: String, inverse: String, in entity: NSEntityDescription) -> Bool {
        JoinNaming.guess(relationship, inverse, in: entity)
    }
    var numbersJoinColumnsByEntity: Bool { true }
    func reflexiveColumn(_ relationship: String, owner: EntityLayout) -> String { "REFLEXIVE" }
    func limited(_ name: String) -> String { name }
}

extension Schema {
    /// The schema of a new SQLite store.
    ///
    /// - Parameters:
    ///   - entities: the entities of the store; nil for all entities of the model.
    ///   - naming: the names of join tables to keep from another store.
    convenience init(model: ModelLayout, entities: Set<String>? = nil, keeping naming: JoinNaming? = nil) {
        self.init(model: model, entities: entities, dialect: SQLiteDialect(), keeping: naming)
    }

    /// The schema of an existing SQLite store.
    ///
    /// - Throws: `SchemaMismatch` when a required table or column is missing.
    convenience init(model: ModelLayout, entities: Set<String>? = nil, in inventory: StoreInventory) throws {
        try self.init(model: model, entities: entities, in: inventory, dialect: SQLiteDialect())
    }
}
