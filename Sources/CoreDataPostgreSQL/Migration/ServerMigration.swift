// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store in one transaction, while no other client uses its tables.

import CoreData
import Foundation
import PostgreSQLDriver

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-M1 to M8.
struct ServerMigration {
    private static let mostAttempts = 4

    let migration: StatementMigration
    let settings: StoreSettings
    private let dialect: PostgreSQLDialect
    private let sessions: Sessions

    init(_ migration: StatementMigration) throws {
        self.migration = migration
        settings = try StoreSettings(migration.place, migration.options)
        dialect = PostgreSQLDialect(settings)
        sessions = Sessions(settings)
        if dialect.hasTenants {
            throw ScriptFailure(
                entity: nil, property: nil,
                reason:
                    "The tables have rows of several tenants, and a tenant's user sees its own alone. Migrate them as "
                    + "a user with BYPASSRLS, by statements of your own")
        }
    }

    /// - Returns: nil if another opener has migrated the store.
    func run() throws -> StatementMigration.Outcome? {
        defer { sessions.close() }
        if let outcome = try runMapped() { return outcome }
        let parts = try migration.script(dialect)
        var attempt = 1
        /// The time until which a server that went down is waited for.
        var end: Deadline?
        while true {
            do {
                return try sessions.with(repeats: false) { connection in
                    do {
                        return try once(parts, connection)
                    } catch {
                        connection.rollBack(sessions.deadline)
                        throw error
                    }
                }
            } catch let error as PostgreSQLError where Self.mayRepeat(error) {
                let limit = end ?? Deadline(in: settings.timeout)
                if error.endsConnection { end = limit }
                guard attempt < Self.mostAttempts || error.endsConnection && !limit.isOver else { throw error }
                if attempt > 1 { usleep(100_000) }
                attempt += 1
            }
        }
    }

    /// The statements for the current tables, and the rows that they write, lose and refuse. The store may be in use.
    func survey() throws -> MigrationSurvey {
        defer { sessions.close() }
        if try !TableMapping(migration.target.entities, file: settings.mapping).isEmpty {
            return MigrationSurvey(statements: [], findings: [], costs: [], bytesNeeded: 0)
        }
        let parts = try migration.script(dialect)
        return try sessions.with(repeats: true) { connection in
            let transaction = ServerTransaction(connection: connection, sessions: sessions)
            // One state of the store, which a query generation's lock keeps in its version (PostgreSQL-G2).
            try transaction.execute([
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                "LOCK TABLE \(dialect.qualified("ocd_transaction")) IN ACCESS SHARE MODE",
            ])
            defer { connection.rollBack(sessions.deadline) }
            let script = ServerScript(
                parts: parts, hasForeignKeys: try hasForeignKeys(parts, connection), dialect: dialect)
            let costs = try transaction.costs(of: parts.written, in: parts.transition.source) { table in
                let name = PostgreSQLDialect.literal(dialect.qualified(table))
                return try transaction.integers("SELECT pg_total_relation_size(\(name))")[0][0]
            }
            return MigrationSurvey(
                statements: try script.statements, findings: try transaction.findings(parts.transition, parts.checks),
                costs: costs, bytesNeeded: costs.reduce(0) { $0 + $1.bytes })
        }
    }

    /// The statements for the tables of a new store of the source version.
    func scriptForNewStore() throws -> MigrationScript {
        defer { sessions.close() }
        let parts = try migration.script(dialect)
        return try sessions.with(repeats: true) { connection in
            let relations = try ServerRelations(of: settings.schema, connection, sessions.deadline)
            let script = ServerScript(
                parts: parts, hasForeignKeys: try relations.hasForeignKeys(connection, sessions.deadline),
                dialect: dialect)
            return MigrationScript(statements: try script.statements, written: parts.written)
        }
    }

