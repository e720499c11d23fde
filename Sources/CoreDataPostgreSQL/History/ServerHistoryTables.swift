// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of a history: they are created with the store, and one row says whether it records.

import CoreData
import Foundation
import PostgreSQLDriver

/// # The row of `ocd_history`
///     off ──option true──▶ on ──option false──▶ off, and the next number is skipped
/// Its lock gives transactions their numbers in the order of their commits (PostgreSQL-H1). A history is begun while no
/// save is running (PostgreSQL-H3). It names the server of the last number, because another server may not know the
/// numbers that this one gave last (PostgreSQL-F3, H4).
struct ServerHistoryTables {
    /// The numbers to skip after a failover: more than the old server can have lost (PostgreSQL-F3).
    static let gap = 1_000_001

    static let names = ["ocd_history", "ocd_history_transaction", "ocd_change", "ocd_history_reader"]

    let dialect: PostgreSQLDialect

    var head: String { dialect.qualified("ocd_history") }
    var transactions: String { dialect.qualified("ocd_history_transaction") }
    var changes: String { dialect.qualified("ocd_change") }
    var readers: String { dialect.qualified("ocd_history_reader") }

    /// The statements for a new store.
    var statements: [String] {
        [
            """
            CREATE TABLE \(head) (is_on boolean NOT NULL, last bigint NOT NULL, deleted bigint NOT NULL,
            changes bigint NOT NULL, at timestamptz NOT NULL, server text\(dialect.furtherTenantColumn)) WITH (fillfactor = 10)
            """,
            firstRow,
            """
            CREATE TABLE \(transactions) (number bigint, at timestamptz NOT NULL, author text, context_name text,
            bundle_id text NOT NULL, process_id text NOT NULL\(dialect.furtherTenantColumn), \(dialect.primaryKey("number")))
            """,
            "CREATE INDEX \(dialect.quoted("ocd_history_transaction_at_idx")) ON \(transactions) (\(dialect.tenantLead)at)",
            """
            CREATE TABLE \(changes) (number bigint, transaction bigint NOT NULL, entity text NOT NULL,
            row_id bigint NOT NULL, kind smallint NOT NULL, properties jsonb, tombstone bytea\(dialect.furtherTenantColumn),
            \(dialect.primaryKey("number")))
            """,
            "CREATE INDEX \(dialect.quoted("ocd_change_transaction_idx")) ON \(changes) "
                + "(\(dialect.tenantLead)transaction, number)",
            "CREATE TABLE \(readers) (name text, number bigint NOT NULL\(dialect.furtherTenantColumn), "
                + "\(dialect.primaryKey("name")))",
        ]
    }

    /// The row of a store, or of one tenant.
    var firstRow: String { "INSERT INTO \(head) VALUES (false, 0, 0, 0, '-infinity', NULL)" }

    /// For a new row, in the transaction that inserts it: a server that does not have this transaction has no store.
    func name(_ server: ServerMark?) -> Statement {
        Statement("UPDATE \(head) SET server = $1", [.name(server?.name)], isReused: false)
    }

    /// The next number minus the last one.
    ///
    /// - Parameter server: the parameter with the name of the connection's server; null if it is unknown.
    static func step(_ server: String) -> String {
        "CASE WHEN server = \(server) OR server IS NULL OR \(server) IS NULL THEN 1 ELSE \(gap) END"
    }

    var marks: [String] { Self.names.map { "COMMENT ON TABLE \(dialect.qualified($0)) IS 'OpenCoreData'" } }

    /// Begins or removes the history as the option requests.
    ///
    /// - Returns: whether the store has the tables of a history; a read-only store may lack them.
    func prepare(
        _ connection: Connection, wish: HistoryTrackingOption, isReadOnly: Bool, schema: String, _ sessions: Sessions
    ) throws -> Bool {
        let isThere = try exist(connection, sessions.deadline)
        if isReadOnly { return isThere }
        if isThere {
            try addServer(connection, sessions.deadline)
        } else {
            try make(connection, schema, sessions)
        }
        switch wish {
        case .unset: break
        case .on: try begin(connection, sessions)
        case .off: try remove(connection, sessions)
        }
        return true
    }

