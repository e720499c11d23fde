// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces a store, in one transaction, by one that is filled in other schemas.

import CoreData
import Foundation
import PostgreSQLDriver

/// Exchanges the tables of entities and links. Tokens, history and metadata stay in their tables.
///
/// # States (PostgreSQL-M9)
///     old ──locks──▶ old, no writers ──side schemas are filled──▶ old and new ──tables are exchanged, COMMIT──▶ new
///      ▲                  │                                            │
///      └─ any failure, a lost connection, a kill: ROLLBACK ────────────┘   the next migration drops side schemas
///
/// A token decides whether a COMMIT without an answer is durable (PostgreSQL-M13).
struct ServerReplacement {
    private static let mostAttempts = 4
    /// Marks a side schema, so that no other schema is dropped.
    private static let mark = "OpenCoreData: a migration under way"

    let replacement: StoreReplacement
    private let settings: StoreSettings
    private let dialect: PostgreSQLDialect
    private let sessions: Sessions

    /// - Throws: 134110 for stores with tenants, and for mapped tables, which would be filled twice.
    init(_ replacement: StoreReplacement) throws {
        self.replacement = replacement
        settings = try StoreSettings(replacement.place, replacement.options)
        dialect = PostgreSQLDialect(settings)
        sessions = Sessions(settings)
        if dialect.hasTenants {
            throw refusal("The tables have rows of several tenants, and a tenant's user sees its own alone")
        }
        let entities = replacement.source.entities + replacement.destination.entities
        if try !TableMapping(entities, file: settings.mapping).isEmpty {
            throw refusal("Entities are mapped onto tables that are there, which no migration fills")
        }
    }

    private func refusal(_ reason: String) -> any Error {
        CoreDataError.migration(.migration, "\(reason).", url: settings.connection.publicURL)
    }

    /// - Returns: nil if another opener has migrated the store.
    func run() throws -> StoreReplacement.Outcome? {
        defer { sessions.close() }
        return try sessions.with(repeats: false) { connection in
            let transaction = ServerTransaction(connection: connection, sessions: sessions)
            do {
                guard let (old, tables) = try lock(transaction) else {
                    connection.rollBack(sessions.deadline)
                    return nil
                }
                let number = try fill(tables, connection)
                return try take(sideSchema(number), old, tables, transaction)
            } catch {
                connection.rollBack(sessions.deadline)
                throw error
            }
        }
    }

    // MARK: Locks

    /// From here on no client can write, and no generation reads the old rows (PostgreSQL-G2). Fetches are still
    /// possible.
    ///
    /// - Returns: nil if the store now has another version.
    private func lock(_ transaction: ServerTransaction) throws -> (metadata: [String: Any], tables: ServerRelations)? {
        var attempt = 1
        while true {
            do {
                return try lockOnce(transaction)
            } catch let error as PostgreSQLError where error.isTransient && attempt < Self.mostAttempts {
                transaction.connection.rollBack(sessions.deadline)
                attempt += 1
            }
        }
    }

    private func lockOnce(_ transaction: ServerTransaction) throws -> (
        metadata: [String: Any], tables: ServerRelations
    )? {
        let connection = transaction.connection
        // The transaction waits while the program fills the new tables.
        try transaction.execute(["BEGIN", "SET LOCAL idle_in_transaction_session_timeout = 0"])
        try transaction.lock(settings.schema)
        guard let stored = try ServerMetadata.read(connection, dialect, sessions.deadline),
            stored[NSStoreModelVersionHashesKey] as? [String: Data] == replacement.expected
        else { return nil }
        let tables = try ServerRelations(of: settings.schema, connection, sessions.deadline)
        try transaction.execute([
            "LOCK TABLE \(dialect.qualified("ocd_transaction")) IN ACCESS EXCLUSIVE MODE",
            tables.lock("SHARE", dialect),
        ])
        return (stored, tables)
    }

    // MARK: Filling

    private func sideSchema(_ number: Int) -> String {
        SnakeNames().limited("\(settings.schema) ocd migration \(number)")
    }

    private func fill(_ tables: ServerRelations, _ connection: Connection) throws -> Int {
        let hasForeignKeys = try tables.hasForeignKeys(connection, sessions.deadline)
        // A standby may be out of date, and takes no locks.
        var options = replacement.options ?? [:]
        options[NSPostgreSQLReadURLsOption] = nil
        let old = StoreReplacement.Side(place: replacement.place, options: options)
        return try replacement.fill(old) { number in
            let name = sideSchema(number)
            try makeSide(name)
            var options = options
            for key in [
                NSPostgreSQLSchemaOption, NSPersistentHistoryTrackingKey, NSFullTextIndexOption,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey,
            ] { options[key] = nil }
            options[NSPostgreSQLForeignKeysOption] = hasForeignKeys
            return StoreReplacement.Side(place: replacement.place.inSchema(name), options: options)
        }
    }

