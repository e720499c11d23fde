// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows that a script loses, refuses and writes.

import Foundation
import SQLiteDriver

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
    func scriptForNewStore() throws -> MigrationScript {
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
        return try prepare(connection).script
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
}