    /// Mapped tables are never altered: if all tables are mapped, only the version of the store changes
    /// (MappedTables-T3). Opening compares the new version with them.
    ///
    /// - Returns: nil for a store that created tables itself.
    private func runMapped() throws -> StatementMigration.Outcome? {
        let mapping = try TableMapping(migration.target.entities, file: settings.mapping)
        if mapping.isEmpty { return nil }
        guard migration.target.entities.allSatisfy(mapping.isMapped) else {
            throw CoreDataError.migration(
                .migration,
                "Some of its entities are mapped onto tables that are there, and others are not: that is not supported.",
                url: settings.connection.publicURL)
        }
        return try sessions.with(repeats: true) { connection in
            let stored = try ServerMetadata.read(connection, dialect, sessions.deadline) ?? [:]
            var metadata = ServerMetadata.version(stored, migration.target.entities, migration.target.model)
            migration.amend(&metadata, 0)
            let statements = try ServerMetadata.change(to: metadata, migration.target.model, dialect)
            _ = try connection.run(
                [Statement("BEGIN", isReused: false)] + statements + [Statement("COMMIT", isReused: false)],
                sessions.deadline)
            return StatementMigration.Outcome()
        }
    }

    /// After a lost connection the store has the old version or, if only the answer to COMMIT is lost, the new one:
    /// then the next attempt finds nothing to do (PostgreSQL-M1).
    private static func mayRepeat(_ error: PostgreSQLError) -> Bool {
        error.isTransient || error.endsConnection && error.kind != .deadline
    }

