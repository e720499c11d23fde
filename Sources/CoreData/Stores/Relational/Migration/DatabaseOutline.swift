// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables, columns, indexes, triggers and key rows of an existing database.

import Foundation
import SQLiteDriver

/// The schema of an existing file, read once for a script.
struct DatabaseOutline {
    struct Column: Hashable {
        let name: String
        /// In upper case.
        let type: String
    }

    /// One row of `Z_PRIMARYKEY`.
    struct KeyRow: Equatable {
        let number: Int64
        let name: String
        /// The highest key that was ever given to a row; 0 for subentities.
        let highestKey: Int64
    }

    /// All entries except SQLite's own.
    let entries: [SchemaEntry]
    /// The columns of each table in the order of the file.
    let columns: [String: [Column]]
    let keys: [KeyRow]
    let inventory: StoreInventory

    init(_ connection: Connection) throws {
        entries = try connection.schema().filter { !$0.name.hasPrefix("sqlite_") }
        var columns: [String: [Column]] = [:]
        for table in entries where table.type == "table" {
            columns[table.name] = try connection.columns(of: table.name).map {
                Column(name: $0.name, type: $0.type.uppercased())
            }
        }
        self.columns = columns
        inventory = try StoreInventory(connection)
        keys = try connection.rows("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT").compactMap { row in
            row[0].integerValue.map {
                KeyRow(number: $0, name: row[1].textValue ?? "", highestKey: row[2].integerValue ?? 0)
            }
        }
    }

    func hasTable(_ name: String) -> Bool { columns[name] != nil }

    /// Whether a table belongs to an entity or a join of any version, or is a leftover of a migration.
    func isRowTable(_ name: String) -> Bool {
        guard name.hasPrefix("Z"), !SchemaNaming.reservedTables.contains(name) else { return false }
        if name.hasPrefix("ZMIGRATION") || name.wholeMatch(of: /Z_[0-9]+.+/) != nil { return true }
        return columns[name]?.contains { $0.name == SchemaNaming.entity } ?? false
    }

    var triggers: [SchemaEntry] { entries.filter { $0.type == "trigger" } }
    var indexes: [SchemaEntry] { entries.filter { $0.type == "index" } }

    /// The spatial indexes of a store. Each has further tables, which SQLite drops with it.
    var spatialTables: [SchemaEntry] {
        entries.filter { $0.type == "table" && $0.name.hasPrefix("Z_RT_") && Self.isVirtual($0) }
    }

    static func isVirtual(_ entry: SchemaEntry) -> Bool {
        entry.sql?.uppercased().hasPrefix("CREATE VIRTUAL") ?? false
    }

    /// A statement without the quotes and spaces that SQLite changes when it rewrites names, and with uniform spaces
    /// around parentheses.
    static func normalized(_ sql: String) -> String {
        sql.replacing("\"", with: "").replacing("(", with: " ( ").replacing(")", with: " ) ")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The identifiers in a statement, without quotes.
    static func words(_ sql: String) -> Set<Substring> {
        Set(sql.split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }
}