    /// Uses a separate connection, because the store that fills the schema has different ones. Drops a leftover of a
    /// killed migration.
    private func makeSide(_ name: String) throws {
        let side = try sessions.make()
        defer { side.close() }
        let transaction = ServerTransaction(connection: side, sessions: sessions)
        let quoted = dialect.quoted(name)
        let comment = try side.run(
            Statement(
                "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace WHERE nspname = $1",
                [.text(name)], isReused: false), sessions.deadline)
        if comment.rowCount > 0 {
            guard comment.first(\.text) == Self.mark else {
                throw refusal("There is a schema \(name) already, and no migration has left it")
            }
            try transaction.execute("DROP SCHEMA \(quoted) CASCADE")
        }
        try transaction.execute([
            "CREATE SCHEMA \(quoted)", "COMMENT ON SCHEMA \(quoted) IS \(PostgreSQLDialect.literal(Self.mark))",
        ])
    }

    // MARK: Exchange

    private func take(
        _ schema: String, _ old: [String: Any], _ tables: ServerRelations, _ transaction: ServerTransaction
    ) throws -> StoreReplacement.Outcome {
        let connection = transaction.connection
        let side = PostgreSQLDialect(schema: schema)
        let new = try ServerRelations(of: schema, connection, sessions.deadline)
        guard var metadata = try ServerMetadata.read(connection, side, sessions.deadline) else {
            throw refusal("The new store has no metadata")
        }
        replacement.amend(old, &metadata)
        let model = try ServerMetadata.model(connection, side, sessions.deadline)
        let rights = try tables.rights(connection, sessions.deadline)
        try transaction.execute(tables.lock("ACCESS EXCLUSIVE", dialect))
        let outcome = try keep(old, tables, transaction)
        // A view of another program that uses the tables ends the migration, and is not dropped (PostgreSQL-M1).
        try transaction.execute(
            tables.drops(dialect) + new.moves(side, to: settings.schema) + new.granting(rights, dialect))
        let token = UUID()
        _ = try connection.run(
            try ServerMetadata.change(to: metadata, model, dialect)
                + ServerHistoryTables(dialect: dialect).succession(connection.server)
                + [
                    Statement(
                        "INSERT INTO \(dialect.qualified("ocd_transaction")) (token) VALUES ($1)", [.uuid(token)],
                        isReused: false)
                ],
            sessions.deadline)
        try dropSides(transaction)
        do {
            try transaction.commit()
        } catch let error as PostgreSQLError where error.endsConnection {
            let decision = TokenDecision(
                token: token, backend: connection.backend, sessions: sessions, dialect: dialect)
            switch decision.run() {
            case .committed: break
            case .notCommitted: throw error
            case .unknown:
                throw PostgreSQLError(
                    .connection, code: "08007",
                    "Whether the store is migrated is not known yet. Open it again: it has the old version or the new "
                        + "one, whole.")
            }
        }
        return outcome
    }

    /// Copies the former rows that are wanted, while the old tables are there (PostgreSQL-M7).
    private func keep(
        _ old: [String: Any], _ tables: ServerRelations, _ transaction: ServerTransaction
    ) throws -> StoreReplacement.Outcome {
        var outcome = StoreReplacement.Outcome()
        let left = replacement.leftOut()
        guard replacement.keepsOriginal || !left.isEmpty else { return outcome }
        let schema = replacement.source.schema(of: replacement.expected, dialect)
        let store = (metadata: old, model: replacement.source)
        if replacement.keepsOriginal {
            outcome.original = try ServerCopy.keep(
                .original, of: schema, store,
                hasForeignKeys: tables.hasForeignKeys(transaction.connection, sessions.deadline), settings, transaction)
        }
        if !left.isEmpty {
            let rows = QuarantineTable(schema)
            try transaction.execute(rows.creation)
            for mapping in schema.entities {
                let keys = (left[mapping.layout.name] ?? []).map(String.init).joined(separator: ",")
                try transaction.execute(
                    rows.insertion(from: mapping.table, "SELECT unnest('{\(keys)}'::bigint[])"))
            }
            outcome.quarantine = try ServerCopy.keep(
                .quarantine, of: schema, store, rows: rows, settings, transaction)
            try transaction.execute(rows.removal)
        }
        return outcome
    }

    /// Drops all marked schemas, including those of a killed migration with more stages.
    private func dropSides(_ transaction: ServerTransaction) throws {
        for number in 0..<2 {
            let name = sideSchema(number)
            let isMarked = try transaction.connection.run(
                Statement(
                    "SELECT count(*) FROM pg_namespace WHERE nspname = $1 AND obj_description(oid, 'pg_namespace') = $2",
                    [.text(name), .text(Self.mark)], isReused: false), sessions.deadline)
            if isMarked.first(\.integer) == 1 {
                try transaction.execute("DROP SCHEMA \(dialect.quoted(name)) CASCADE")
            }
        }
    }
}