    private func exist(_ connection: Connection, _ deadline: Deadline) throws -> Bool {
        try connection.run(
            Statement("SELECT to_regclass($1) IS NOT NULL", [.text(head)], isReused: false), deadline
        ).first(\.integer) == 1
    }

    /// For a history that was created before it recorded its server (PostgreSQL-F3).
    private func addServer(_ connection: Connection, _ deadline: Deadline) throws {
        let isThere = try connection.run(
            Statement(
                "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'server')",
                [.text(head)], isReused: false), deadline)
        if isThere.first(\.integer) == 1 { return }
        try connection.run(
            Statement("ALTER TABLE \(head) ADD COLUMN IF NOT EXISTS server text", isReused: false), deadline)
    }

    /// For a store that was created before there were histories.
    private func make(_ connection: Connection, _ schema: String, _ sessions: Sessions) throws {
        try transaction(connection, sessions) {
            try connection.run(
                Statement(
                    "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("ocd:" + schema)], isReused: false),
                sessions.deadline)
            if try exist(connection, sessions.deadline) { return }
            _ = try connection.run(
                (statements + marks).map { Statement($0, isReused: false) }, sessions.deadline)
        }
    }

    /// Each save inserts its token before it queries whether there is a history, so no save is running in between.
    private func begin(_ connection: Connection, _ sessions: Sessions) throws {
        let isOn = try connection.run(Statement("SELECT is_on FROM \(head)", isReused: false), sessions.deadline)
        if isOn.first(\.integer) == 1 { return }
        try transaction(connection, sessions) {
            _ = try connection.run(
                [
                    Statement(
                        "LOCK TABLE \(dialect.qualified("ocd_transaction")) IN SHARE ROW EXCLUSIVE MODE",
                        isReused: false),
                    // Saves that the other server had recorded may have been lost, and later ones not recorded.
                    Statement(
                        "UPDATE \(head) SET last = last + \(Self.gap), deleted = last + \(Self.gap) WHERE server <> $1",
                        [.name(connection.server?.name)], isReused: false),
                    Statement(
                        "UPDATE \(head) SET is_on = true, server = coalesce($1, server)",
                        [.name(connection.server?.name)], isReused: false),
                ], sessions.deadline)
        }
    }

    /// Numbers are never reused, and all former tokens are expired.
    private func remove(_ connection: Connection, _ sessions: Sessions) throws {
        try transaction(connection, sessions) {
            _ = try connection.run(removal(connection.server, "is_on = false,", where: "is_on"), sessions.deadline)
        }
    }

    /// Restarts a history when all objects get new keys: former tokens are expired, and no number is reused
    /// (Migration-M55).
    func succession(_ server: ServerMark?) -> [Statement] { removal(server, where: "is_on OR last > 0") }

    private func removal(_ server: ServerMark?, _ change: String = "", where condition: String) -> [Statement] {
        let step = Self.step("$1")
        return [
            Statement(
                "UPDATE \(head) SET \(change) last = last + \(step), deleted = last + \(step), "
                    + "server = coalesce($1, server) WHERE \(condition)", [.name(server?.name)], isReused: false),
            Statement("DELETE FROM \(changes)", isReused: false),
            Statement("DELETE FROM \(transactions)", isReused: false),
        ]
    }

    private func transaction(_ connection: Connection, _ sessions: Sessions, _ body: () throws -> Void) throws {
        do {
            try connection.run(Statement("BEGIN", isReused: false), sessions.deadline)
            try body()
            try connection.run(Statement("COMMIT", isReused: false), sessions.deadline)
        } catch {
            connection.rollBack(sessions.deadline)
            throw error
        }
    }
}
