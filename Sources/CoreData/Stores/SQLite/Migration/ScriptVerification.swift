// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares a migrated database with its plan before the commit: rows, structure, and the pages of written tables.

import Foundation
import SQLiteDriver

/// Tables that were not written cost nothing here.
struct ScriptVerification {
    let script: MigrationScript
    let destination: Schema
    /// The rows of each entity before the script, by table and old number.
    private(set) var before: [String: [Int64: Int64]] = [:]

    init(_ script: MigrationScript, _ destination: Schema, _ connection: Connection) throws {
        self.script = script
        self.destination = destination
        for table in script.written {
            guard let source = table.source, before[source] == nil else { continue }
            before[source] = try Self.counts(source, connection)
        }
    }

    /// The rows of each written table before the script, by the table's new name.
    var rowsBefore: [String: Int64] {
        Dictionary(
            script.written.map { table in
                (table.name, table.source.flatMap { before[$0] }?.values.reduce(0, +) ?? 0)
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func counts(_ table: String, _ connection: Connection) throws -> [Int64: Int64] {
        var result: [Int64: Int64] = [:]
        for row in try connection.rows("SELECT Z_ENT, COUNT(*) FROM \(SchemaNaming.quoted(table)) GROUP BY Z_ENT") {
            if let number = row[0].integerValue { result[number] = row[1].integerValue ?? 0 }
        }
        return result
    }

    /// - Parameter allowsLeftovers: whether columns and tables without a place in the destination are no difference.
    /// - Returns: the rows of each entity in written tables, before and after.
    /// - Throws: `ScriptFailure` for the first difference.
    func run(_ connection: Connection, allowsLeftovers: Bool = false) throws -> [String: (before: Int64, after: Int64)]
    {
        var rows: [String: (Int64, Int64)] = [:]
        for table in script.written {
            let after = try Self.counts(table.name, connection)
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
