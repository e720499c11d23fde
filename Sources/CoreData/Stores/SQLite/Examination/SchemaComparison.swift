// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the tables, columns, indexes, triggers and key rows of a file with those of a new store of its model.

import Foundation
import SQLiteDriver

/// The order of columns is ignored. Tables of the history, of other frameworks and of users are left out, and so are
/// full-text indexes and indexes of values, which options of the store ask for.
struct SchemaComparison {
    /// Columns and tables that a new store lacks first, then all other differences.
    let details: [StoreTables.Difference]
    /// Sentences without a final point; empty for equal ones.
    var differences: [String] { details.map(\.text) }
    /// The differences without columns and tables that a new store lacks.
    var defects: [String] { details.filter { !Self.isLeftover($0.kind) }.map(\.text) }
    /// The statements that remove such columns and tables, one at a time.
    var removals: [String] { details.filter { Self.isLeftover($0.kind) }.flatMap(\.statements) }

    private static func isLeftover(_ kind: StoreTables.Difference.Kind) -> Bool {
        kind == .leftoverColumn || kind == .leftoverTable
    }

    init(_ schema: Schema, _ outline: DatabaseOutline) throws {
        typealias Difference = StoreTables.Difference
        var (result, leftovers): ([Difference], [Difference]) = ([], [])
        let (wanted, allIndexes, triggers) = try Self.wanted(schema)
        var indexes = allIndexes
        var present = outline.indexes.filter { wanted[$0.tableName] != nil }
        Self.settleJoins(schema, &indexes, &present)
        for (table, columns) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let found = outline.columns[table] else {
                result.append(
                    Difference(
                        kind: .missingTable, name: table, text: "the table \(table) is missing",
                        statements: [Self.creation(of: table, schema)].compactMap { $0 }))
                continue
            }
            let types = Dictionary(found.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
            for (column, type) in columns.sorted(by: { $0.key < $1.key }) where types[column] != type {
                let quoted = "\(SchemaNaming.quoted(table)) ADD COLUMN \(SchemaNaming.quoted(column)) \(type)"
                result.append(
                    Difference(
                        kind: types[column] == nil ? .missingColumn : .columnType, name: "\(table).\(column)",
                        text: "\(table).\(column) is \(types[column] ?? "missing") in place of \(type)",
                        statements: types[column] == nil ? ["ALTER TABLE \(quoted)"] : []))
            }
            for column in types.keys.sorted() where columns[column] == nil {
                leftovers.append(
                    Difference(
                        kind: .leftoverColumn, name: "\(table).\(column)", text: "\(table).\(column) is left over",
                        statements: [
                            "ALTER TABLE \(SchemaNaming.quoted(table)) DROP COLUMN \(SchemaNaming.quoted(column))"
                        ]))
            }
        }
        for table in outline.columns.keys.sorted() where wanted[table] == nil && outline.isRowTable(table) {
            leftovers.append(
                Difference(
                    kind: .leftoverTable, name: table, text: "the table \(table) is left over",
                    statements: ["DROP TABLE \(SchemaNaming.quoted(table))"]))
        }
        let isOwn = { (entry: SchemaEntry) in
            (wanted[entry.tableName] != nil || entry.name.hasPrefix("Z")) && !SideIndexKinds.isOwn(entry.name)
        }
        result += Self.compare(
            indexes, present, "index",
            (.missingIndex, .changedIndex, .leftoverIndex))
        result += Self.compare(
            triggers, outline.triggers.filter(isOwn), "trigger", (.missingTrigger, .changedTrigger, .leftoverTrigger))
        details = leftovers + result + Self.keyRows(schema, outline)
    }

    /// nil for the table of a spatial index.
    private static func creation(of table: String, _ schema: Schema) -> String? {
        schema.tables.first { $0.name == table }.map { SchemaDDL.create($0) }
            ?? schema.joinTables.first { $0.name == table }.map { SchemaDDL.create($0) }
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
            SchemaTriggers(schema: schema).statements.compactMap { sql in
                SchemaTriggers.name(sql).map { ($0, sql) }
            }, uniquingKeysWith: { first, _ in first })
        return (tables, indexes, triggers)
    }

    private static func compare(
        _ wanted: [String: String], _ found: [SchemaEntry], _ noun: String,
        _ kinds: (
            missing: StoreTables.Difference.Kind, changed: StoreTables.Difference.Kind,
            leftover: StoreTables.Difference.Kind
        )
    ) -> [StoreTables.Difference] {
        var result: [StoreTables.Difference] = []
        let present = Dictionary(found.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
        func note(_ kind: StoreTables.Difference.Kind, _ name: String, _ text: String, _ statements: [String]) {
            result.append(.init(kind: kind, name: name, text: "the \(noun) \(name) \(text)", statements: statements))
        }
        func drop(_ name: String) -> String { "DROP \(noun.uppercased()) \(SchemaNaming.quoted(name))" }
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let text = present[name] else {
                note(kinds.missing, name, "is missing", [sql])
                continue
            }
            if DatabaseOutline.normalized(text) != DatabaseOutline.normalized(sql) {
                note(kinds.changed, name, "has another text", [drop(name), sql])
            }
        }
        for name in present.keys.sorted() where wanted[name] == nil {
            note(kinds.leftover, name, "is left over", [drop(name)])
        }
        return result
    }

    private static func keyRows(_ schema: Schema, _ outline: DatabaseOutline) -> [StoreTables.Difference] {
        let wanted = schema.entities.map { "\($0.number) \($0.layout.name)" }
        let found = outline.keys.filter { $0.number < StoreInventory.ownNumbers }.map { "\($0.number) \($0.name)" }
        if wanted == found { return [] }
        return [
            .init(
                kind: .entityNumbers, name: "", text: "Z_PRIMARYKEY does not list the entities of the model",
                statements: [])
        ]
    }
}
