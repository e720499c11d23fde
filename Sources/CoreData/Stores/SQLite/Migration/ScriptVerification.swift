// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares a migrated database with its plan before the commit: rows, structure, and the pages of written tables.

import Foundation
import SQLiteDriver

/// Tables that were not written are not read.
struct ScriptVerification {
    /// A grouping sorts the rows, which costs as much as this many conditions.
    private static let mostConditions = 8

    let script: MigrationScript
    let destination: Schema
    /// The rows of each entity before the script, by table and old number.
    private(set) var before: [String: [Int64: Int64]] = [:]

    init(_ script: MigrationScript, _ destination: Schema, _ connection: Connection) throws {
        self.script = script
        self.destination = destination
        for table in script.written {
            guard let source = table.source, before[source] == nil else { continue }
            let numbers = Set(script.written.filter { $0.source == source }.flatMap { $0.numbers.map(\.old) })
            before[source] =
                try table.isSole ? Self.total(source, numbers, connection) : Self.counts(source, numbers, connection)
        }
    }

    /// The rows of each written table before the script, by the table's new name.
    var rowsBefore: [String: Int64] {
        Dictionary(
            script.written.map { table in
                (table.name, table.source.flatMap { before[$0] }?.values.reduce(0, +) ?? 0)
            }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Counts

    /// The count of all rows, for a table with one entity number. SQLite reads only the pages of the smallest index.
    private static func total(
        _ table: String, _ numbers: Set<Int64>, _ connection: Connection
    ) throws -> [Int64: Int64] {
        let rows = try connection.value("SELECT COUNT(*) FROM \(SchemaNaming.quoted(table))")?.integerValue ?? 0
        return Dictionary(uniqueKeysWithValues: numbers.map { ($0, rows) })
    }

    /// The row count of each number, in one pass over the table.
    private static func counts(
        _ table: String, _ numbers: Set<Int64>, _ connection: Connection
    ) throws -> [Int64: Int64] {
        let source = SchemaNaming.quoted(table)
        guard numbers.count <= mostConditions else {
            let rows = try connection.rows("SELECT Z_ENT, COUNT(*) FROM \(source) GROUP BY Z_ENT")
            return rows.reduce(into: [:]) { result, row in
                if let number = row[0].integerValue { result[number] = row[1].integerValue ?? 0 }
            }
        }
        guard !numbers.isEmpty else { return [:] }
        let sorted = numbers.sorted()
        let columns = sorted.map { "COUNT(*) FILTER (WHERE Z_ENT = \($0))" }.joined(separator: ", ")
        let row = try connection.rows("SELECT \(columns) FROM \(source)").first ?? []
        return Dictionary(uniqueKeysWithValues: zip(sorted, row.map { $0.integerValue ?? 0 }))
    }

    /// For a table with one entity, counts all rows, unless each row was to get a new number.
    private static func countsAfter(
        _ table: MigrationScript.WrittenTable, _ connection: Connection
    ) throws -> [Int64: Int64] {
        let numbers = Set(table.numbers.map(\.new))
        let isWhole = table.isSole && table.numbers.allSatisfy { $0.old == $0.new }
        return try isWhole ? total(table.name, numbers, connection) : counts(table.name, numbers, connection)
    }

    /// - Parameter allowsLeftovers: whether columns and tables that the destination lacks are ignored.
    /// - Returns: the rows of each entity in written tables, before and after.
    /// - Throws: `ScriptFailure` for the first difference.
    func run(_ connection: Connection, allowsLeftovers: Bool = false) throws -> [String: (before: Int64, after: Int64)]
    {
        var rows: [String: (Int64, Int64)] = [:]
        for table in script.written {
            let after = try Self.countsAfter(table, connection)
            for (entity, numbers) in zip(table.entities, table.numbers) {
                let expected = table.source.flatMap { before[$0]?[numbers.old] } ?? 0
                let found = after[numbers.new] ?? 0
                guard expected == found else {
                    throw ScriptFailure(
                        entity: entity, property: nil,
                        reason: "Of \(expected) rows \(found) arrived in the migrated table")
                }
                rows[entity] = (expected, found)
            }
            let defects = try connection.rows("PRAGMA quick_check(\(SchemaNaming.quoted(table.name)))")
                .compactMap { $0.first?.textValue }
            guard defects == ["ok"] else {
                throw ScriptFailure(
                    entity: nil, property: nil,
                    reason: "The migrated table \(table.name) is damaged: \(defects.first ?? "no answer")")
            }
        }
        let comparison = try SchemaComparison(destination, DatabaseOutline(connection))
        if let difference = (allowsLeftovers ? comparison.defects : comparison.differences).first {
            throw ScriptFailure(
                entity: nil, property: nil, reason: "The migrated file differs from its plan: \(difference)")
        }
        return rows
    }
}
