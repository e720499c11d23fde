// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows that a script loses, refuses and writes.

import Foundation
import SQLiteDriver

/// A rule or a loss, and the number of rows that it concerns.
struct ScriptFinding: Sendable {
    /// A raw value of `MigrationPlan.Warning.Kind`.
    let kind: String
    let entity: String
    let property: String?
    let rows: Int64
    let text: String
}

struct MigrationSurvey {
    struct Cost {
        let table: String
        let rows: Int64
        let bytes: Int64
        let isRebuilt: Bool
    }

    var statements: [String]
    var findings: [ScriptFinding]
    var costs: [Cost]
    var bytesNeeded: Int64
}

extension MigrationSurvey {
    /// Adds a later migration of the same route. Each needs its bytes only when it begins.
    mutating func add(_ later: MigrationSurvey) {
        findings += later.findings.filter { finding in
            !findings.contains {
                ($0.kind, $0.entity, $0.property) == (finding.kind, finding.entity, finding.property)
            }
        }
        costs += later.costs
        bytesNeeded = max(bytesNeeded, later.bytesNeeded)
    }
}

extension MigrationScript {
    /// The written tables with the rows of their entities.
    ///
    /// - Parameter entities: the rows and bytes of each entity of the destination.
    func costs(_ entities: [MigrationSurvey.Cost]) -> [MigrationSurvey.Cost] {
        written.map { table in
            let own = entities.filter { table.entities.contains($0.table) }
            return MigrationSurvey.Cost(
                table: table.name, rows: own.reduce(0) { $0 + $1.rows }, bytes: own.reduce(0) { $0 + $1.bytes },
                isRebuilt: table.isRebuilt)
        }
    }
}

extension SQLiteMigration {
    /// Reads one consistent state of the store, which may be in use.
    func survey() throws -> MigrationSurvey {
        let inspector = try SQLiteStoreFile(url: url, leavesNoTrace: leavesNoTrace).inspector(timeout: options.timeout)
        defer { try? inspector.close() }
        return try inspector.read {
            let prepared = try prepare(inspector)
            let space = MigrationSpace(url: url)
            return MigrationSurvey(
                statements: prepared.statements,
                findings: try ScriptLosses(prepared.transition).all.compactMap { try finding($0, inspector) }
                    + prepared.script.checks.compactMap { try finding($0, inspector) },
                costs: try prepared.script.written.map { try cost($0, space, inspector) },
                bytesNeeded: try space.bytes(for: prepared.script, inspector))
        }
    }

    /// The script for a store without rows that was made with the source version.
    func preparedForNewStore() throws -> Prepared {
        let connection = try Connection.inMemory()
        defer { try? connection.close() }
        try SQLiteFunctions.add(to: connection)
        try SQLiteFunctions.addTriggerFunctions(to: connection, recorder: DerivedRecorder())
        let schema = Schema(model: sourceLayout, entities: Set((expected ?? [:]).keys))
        for statement in try SchemaDDL(schema: schema).statements { try connection.execute(statement) }
        for mapping in schema.entities {
            try connection.run(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, 0)",
                [.integer(mapping.number), .text(mapping.layout.name)])
        }
        let entities = schema.entities.map(\.layout.entity)
        try StoreMetadata.write(
            StoreMetadata.make(entities: entities, identifiers: [], identifier: UUID().uuidString), to: connection)
        return try prepare(connection)
    }

    private func cost(
        _ table: MigrationScript.WrittenTable, _ space: MigrationSpace, _ connection: Connection
    ) throws -> MigrationSurvey.Cost {
        let source = table.source ?? table.name
        let rows = try connection.value("SELECT COUNT(*) FROM \(SchemaNaming.quoted(source))")?.integerValue ?? 0
        return MigrationSurvey.Cost(
            table: table.name, rows: rows, bytes: try space.size(of: source, connection), isRebuilt: table.isRebuilt)
    }

    private func finding(_ loss: ScriptLoss, _ connection: Connection) throws -> ScriptFinding? {
        let rows = try connection.value(loss.query)?.integerValue ?? 0
        guard rows > 0 else { return nil }
        let subject = [loss.entity, loss.property].compactMap { $0 }.joined(separator: ".")
        return ScriptFinding(
            kind: loss.kind.rawValue, entity: loss.entity, property: loss.property, rows: rows,
            text: "\(subject): \(rows) row\(rows == 1 ? "" : "s") \(loss.effect).")
    }

    private func finding(_ check: ScriptCheck, _ connection: Connection) throws -> ScriptFinding? {
        let rows = try connection.value(check.query)?.integerValue ?? 0
        guard rows > 0 else { return nil }
        let subject = [check.entity, check.property].compactMap { $0 }.joined(separator: ".")
        return ScriptFinding(
            kind: check.kind == .abstract ? ScriptCheck.Kind.missingValue.rawValue : check.kind.rawValue,
            entity: check.entity, property: check.property, rows: rows,
            text: "\(subject): \(check.reason) (\(rows) row\(rows == 1 ? "" : "s")).")
    }

    /// Translates SQLite's errors during a migration; a full disk and a lock keep their codes.
    static func translated(_ error: any Error, _ url: URL) -> any Error {
        guard let failure = error as? SQLiteError else {
            let cause = error as NSError
            let passing = [
                CocoaError.Code.fileWriteOutOfSpace.rawValue, NSPersistentStoreTimeoutError, NSMigrationError,
                NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError, NSMigrationCancelledError,
            ]
            if cause.domain == NSCocoaErrorDomain, passing.contains(cause.code) { return cause }
            return CoreDataError.migrationFailed(url, cause: cause)
        }
        if failure.isInterrupted { return CoreDataError.migrationCancelled(url) }
        if failure.isConstraint {
            return CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    CocoaError.Code(rawValue: NSMigrationConstraintViolationError), entity: nil, attribute: nil,
                    reason: "constraint violation during attempted migration",
                    underlying: SQLiteStoreErrors.underlying(failure)))
        }
        let cause = SQLiteStoreErrors.opening(failure, url: url)
        if failure.isBusy { return cause }
        return CoreDataError.migrationFailed(url, cause: cause as NSError)
    }
}
