// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists a database's tables, indexes, views and triggers.

package struct SchemaEntry: Sendable, Hashable {
    /// "table", "index", "view" or "trigger".
    package var type: String
    package var name: String
    /// The table of the entry; the entry's own name for a table or a view.
    package var tableName: String
    /// nil for the indexes that SQLite creates itself.
    package var sql: String?
}

package struct SchemaColumn: Sendable, Hashable {
    package var name: String
    /// The declared type; empty if the column has none.
    package var type: String
    package var isNotNull: Bool
    /// The SQL of the default value.
    package var defaultValue: String?
    /// The position in the primary key from 1; 0 for other columns.
    package var primaryKeyPosition: Int
}

extension Connection {
    /// All entries in the order of their creation, including SQLite's internal tables.
    package func schema() throws -> [SchemaEntry] {
        try rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid").map { row in
            SchemaEntry(
                type: row[0].textValue ?? "", name: row[1].textValue ?? "", tableName: row[2].textValue ?? "",
                sql: row[3].textValue)
        }
    }

    /// Empty for a missing table.
    package func columns(of table: String) throws -> [SchemaColumn] {
        try rows("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)", [.text(table)]).map {
            row in
            SchemaColumn(
                name: row[0].textValue ?? "", type: row[1].textValue ?? "", isNotNull: row[2] == .integer(1),
                defaultValue: row[3].textValue, primaryKeyPosition: Int(row[4].integerValue ?? 0))
        }
    }

    package func tableExists(_ name: String) throws -> Bool {
        try value("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(name)]) != nil
    }
}
