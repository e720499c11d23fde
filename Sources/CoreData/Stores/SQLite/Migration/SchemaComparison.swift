// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the tables, columns, indexes, triggers and key rows of a file with those of a new store of its model.

import Foundation
import SQLiteDriver

/// The order of columns does not count. Tables of the history, of other frameworks and of users are left out.
struct SchemaComparison {
    /// Sentences without a final point; empty for equal ones.
    var differences: [String] { leftovers + defects }
    /// The differences but for columns and tables that a new store does not have.
    let defects: [String]
    private let leftovers: [String]
    /// The statements that remove such columns and tables, each on its own.
    let removals: [String]

    init(_ schema: Schema, _ outline: DatabaseOutline) throws {
        var result: [String] = []
        var (leftovers, removals): ([String], [String]) = ([], [])
        let (wanted, indexes, triggers) = try Self.wanted(schema)
        for (table, columns) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let found = outline.columns[table] else {
                result.append("the table \(table) is missing")
                continue
            }
            let types = Dictionary(found.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
            for (column, type) in columns.sorted(by: { $0.key < $1.key }) where types[column] != type {
                result.append("\(table).\(column) is \(types[column] ?? "missing") in place of \(type)")
            }
            for column in types.keys.sorted() where columns[column] == nil {
                leftovers.append("\(table).\(column) is left over")
                removals.append(
                    "ALTER TABLE \(SchemaNaming.quoted(table)) DROP COLUMN \(SchemaNaming.quoted(column))")
            }
        }
        for table in outline.columns.keys.sorted() where wanted[table] == nil && outline.isRowTable(table) {
            leftovers.append("the table \(table) is left over")
            removals.append("DROP TABLE \(SchemaNaming.quoted(table))")
        }
        let isOwn = { (entry: SchemaEntry) in wanted[entry.tableName] != nil || entry.name.hasPrefix("Z") }
        result += Self.compare(indexes, outline.indexes.filter { wanted[$0.tableName] != nil }, "index")
        result += Self.compare(triggers, outline.triggers.filter(isOwn), "trigger")
        result += Self.keyRows(schema, outline)
        defects = result
        (self.leftovers, self.removals) = (leftovers, removals)
    }

    private typealias Columns = [String: [String: String]]

    private static func wanted(_ schema: Schema) throws -> (Columns, [String: String], [String: String]) {
        var tables: Columns = [:]
        for table in schema.tables {
            tables[table.name] = Dictionary(
                table.columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
            for column in SchemaNaming.reservedColumns { tables[table.name]?[column] = "INTEGER" }
        }
        for join in schema.joinTables {
            let names = [join.ownerColumn, join.memberColumn] + [join.ownerOrder, join.memberOrder].compactMap { $0 }
            tables[join.name] = Dictionary(names.map { ($0, "INTEGER") }, uniquingKeysWith: { first, _ in first })
        }
        let indexes = Dictionary(
            try SchemaDDL(schema: schema).indexes.compactMap { sql in IndexChange.name(sql).map { ($0, sql) } },
            uniquingKeysWith: { first, _ in first })
        let triggers = Dictionary(
            SchemaTriggers(schema: schema).statements.compactMap { sql -> (String, String)? in
                guard sql.hasPrefix("CREATE TRIGGER ") else { return nil }
                return DatabaseOutline.normalized(sql).split(separator: " ").dropFirst(2).first.map {
                    (String($0), sql)
                }
            }, uniquingKeysWith: { first, _ in first })
        return (tables, indexes, triggers)
    }

    private static func compare(_ wanted: [String: String], _ found: [SchemaEntry], _ kind: String) -> [String] {
        var result: [String] = []
        let present = Dictionary(found.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let text = present[name] else {
                result.append("the \(kind) \(name) is missing")
                continue
            }
            if DatabaseOutline.normalized(text) != DatabaseOutline.normalized(sql) {
                result.append("the \(kind) \(name) has another text")
            }
        }
        return result + present.keys.sorted().filter { wanted[$0] == nil }.map { "the \(kind) \($0) is left over" }
    }

    private static func keyRows(_ schema: Schema, _ outline: DatabaseOutline) -> [String] {
        let wanted = schema.entities.map { "\($0.number) \($0.layout.name)" }
        let found = outline.keys.filter { $0.number < StoreInventory.ownNumbers }.map { "\($0.number) \($0.name)" }
        return wanted == found ? [] : ["Z_PRIMARYKEY does not list the entities of the model"]
    }
}
