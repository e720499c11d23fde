// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the rows that cannot be migrated, and takes them out of the tables of the old version.

import Foundation

/// Works within the transaction of a migration, on any database. Migration-M28.
package struct QuarantineSelection<Connection: MigrationConnection> {
    /// Sorted by table and key.
    package private(set) var rows: [QuarantinedRow] = []
    /// By the name of their table.
    package private(set) var keys: [String: Set<Int64>] = [:]
    /// By the number of their entity in the source.
    private(set) var counts: [Int64: Int64] = [:]
    private let script: QuarantineScript
    private let source: Schema
    private let connection: Connection

    /// - Returns: nil if every row can be migrated.
    package init?(_ transition: SchemaTransition, _ checks: [ScriptCheck], _ connection: Connection) throws {
        script = QuarantineScript(transition, checks)
        source = transition.source
        self.connection = connection
        try connection.execute(script.table.creation)
        do {
            for statement in script.failing { try connection.execute(statement) }
            try follow()
            for statement in script.duplicates { try connection.execute(statement) }
            try follow()
            try read()
        } catch {
            end()
            throw error
        }
        if rows.isEmpty {
            end()
            return nil
        }
    }

    private func follow() throws {
        guard !script.following.isEmpty else { return }
        var known: Int64 = 0
        while true {
            let now = try connection.count(script.table.number)
            if now == known { return }
            known = now
            for statement in script.following { try connection.execute(statement) }
        }
    }

    private mutating func read() throws {
        let reasons = script.reasons.map {
            ($0.code, [$0.property, $0.text].compactMap { $0 }.joined(separator: ": "))
        }
        for row in try connection.integers(script.table.contents) {
            let (code, reason) = reasons[Int(row[3])]
            rows.append(
                QuarantinedRow(
                    entity: source.layout(number: row[2])?.name ?? "", place: "p\(row[1])", code: code, reason: reason))
            keys[source.tables[Int(row[0])].name, default: []].insert(row[1])
            counts[row[2], default: 0] += 1
        }
    }

    /// Takes the rows out of their tables, and the references to them out of other rows.
    ///
    /// - Throws: `ScriptFailure` if a row is neither in the store nor among these rows, or in both (Migration-M30).
    package func remove() throws {
        let tables = source.tables.filter { keys[$0.name] != nil }
        let before = try connection.rows(of: tables, in: source)
        for statement in script.removal(from: Set(keys.keys)) { try connection.execute(statement) }
        let after = try connection.rows(of: tables, in: source)
        for (entity, number) in before where after[entity, default: 0] + counts[entity, default: 0] != number {
            throw ScriptFailure(
                entity: source.layout(number: entity)?.name, property: nil,
                reason: "Of \(number) rows \(after[entity, default: 0]) stayed and \(counts[entity, default: 0]) left")
        }
    }

    /// Drops the temporary table. A transaction that has failed drops it when it is rolled back.
    package func end() { try? connection.execute(script.table.removal) }
}

extension QuarantineReason {
    /// The code of the error with which the migration would have failed for such a row.
    fileprivate var code: Int {
        switch kind {
        case .missingValue, nil: NSValidationMissingMandatoryPropertyError
        case .duplicate: NSMigrationConstraintViolationError
        case .conversion, .abstract: NSMigrationError
        }
    }
}
