// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The whole content of a database, by plain SQL, and the differences between two readings.

import Foundation
import SQLiteDriver

/// All rows of all tables.
struct StoreContents {
    typealias Row = [String: SQLiteValue]

    /// A row that is not as it was: without `before` it is new, without `after` it is gone.
    struct Change: CustomStringConvertible {
        var table: String
        var key: String
        var before: Row?
        var after: Row?

        /// Columns with another value; all of them for a row that is new or gone.
        var columns: Set<String> {
            let names = Set((before ?? [:]).keys).union((after ?? [:]).keys)
            return names.filter { before?[$0] != after?[$0] }
        }

        var description: String {
            let parts = columns.sorted().prefix(6).map { column in
                let old = before.map { "\($0[column] ?? .null)" } ?? "absent"
                let new = after.map { "\($0[column] ?? .null)" } ?? "absent"
                return "\(column): \(old) -> \(new)".prefix(200)
            }
            return "\(table)[\(key)] \(parts.joined(separator: "; "))"
        }
    }

    private struct Table {
        var columns: [String]
        /// All values as SQLite writes them. Most tables are the same after a save, which two texts tell at once.
        var text: String?
        var rows: [String: [SQLiteValue]] = [:]

        func row(_ key: String) -> Row? {
            rows[key].map { Dictionary(uniqueKeysWithValues: zip(columns, $0)) }
        }
    }

    private var tables: [String: Table] = [:]

    /// - Parameter earlier: an earlier reading, whose rows are taken for each table that is still the same.
    init(_ url: URL, since earlier: StoreContents? = nil) throws {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        for entry in try connection.schema() where entry.type == "table" && !Self.isShadow(entry.name) {
            let description = try connection.rows("SELECT name, pk FROM pragma_table_info(?)", [.text(entry.name)])
            var table = Table(columns: description.compactMap { $0[0].textValue })
            table.text = try connection.value(Self.text(of: entry.name, table.columns))?.textValue
            if let known = earlier?.tables[entry.name], known.columns == table.columns, known.text == table.text {
                tables[entry.name] = known
                continue
            }
            // The identity of a row: its primary key, or else its place.
            let keys = description.indices.filter { description[$0][1] != .integer(0) }
            for row in try connection.rows("SELECT *, rowid FROM \"\(entry.name)\"") {
                let key = keys.isEmpty ? [row[row.count - 1]] : keys.map { row[$0] }
                let name = key.map { $0.integerValue.map(String.init) ?? "\($0)" }.joined(separator: " ")
                table.rows[name] = Array(row.dropLast())
            }
            tables[entry.name] = table
        }
    }

    private static func text(of table: String, _ columns: [String]) -> String {
        let row = (columns + ["rowid"]).map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        return "SELECT group_concat(\(row), ';') FROM \"\(table)\""
    }

    /// Tables in which SQLite keeps a spatial index.
    private static func isShadow(_ name: String) -> Bool {
        name.hasPrefix("Z_RT_") && ["_node", "_rowid", "_parent"].contains(where: name.hasSuffix)
    }

    /// Tables of persistent history, which each save continues.
    static func isHistory(_ table: String) -> Bool {
        ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
    }

    var tableNames: [String] { tables.keys.sorted() }
    func count(_ table: String) -> Int { tables[table]?.rows.count ?? 0 }
    func row(_ table: String, _ key: Int64) -> Row? { tables[table]?.row(String(key)) }
    func rows(_ table: String) -> [Row] { (tables[table]?.rows.keys ?? [:].keys).compactMap { row(table, key: $0) } }
    private func row(_ table: String, key: String) -> Row? { tables[table]?.row(key) }

    /// The column of a table in the row with a key.
    func value(_ table: String, _ key: Int64, _ column: String) -> SQLiteValue? {
        guard let table = tables[table], let position = table.columns.firstIndex(of: column) else { return nil }
        return table.rows[String(key)]?[position]
    }

    /// The differences in a later reading.
    func changes(to other: StoreContents) -> [Change] {
        var result: [Change] = []
        for name in Set(tables.keys).union(other.tables.keys).sorted() {
            let (old, new) = (tables[name], other.tables[name])
            if let old, let new, old.columns == new.columns, old.text == new.text { continue }
            for key in Set((old?.rows ?? [:]).keys).union((new?.rows ?? [:]).keys)
            where old?.rows[key] != new?.rows[key] {
                result.append(Change(table: name, key: key, before: old?.row(key), after: new?.row(key)))
            }
        }
        return result
    }

    static func integrity(_ url: URL) throws -> String {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows("PRAGMA integrity_check").compactMap { $0[0].textValue }.joined(separator: "; ")
    }
}
