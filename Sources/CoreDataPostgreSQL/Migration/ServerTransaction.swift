// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transaction of a migration, as the steps that all databases share use it.

import CoreData
import Foundation
import PostgreSQLDriver

/// Its statements take as long as the tables are large, so they have no deadline (PostgreSQL-M8).
struct ServerTransaction: MigrationConnection {
    let connection: Connection
    let sessions: Sessions

    /// - Throws: `ScriptFailure` for rows that break a uniqueness constraint.
    func execute(_ statement: String) throws {
        do {
            try connection.run(Statement(statement, isReused: false), sessions.unbounded)
        } catch let error as PostgreSQLError where error.isUnique {
            throw ScriptFailure(
                entity: nil, property: nil,
                reason: "Rows have the same values where the new version wants "
                    + "unique ones (\(error.constraint ?? "a constraint"))")
        }
    }

    func execute(_ statements: [String]) throws { for statement in statements { try execute(statement) } }

    func integers(_ query: String) throws -> [[Int64]] {
        var result: [[Int64]] = []
        try connection.run(Statement(query, isReused: false), sessions.unbounded).forEachRow { row in
            result.append((0..<row.count).map { row[$0].integer ?? 0 })
        }
        return result
    }

    /// Waits until no other transaction changes the tables of the schema as a whole.
    func lock(_ schema: String) throws {
        try connection.run(
            Statement(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("ocd:" + schema)], isReused: false),
            sessions.deadline)
    }

    /// - Throws: 40000 if the server has rolled back instead (PostgreSQL-S3).
    func commit() throws {
        let answer = try connection.run(Statement("COMMIT", isReused: false), sessions.deadline)
        guard answer.command == "COMMIT" else {
            throw PostgreSQLError(.server, code: "40000", "The server has rolled the migration back.")
        }
    }
}
