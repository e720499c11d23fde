// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A table that exists independently of the store, as statements read and write it.

import CoreData
import Foundation

/// The part of a table that the store uses, under the store's names.
struct MappedTable {
    struct Column {
        /// The name in the store's schema.
        let name: String
        /// The name in the database.
        let place: String
        /// The type as the server writes it, with a length.
        let type: String
        let fit: ColumnFit
        let isNotNull: Bool
        /// The SQL that an insertion uses for nil: the default of a NOT NULL column.
        let substitute: String?
        /// The length of a text, in characters.
        let length: Int?
        /// Whether the column's collation has another order.
        let sortsOtherwise: Bool
        /// The property to which it belongs.
        let property: String
        /// For a key that may refer to rows of several entities; nil for others.
        let kind: KindSource?

        /// The place from which the entity of the destination is read (MappedTables-W2).
        struct KindSource {
            /// The column name in the store's schema.
            let name: String
            /// The destination's table, by its name in the store's schema.
            let table: String
        }
    }

    enum Version: Equatable {
        case column(String)
        case system
        /// This store never changes the rows.
        case none
    }

    /// The column that identifies the entity of a row (MappedTables-I1).
    struct Kind {
        struct Value {
            let entity: String
            let text: String
        }

        let column: String
        let type: String
        /// The values of the entities that rows can have. Rows with other values are not read.
        let values: [Value]

        /// The name of a row's entity.
        func name(_ alias: String) -> String {
            let cases = values.map {
                "WHEN \(PostgreSQLDialect.literal($0.text)) THEN \(PostgreSQLDialect.literal($0.entity))"
            }
            let place = "\(alias).\(PostgreSQLDialect.quoted(column))"
            return "(CASE \(place) \(cases.joined(separator: " ")) END COLLATE \"C\")"
        }

        func condition(_ alias: String) -> String {
            let texts = values.map { PostgreSQLDialect.literal($0.text) }.joined(separator: ", ")
            return "\(alias).\(PostgreSQLDialect.quoted(column)) IN (\(texts))"
        }
    }

    /// The names as in the catalog.
    let schema: String
    let table: String
    let columns: [Column]
    /// The order key columns that an insertion must fill.
    let places: [String]
    /// The column with the key; nil for a join table.
    let key: String?
    /// nil if all rows are of one entity.
    let kind: Kind?
    let version: Version
    let overridesIdentity: Bool
    /// Whether a unique constraint is checked only after the rows of a statement are written.
    let hasDeferrableRules: Bool
    /// The columns of each constraint, by its name.
    let rules: [String: [String]]
    /// The reason why the table cannot be written; nil if it can.
    let refusal: String?

    var qualified: String { "\(PostgreSQLDialect.quoted(schema)).\(PostgreSQLDialect.quoted(table))" }

    /// The text for FROM, with the store's names. It needs an alias.
    ///
    /// - Parameter entity: returns the SQL of the entity of a row in another table, given its key.
    func source(_ entity: (_ table: String, _ key: String) -> String) -> String {
        func quoted(_ name: String) -> String { PostgreSQLDialect.quoted(name) }
        var terms: [String] = []
        if let key {
            terms.append("r.\(quoted(key)) AS id")
            switch version {
            case .column(let name): terms.append("coalesce(r.\(quoted(name)), 0) AS version")
            case .system: terms.append("r.xmin::text::bigint AS version")
            case .none: terms.append("0 AS version")
            }
        }
        if let kind { terms.append("\(kind.name("r")) AS \(SnakeNames.kind)") }
        terms += columns.map { "\($0.fit.read("r." + quoted($0.place))) AS \(quoted($0.name))" }
        for column in columns {
            guard let wanted = column.kind else { continue }
            terms.append("\(entity(wanted.table, "r." + quoted(column.place))) AS \(quoted(wanted.name))")
        }
        return
            "(SELECT \(terms.joined(separator: ", ")) FROM \(qualified) AS r\(kind.map { " WHERE \($0.condition("r"))" } ?? ""))"
    }