    private func once(_ parts: TableScript, _ connection: Connection) throws -> StatementMigration.Outcome? {
        let transaction = ServerTransaction(connection: connection, sessions: sessions)
        try transaction.execute("BEGIN")
        // Queried from the server, because with a pooler libpq knows a different number.
        var backend = Backend(number: 0, begun: 0)
        try connection.run(
            Statement(
                "SELECT pid, extract(epoch FROM backend_start)::float8 FROM pg_stat_activity "
                    + "WHERE pid = pg_backend_pid()", isReused: false), sessions.deadline
        ).forEachRow { backend = Backend(number: $0[0].integer ?? 0, begun: $0[1].double ?? 0) }
        let process = backend
        connection.patience = (sessions.answerTimeout, { isAtWork(process) })
        defer { connection.patience = nil }
        try transaction.lock(settings.schema)
        guard let stored = try ServerMetadata.read(connection, dialect, sessions.deadline),
            stored[NSStoreModelVersionHashesKey] as? [String: Data] == migration.expected
        else {
            connection.rollBack(sessions.deadline)
            return nil
        }
        let hasForeignKeys = try hasForeignKeys(parts, connection)
        let locked = ServerScript(parts: parts, hasForeignKeys: hasForeignKeys, dialect: dialect).locked
        try transaction.execute("LOCK TABLE \(locked.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
        if !migration.quarantines { try check(parts, transaction) }
        var outcome = StatementMigration.Outcome()
        let source = parts.transition.source
        let former = (metadata: stored, model: migration.source)
        if migration.keepsOriginal {
            outcome.original = try ServerCopy.keep(
                .original, of: source, former, hasForeignKeys: hasForeignKeys, settings, transaction)
        }
        try SearchSettlement(schema: source, dialect: dialect, connection: connection, sessions: sessions)
            .leaveToNextOpening()
        let before = try transaction.rows(of: source.tables, in: source)
        if migration.quarantines { try quarantine(parts, former, &outcome, transaction) }
        let script = ServerScript(
            parts: parts, hasForeignKeys: hasForeignKeys, dialect: dialect, losesRows: outcome.quarantined != nil)
        outcome.statements = try script.statements
        try transaction.execute(outcome.statements)
        try computeDerived(script, connection)
        outcome.rows = try verified(before, outcome.quarantined, parts, transaction)
        var metadata = ServerMetadata.version(stored, migration.target.entities, migration.target.model)
        migration.amend(&metadata, outcome.rows.values.reduce(0) { $0 + $1.after })
        _ = try connection.run(
            try ServerMetadata.change(to: metadata, migration.target.model, dialect), sessions.deadline)
        try transaction.commit()
        return outcome
    }

    private func check(_ parts: TableScript, _ transaction: ServerTransaction) throws {
        if let failure = try transaction.failure(of: parts.checks) { throw failure }
    }

    /// Moves the rows that cannot be migrated to a store of their version, in another schema (PostgreSQL-M7).
    private func quarantine(
        _ parts: TableScript, _ store: (metadata: [String: Any], model: NSManagedObjectModel),
        _ outcome: inout StatementMigration.Outcome, _ transaction: ServerTransaction
    ) throws {
        if let selection = try QuarantineSelection(parts.transition, parts.checks, transaction) {
            // A table with checks that wait for the end of the transaction cannot be altered.
            try transaction.execute("SET CONSTRAINTS ALL IMMEDIATE")
            outcome.quarantine = try ServerCopy.keep(
                .quarantine, of: parts.transition.source, store, rows: QuarantineTable(parts.transition.source),
                settings,
                transaction)
            try selection.remove()
            selection.end()
            outcome.quarantined = QuarantinedRows(
                selection, identifier: store.metadata[NSStoreUUIDKey] as? String ?? "")
        }
        try check(parts, transaction)
    }

    /// Whether a silent server is still working (PostgreSQL-M8). If not, the answer was lost, and the transaction is
    /// ended, because it would otherwise wait for its next statement forever.
    private func isAtWork(_ backend: Backend) -> Bool {
        // If there is no answer, keep waiting: detecting a dead connection is left to the system.
        guard let watcher = try? sessions.make() else { return true }
        defer { watcher.close() }
        let silence = Double(sessions.answerTimeout / .seconds(1))
        let question = Statement(
            "SELECT count(*) FROM pg_stat_activity WHERE \(Backend.condition) AND (state = 'active' "
                + "OR clock_timestamp() - state_change < make_interval(secs => $3))",
            backend.values + [.double(silence)], isReused: false)
        guard let found = try? watcher.run(question, sessions.deadline).first(\.integer) else { return true }
        if found > 0 { return true }
        _ = try? watcher.run(
            Statement(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(Backend.condition)", backend.values,
                isReused: false), sessions.deadline)
        return false
    }

    /// A process of the server. Its number may be reused after it has ended.
    private struct Backend {
        let number: Int64
        /// Seconds since 1970.
        let begun: Double

        static let condition = "pid = $1 AND extract(epoch FROM backend_start)::float8 = $2"
        var values: [Parameter] { [.int64(number), .double(begun)] }
    }

    // MARK: Queries

    /// Whether the store was created with foreign keys.
    private func hasForeignKeys(_ parts: TableScript, _ connection: Connection) throws -> Bool {
        let schema = parts.transition.source
        let keys = try ServerTables(schema: schema, dialect: dialect, hasForeignKeys: true).rules.filter {
            $0.kind == .foreignKey
        }
        let answer = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_constraint AS c JOIN pg_namespace AS n ON n.oid = c.connamespace "
                    + "WHERE n.nspname = $1 AND c.contype = 'f' AND c.conname = ANY($2)",
                [.text(settings.schema), .texts(keys.map(\.name))], isReused: false), sessions.deadline)
        return (answer.first(\.integer) ?? 0) > 0
    }

    /// The rows of each entity before and after, by its new name (Migration-M30).
    ///
    /// - Throws: `ScriptFailure` if a row was lost.
    private func verified(
        _ before: [Int64: Int64], _ quarantined: QuarantinedRows?, _ parts: TableScript,
        _ transaction: ServerTransaction
    ) throws -> [String: (before: Int64, after: Int64)] {
        let destination = parts.transition.destination
        let after = try transaction.rows(of: destination.tables, in: destination)
        var result: [String: (before: Int64, after: Int64)] = [:]
        for entity in parts.transition.entities where !entity.destination.layout.isAbstract {
            let name = entity.destination.layout.name
            let rows = (before[entity.oldNumber] ?? 0, after[entity.newNumber] ?? 0)
            let left = quarantined?.counts[entity.oldNumber] ?? 0
            guard rows.0 == rows.1 + left else {
                throw ScriptFailure(
                    entity: name, property: nil,
                    reason: "\(rows.0) rows became \(rows.1) rows, and \(left) were left: this is a defect")
            }
            result[name] = rows
        }
        return result
    }

    /// Computes the derived attributes that no statement can compute.
    private func computeDerived(_ script: ServerScript, _ connection: Connection) throws {
        let roots = script.derived.computedRoots
        if roots.isEmpty { return }
        let schema = script.parts.transition.destination
        let derived = try DerivedValues(schema: schema, entities: migration.target.entities)
        let opened = OpenServer(
            schema: schema, dialect: dialect, sessions: sessions, isReadOnly: false, keys: KeyBlocks([:]),
            derived: derived, history: nil, news: CommitNotices(sessions, identifier: ""), tellsOthers: false,
            version: Data())
        try derived.computeAll(below: roots, opened, connection)
    }
}
