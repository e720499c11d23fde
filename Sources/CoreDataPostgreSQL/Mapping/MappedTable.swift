// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A table that somebody else made, as statements read it and write to it.

import CoreData
import Foundation

/// The part of a table that the store uses, under the names that the store has for it.
struct MappedTable {
    struct Column {
        /// The name in the store's schema.
        let name: String
        /// The name in the database.
        let place: String
        /// As the server writes it, with a length.
        let type: String
        let fit: ColumnFit
        let isNotNull: Bool
        /// The value of an insertion for nil, as SQL: the default of a column that takes no null.
        let substitute: String?
        /// The length of a text, in characters.
        let length: Int?
        /// Whether the order of the column's own collation is another one.
        let sortsOtherwise: Bool
        /// The property that it belongs to.
        let property: String
    }

    enum Version: Equatable {
        case column(String)
        case system
        /// Rows do not change by this store.
        case none
    }

    /// As the catalog has them.
    let schema: String
    let table: String
    let columns: [Column]
    /// The column with the key; nil for a join table.
    let key: String?
    let version: Version
    let overridesIdentity: Bool
    /// The columns of each constraint, by its name.
    let rules: [String: [String]]
    /// Why nothing can be written; nil if it can.
    let refusal: String?

    var qualified: String { "\(PostgreSQLDialect.quoted(schema)).\(PostgreSQLDialect.quoted(table))" }

    /// The text for FROM, with the store's names. It needs an alias.
    var source: String {
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
        terms += columns.map { "\($0.fit.read("r." + quoted($0.place))) AS \(quoted($0.name))" }
        return "(SELECT \(terms.joined(separator: ", ")) FROM \(qualified) AS r)"
    }

    func column(_ name: String) -> Column? { columns.first { $0.name == name } }
}

/// A table as statements that write name it: its own name, its columns, and the form of values.
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

    var overriding: String { mapped?.overridesIdentity == true ? " OVERRIDING SYSTEM VALUE" : "" }

    /// - Parameter name: in the store's schema, with or without quotes.
    func column(_ name: String) -> String {
        mapped?.column(Self.plain(name)).map { PostgreSQLDialect.quoted($0.place) } ?? name
    }

    func value(_ expression: String, for name: String) -> String {
        mapped?.column(Self.plain(name))?.fit.write(expression) ?? expression
    }

    /// The same for an insertion: a column that takes no null gets its default.
    func insertion(_ expression: String, for name: String) -> String {
        let value = value(expression, for: name)
        guard let substitute = mapped?.column(Self.plain(name))?.substitute else { return value }
        return "coalesce(\(value), \(substitute))"
    }

    private static func plain(_ name: String) -> String {
        name.hasPrefix("\"") ? String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"") : name
    }
}
