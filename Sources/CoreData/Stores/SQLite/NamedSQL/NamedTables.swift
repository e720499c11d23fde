// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables that statements may name: entities and links, with the columns of each.

import Foundation

/// The names of a store's entities, attributes and links. NamedSQL-1.
package struct NamedTables: Sendable {
    /// The form of values.
    package enum Form: Sendable {
        /// As in the file, for results with types. Attributes with external storage are left out, because their column
        /// may be the name of a file.
        case stored
        /// Dates and UUIDs as texts, for people. Needs the function `NamedTables.dateFunction`.
        case text
    }

    /// The name of the SQL function that makes a text of a date.
    package static let dateFunction = "openCoreDataDate"

    package struct Column: Sendable {
        package let name: String
        /// The value, in a table with this alias.
        let sql: @Sendable (_ alias: String) -> String
        var kind: StoreTables.Kind?
        var target: Target?
    }

    /// The object that a column is the key of.
    struct Target: Sendable {
        let entity: String
        let root: String
        /// The column with the number of the object's entity; nil if the entity is known without, and for links.
        let entitySQL: String?
    }

    package struct Table: Sendable {
        package let name: String
        package let columns: [Column]
        /// The table of the file, or a query.
        let source: String
        /// The names of tables in the file.
        let files: [String]
        /// nil for links.
        let entity: StoreTables.Entity?

        /// The column of a name; case does not count if no column has exactly this name, as in SQL.
        func column(_ name: String) -> Column? {
            columns.first { $0.name == name } ?? columns.first { $0.name.lowercased() == name.lowercased() }
        }
    }

    let tables: StoreTables
    let form: Form
    /// All tables, by names in lower case.
    private let byName: [String: Table]
    /// In the order of the model.
    package let all: [Table]
    /// Whether statements may name the tables of the file, too.
    let allowsFileTables: Bool

    package init(_ tables: StoreTables, _ form: Form, allowsFileTables: Bool = false) {
        self.tables = tables
        self.form = form
        self.allowsFileTables = allowsFileTables
        all = Self.unique(
            tables.entities.map { Self.table($0, tables, form) } + tables.joins.map { Self.table($0) }, \.name)
        byName = Dictionary(all.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Leaves out names that differ in case only: SQL takes them for one, and would silently use the first.
    private static func unique<Named>(_ list: [Named], _ name: (Named) -> String) -> [Named] {
        let counts = Dictionary(list.map { (name($0).lowercased(), 1) }, uniquingKeysWith: +)
        return list.filter { counts[name($0).lowercased()] == 1 }
    }

    /// The table of a name; nil for other names.
    func table(_ name: String) -> Table? { byName[name.lowercased()] }

    // MARK: Entities

    private static func table(_ entity: StoreTables.Entity, _ tables: StoreTables, _ form: Form) -> Table {
        var columns: [Column] = []
        for attribute in entity.attributes {
            for column in attribute.columns {
                if case .externalBinary = column.kind, form == .stored { continue }
                columns.append(
                    Column(
                        name: ([attribute.name] + column.path).joined(separator: "_"),
                        sql: { value("\($0).\(column.sql)", column.kind, form) }, kind: column.kind))
            }
        }
        for property in entity.toOnes {
            let target = tables.entity(property.destination).map {
                Target(entity: $0.name, root: $0.rootName, entitySQL: property.entitySQL)
            }
            columns.append(Column(name: property.name, sql: { "\($0).\(property.keySQL)" }, target: target))
        }
        let known = Set(columns.map { $0.name.lowercased() })
        if entity.family.count > 1, !known.contains("entity") {
            let cases = entityCases(entity, tables)
            columns.insert(Column(name: "entity", sql: { "CASE \($0).Z_ENT \(cases) END" }, kind: .string), at: 0)
        }
        if !known.contains("objectid") {
            let target = Target(
                entity: entity.name, root: entity.rootName, entitySQL: entity.family.count > 1 ? "Z_ENT" : nil)
            columns.insert(Column(name: "objectID", sql: { "\($0).Z_PK" }, target: target), at: 0)
        }
        return Table(
            name: entity.name, columns: unique(columns, \.name),
            source: "main.\(entity.tableSQL)", files: [entity.table], entity: entity)
    }

    private static func entityCases(_ entity: StoreTables.Entity, _ tables: StoreTables) -> String {
        entity.family.compactMap { tables.entity(number: $0) }
            .map { "WHEN \($0.number) THEN \(SchemaNaming.literal($0.name))" }.joined(separator: " ")
    }

    static func value(_ column: String, _ kind: StoreTables.Kind, _ form: Form) -> String {
        switch (kind, form) {
        case (.date, .text): "\(dateFunction)(\(column))"
        case (.uuid, .text):
            "CASE WHEN \(column) IS NOT NULL THEN SUBSTR(HEX(\(column)), 1, 8) || '-' || SUBSTR(HEX(\(column)), 9, 4) "
                + "|| '-' || SUBSTR(HEX(\(column)), 13, 4) || '-' || SUBSTR(HEX(\(column)), 17, 4) || '-' || "
                + "SUBSTR(HEX(\(column)), 21, 12) END"
        case (.externalBinary, .text):
            "CASE SUBSTR(\(column), 1, 1) WHEN x'01' THEN SUBSTR(\(column), 2) ELSE \(column) END"
        default: column
        }
    }

    // MARK: Links

    /// The table `Book_tags` has the columns `Book` and `tags`.
    private static func table(_ join: StoreTables.Join) -> Table {
        let same = join.ownerProperty.lowercased() == join.owner.lowercased()
        let names = (join.owner, same ? "\(join.ownerProperty)_member" : join.ownerProperty)
        let columns = [
            Column(
                name: names.0, sql: { "\($0).A" },
                target: Target(entity: join.owner, root: join.ownerRoot, entitySQL: nil)),
            Column(
                name: names.1, sql: { "\($0).B" },
                target: Target(entity: join.member, root: join.memberRoot, entitySQL: nil)),
        ]
        let rows = "SELECT \(join.ownerSQL) AS A, \(join.memberSQL) AS B FROM main.\(join.sql)"
        // A link of a relationship that is its own inverse holds in both directions, whichever side wrote it.
        let mirrored = " UNION SELECT \(join.memberSQL), \(join.ownerSQL) FROM main.\(join.sql)"
        return Table(
            name: "\(join.owner)_\(join.ownerProperty)", columns: columns,
            source: "(\(rows)\(join.isReflexive ? mirrored : ""))", files: [join.name], entity: nil)
    }
}

/// Names within statements. Not in double quotes: SQLite takes a name in them for a text if no column has the name.
enum NamedQuoting {
    static func quoted(_ name: String) -> String { "`" + name.replacingOccurrences(of: "`", with: "``") + "`" }
}
