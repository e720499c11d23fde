// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows that a script loses, refuses and writes.

import Foundation
import SQLiteDriver

extension SQLiteMigration {
    /// Reads one consistent state of the store, which may be in use.
    func survey() throws -> MigrationSurvey {
        try SQLiteStoreFile(url: url, leavesNoTrace: leavesNoTrace).inspect(timeout: options.timeout) { inspector in
            try inspector.read {
                let prepared = try prepare(inspector)
                let space = MigrationSpace(url: url)
                return MigrationSurvey(
                    statements: prepared.statements,
                    findings: try inspector.findings(prepared.transition, prepared.script.checks),
                    costs: try inspector.costs(of: prepared.script.written, in: prepared.transition.source) {
                        try space.size(of: $0, inspector)
                    },
                    bytesNeeded: try space.bytes(for: prepared.script, inspector))
            }
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
}