    /// The name of the entity of the row with a key, as SQL.
    func kind(ofKey sql: String) -> String {
        guard let key, let kind else { return "NULL" }
        return "(SELECT \(kind.name("k")) FROM \(qualified) AS k WHERE k.\(PostgreSQLDialect.quoted(key)) = \(sql))"
    }

    func column(_ name: String) -> Column? { columns.first { $0.name == name } }
}

/// A table for statements that write: its real name, its columns, and the conversion of values.
struct WriteTarget {
    let sql: String
    private let mapped: MappedTable?

    init(_ table: String, _ dialect: PostgreSQLDialect) {
        mapped = dialect.mapped[table]
        sql = mapped?.qualified ?? dialect.qualified(table)
    }

    var key: String { mapped?.key.map(PostgreSQLDialect.quoted) ?? "id" }

    /// The column that an insertion and an update set.
    var version: String? {
        switch mapped?.version {
        case nil: "version"
        case .column(let name)?: PostgreSQLDialect.quoted(name)
        case .system?, MappedTable.Version.none?: nil
        }
    }

    /// The version of a row with an alias.
    func version(of alias: String) -> String {
        switch mapped?.version {
        case nil: "\(alias).version"
        case .column(let name)?: "coalesce(\(alias).\(PostgreSQLDialect.quoted(name)), 0)"
        case .system?, MappedTable.Version.none?: "\(alias).xmin::text::bigint"
        }
    }

    /// The entity column, and the value for an entity as SQL around a placeholder; nil without such a column.
    ///
    /// - Parameter hasKinds: whether the table has rows of several entities.
    func kind(of entity: String, hasKinds: Bool) -> (column: String, text: String, value: (String) -> String)? {
        guard let mapped else { return hasKinds ? (SnakeNames.kind, entity, { $0 }) : nil }
        guard let kind = mapped.kind else { return nil }
        return (
            PostgreSQLDialect.quoted(kind.column), kind.values.first { $0.entity == entity }?.text ?? entity,
            { "CAST(\($0) AS \(kind.type))" }
        )
    }

    var overriding: String { mapped?.overridesIdentity == true ? " OVERRIDING SYSTEM VALUE" : "" }

    /// The end of an insertion of links u(o, m), which skips existing links.
    func unlinked(_ owner: String, _ member: String) -> String {
        guard let mapped else { return " ON CONFLICT DO NOTHING" }
        // The server refuses ON CONFLICT together with a deferrable constraint.
        return " WHERE NOT EXISTS (SELECT 1 FROM \(sql) AS t WHERE t.\(owner) = u.o AND t.\(member) = u.m)"
            + (mapped.hasDeferrableRules ? "" : " ON CONFLICT DO NOTHING")
    }

    /// Whether versions are maintained only by the server (MappedTables-K3).
    var hasSystemVersions: Bool { mapped?.version == .system }

    /// The spacing of order keys.
    var spacing: (first: Int64, step: Int64) {
        mapped == nil ? (OrderKeys.first, OrderKeys.step) : OrderKeys.counting
    }

    /// The order key columns that an insertion fills with 0: the order of members is written later.
    var places: [String] { mapped?.places.map(PostgreSQLDialect.quoted) ?? [] }

    /// Whether a column of the store's schema exists in this table. The entities of destinations are read from their
    /// rows.
    func has(_ name: String) -> Bool { mapped.map { $0.column(Self.plain(name)) != nil } ?? true }

    /// - Parameter name: the name in the store's schema, with or without quotes.
    func column(_ name: String) -> String {
        mapped?.column(Self.plain(name)).map { PostgreSQLDialect.quoted($0.place) } ?? name
    }

    func value(_ expression: String, for name: String) -> String {
        mapped?.column(Self.plain(name))?.fit.write(expression) ?? expression
    }

    /// Like `value(_:for:)`, for an insertion: null becomes the default of a NOT NULL column.
    func insertion(_ expression: String, for name: String) -> String {
        let value = value(expression, for: name)
        guard let substitute = mapped?.column(Self.plain(name))?.substitute else { return value }
        return "coalesce(\(value), \(substitute))"
    }

    private static func plain(_ name: String) -> String {
        name.hasPrefix("\"") ? String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"") : name
    }
}
