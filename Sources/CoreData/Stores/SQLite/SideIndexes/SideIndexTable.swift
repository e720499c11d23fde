// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An index in tables beside those of the rows, which triggers keep in step: of full-text search, or of values.

import SQLiteDriver

/// One index of one table of rows. A value: it runs no statement. SearchIndexes-2, 3.
protocol SideIndexTable: Equatable, Sendable {
    typealias Part = (name: String, sql: String)

    /// The indexes of a schema.
    static func wanted(by schema: Schema) -> [Self]
    /// Whether an entry of a file's schema belongs to an index of this kind.
    static func isOwn(_ name: String) -> Bool
    /// Whether a table is dropped by a separate statement, and not with another table.
    static func isDropped(_ table: SchemaEntry) -> Bool

    /// The name of the table with the rows.
    var content: String { get }
    /// The names of the columns of which the index depends.
    var columns: [String] { get }
    /// The tables, and the indexes of these tables, in the order in which they are made.
    var tables: [Part] { get }
    /// The statement after which the index knows all rows.
    var filling: String { get }
    var triggers: [Part] { get }

    /// - Throws: `SQLiteError` if this SQLite library lacks a module that the index is made of.
    func requireModule(on connection: Connection) throws
}

extension SideIndexTable {
    static func isDropped(_ table: SchemaEntry) -> Bool { true }
    func requireModule(on connection: Connection) {}

    /// The statements that make the index with all rows, and then keep it.
    var statements: [String] { tables.map(\.sql) + [filling] + triggers.map(\.sql) }

    /// Whether a file has the tables and triggers of a new index, so that the index agrees with its rows
    /// (SearchIndexes-3).
    func isKept(in entries: [SchemaEntry]) -> Bool {
        let texts = Self.texts(entries)
        return (tables + triggers).allSatisfy { part in
            texts[part.name].map { DatabaseOutline.normalized($0) == DatabaseOutline.normalized(part.sql) } ?? false
        }
    }

    private static func texts(_ entries: [SchemaEntry]) -> [String: String] {
        Dictionary(
            entries.filter { isOwn($0.name) }.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    /// The triggers and tables of such indexes in a file, whatever their form, in the order in which they are dropped.
    static func droppedEntries(of entries: [SchemaEntry]) -> [SchemaEntry] {
        let own = entries.filter { isOwn($0.name) }
        return own.filter { $0.type == "trigger" } + own.filter { $0.type == "table" && isDropped($0) }
    }

    /// The statements that remove all such indexes of a file.
    static func removals(of entries: [SchemaEntry]) -> [String] {
        droppedEntries(of: entries).map { "DROP \($0.type.uppercased()) \(SchemaNaming.quoted($0.name))" }
    }
}
