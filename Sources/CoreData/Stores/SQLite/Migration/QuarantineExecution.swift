// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the rows that cannot be migrated out of a locked store, into a store of their version.

import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// Migration-M28.
struct QuarantineExecution {
    let prepared: SQLiteMigration.Prepared
    let connection: Connection
    let url: URL
    /// The free bytes on the disk of the store; nil if the system does not report them.
    let freeBytes: Int64?

    private var source: Schema { prepared.transition.source }

    /// Finds the rows, copies them to their file, and deletes them from the tables. The caller commits or rolls back.
    ///
    /// - Returns: nil without such rows.
    func run() throws -> QuarantinedRows? {
        let script = QuarantineScript(prepared.transition, prepared.script.checks)
        try connection.execute(QuarantineTable.creation)
        defer { try? connection.execute("DROP TABLE temp.\(QuarantineTable.name)") }
        guard try select(script) else { return nil }
        let (rows, keys, counts) = try found(script)
        let before = try entityCounts(keys.keys)
        let writer = QuarantineWriter(
            source: connection, store: url, outline: prepared.outline, schema: source, keys: keys)
        try requireSpace(writer, keys.keys)
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: prepared.metadata) ?? [:]
        let file = try QuarantineFile(of: url, checksum: VersionDigest.checksum(hashes))
        do {
            var result = QuarantinedRows(
                rows: rows, file: file, identifier: prepared.metadata[NSStoreUUIDKey] as? String ?? "")
            result.files = try writer.write(to: file.url)
            result.counts = counts
            for statement in script.removal(from: Set(keys.keys), triggers: prepared.outline.triggers.map(\.name)) {
                try connection.execute(statement)
            }
            try require(before, less: counts, keys.keys)
            return result
        } catch {
            file.discard()
            throw error
        }
    }

    /// - Returns: false if every row can be migrated.
    private func select(_ script: QuarantineScript) throws -> Bool {
        for selection in script.failing { try connection.execute(selection.statement) }
        try follow(script)
        for selection in script.duplicates { try connection.execute(selection.statement) }
        try follow(script)
        return try number > 0
    }

    private var number: Int64 {
        get throws { try connection.value("SELECT COUNT(*) FROM temp.\(QuarantineTable.name)")?.integerValue ?? 0 }
    }

    private func follow(_ script: QuarantineScript) throws {
        guard !script.following.isEmpty else { return }
        var known: Int64 = 0
        while true {
            let now = try number
            if now == known { return }
            known = now
            for selection in script.following { try connection.execute(selection.statement) }
        }
    }

    // MARK: The rows

    private func found(
        _ script: QuarantineScript
    ) throws -> (rows: [QuarantinedRow], keys: [String: Set<Int64>], counts: [Int64: Int64]) {
        let names = Dictionary(
            source.entities.map { ($0.number, $0.layout.name) }, uniquingKeysWith: { first, _ in first })
        let reasons = script.reasons.map {
            ($0.code, [$0.property, $0.text].compactMap { $0 }.joined(separator: ": "))
        }
        var rows: [QuarantinedRow] = []
        var keys: [String: Set<Int64>] = [:]
        var counts: [Int64: Int64] = [:]
        try connection.withStatement("SELECT T, K, E, R FROM temp.\(QuarantineTable.name) ORDER BY T, K") { statement in
            while try statement.step() {
                let values = (0..<4).map { statement.value(at: $0).integerValue ?? 0 }
                let reason = reasons[Int(values[3])]
                rows.append(
                    QuarantinedRow(
                        entity: names[values[2]] ?? "", place: "p\(values[1])", code: reason.0, reason: reason.1))
                keys[source.tables[Int(values[0])].name, default: []].insert(values[1])
                counts[values[2], default: 0] += 1
            }
        }
        return (rows, keys, counts)
    }

    // MARK: Checks

    private func requireSpace(_ writer: QuarantineWriter, _ tables: some Sequence<String>) throws {
        let space = MigrationSpace(url: url)
        var bytes = try space.bytes(for: prepared.script, connection) + writer.bytes(space)
        for table in tables { bytes += try space.size(of: table, connection) }
        try space.require(bytes: bytes, free: freeBytes)
    }

    private func entityCounts(_ tables: some Sequence<String>) throws -> [Int64: Int64] {
        var result: [Int64: Int64] = [:]
        for table in tables {
            let query = "SELECT Z_ENT, COUNT(*) FROM \(SchemaNaming.quoted(table)) GROUP BY Z_ENT"
            for row in try connection.rows(query) { result[row[0].integerValue ?? 0] = row[1].integerValue ?? 0 }
        }
        return result
    }

    /// Migration-M30: every row is either in the store or in the file, never in both.
    private func require(
        _ before: [Int64: Int64], less counts: [Int64: Int64], _ tables: some Sequence<String>
    ) throws {
        let after = try entityCounts(tables)
        for (entity, number) in before where after[entity, default: 0] + counts[entity, default: 0] != number {
            throw ScriptFailure(
                entity: source.entities.first { $0.number == entity }?.layout.name, property: nil,
                reason: "Of \(number) rows \(after[entity, default: 0]) stayed and \(counts[entity, default: 0]) left")
        }
    }
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
