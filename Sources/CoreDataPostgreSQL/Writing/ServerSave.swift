// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transaction of a save with a token, which decides a commit without an answer.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// # Steps
///     1  BEGIN · token · rows · links · constraints          one round trip
///     2  counts of rows: fewer than sent is a conflict → ROLLBACK
///     3  orders of members, if some changed                   two round trips
///     4  tokens for full-text indexes, if there are any       one round trip
///     5  the history, if there is one                         one round trip
///     6  confirm(), COMMIT                                    one round trip
///
/// The save may be repeated until `confirm()` is called (PostgreSQL-S1). The token decides a commit without an
/// answer (PostgreSQL-S2), and the answer to COMMIT is checked (PostgreSQL-S3).
struct ServerSave: SaveBackend {
    static let parks = false

    let opened: OpenServer
    let metadata: [String: Any]?
    /// The changes with dates as they were set; nil until the save is prepared.
    private var original: ChangeSet?
    private var keys = AssignedKeys()

    private var sessions: Sessions { opened.sessions }

    init(_ opened: OpenServer, metadata: [String: Any]?) { (self.opened, self.metadata) = (opened, metadata) }

    var schema: Schema { opened.schema }
    var planner: SavePlanner { opened.planner }

    func settledCommits() throws -> IndeterminateCommits<TokenDecision> {
        try opened.settleIndeterminate()
        return opened.indeterminate.withLock { $0 }
    }

    func remember(_ decision: TokenDecision, _ work: IndeterminateCommits<TokenDecision>.Work) {
        opened.indeterminate.withLock { $0.add(decision, work) }
    }

    /// Keys are reserved here, because reserving them may need a further connection.
    mutating func prepare(_ changes: ChangeSet) throws -> ChangeSet {
        original = changes
        keys = try AssignedKeys(for: changes.inserts) { try opened.keys.take($0, root: $1, sessions) }
        return opened.derived.completing(opened.placed.current(changes))
    }

    func read<T>(_ body: (ServerReader) throws -> T) throws -> T {
        try opened.readPrimary { try body(ServerReader(opened: opened, connection: $0)) }
    }

    func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? PostgreSQLError else { return false }
        return error.isTransient || error.endsConnection && error.kind != .deadline || error.code == "0A000"
    }

    func explained(_ error: any Error, _ changes: ChangeSet, _ keys: AssignedKeys) throws -> any Error {
        guard let refusal = error as? PostgreSQLError, RefusedRow.explains(refusal, opened) else { return error }
        return try RefusedRow(opened: opened, changes: changes, keys: keys, refusal: refusal).error() ?? error
    }

    // MARK: The transaction

    func transaction(_ confirm: () throws -> Bool, _ body: (inout Session) throws -> Void) throws
        -> CommitEnd<TokenDecision>
    {
        let token = UUID()
        /// Set while COMMIT is running.
        var decision: TokenDecision?
        try StopSignal.current?.check()
        do {
            return try sessions.with(repeats: false) { connection in
                do {
                    var session = Session(save: self, connection: connection, token: token)
                    // Not the commit: whether it is durable must stay certain (Limits-C3).
                    try Sessions.stoppable(connection) { try body(&session) }
                    guard try confirm() else {
                        connection.rollBack(sessions.deadline)
                        return .rolledBack
                    }
                    decision = TokenDecision(
                        token: token, backend: connection.backend, sessions: sessions, dialect: opened.dialect)
                    try commit(connection)
                    opened.placed.add(session.placed)
                    if session.leavesPending { opened.searches.indexLater(sessions) }
                    return .committed
                } catch {
                    connection.rollBack(sessions.deadline)
                    throw error
                }
            }
        } catch let error as PostgreSQLError where error.isUnique {
            throw SaveRefusal.duplicate(error)
        } catch let error as PostgreSQLError {
            guard let decision, error.endsConnection else { throw error }
            return try end(of: decision, error)
        }
    }

    /// With standbys the position comes in the same round trip (PostgreSQL-R1). The commit is durable even without it.
    private func commit(_ connection: Connection) throws {
        let position = opened.standbys?.position
        let ticket = position?.ticket
        let statements =
            [Statement("COMMIT", isReused: false)] + (position == nil ? [] : [Connection.positionQuestion])
        let (answers, _) = try connection.attempt(statements, sessions.deadline)
        if answers[0].isFailure { throw answers[0].error }
        guard answers[0].command == "COMMIT" else {
            throw PostgreSQLError(.server, code: "40000", "The server has rolled the transaction back.")
        }
        guard let position, let ticket else { return }
        if let found = answers[1].isFailure ? nil : answers[1].first(\.integer) {
            position.raise(to: found, ticket)
        } else {
            position.forget()
        }
    }

    private func end(of decision: TokenDecision, _ cause: PostgreSQLError) throws -> CommitEnd<TokenDecision> {
        switch decision.run() {
        case .committed:
            opened.standbys?.position.forget()
            return .committed
        case .notCommitted: throw cause
        case .unknown:
            return .unknown(
                decision,
                PostgreSQLError(
                    .connection, code: "08007",
                    "Whether the save is in the database is not known yet. Save again: the next "
                        + "save finds out first, and writes nothing twice."))
        }
    }

    /// Another program has migrated the store since it was opened (PostgreSQL-M5).
    struct MigratedMeanwhile: Error {}

    struct Session: SaveSession {
        let save: ServerSave
        let connection: Connection
        let token: UUID
        private(set) var placed: PlacedRows.Changes = [:]
        private(set) var records = false
        /// Whether rows of other writers have no tokens in a full-text index yet.
        private(set) var leavesPending = false
        /// The rows with derived attributes that changed.
        private var derived: [ObjectKey] = []

        init(save: ServerSave, connection: Connection, token: UUID) {
            (self.save, self.connection, self.token) = (save, connection, token)
        }

        private var opened: OpenServer { save.opened }
        private var dialect: PostgreSQLDialect { opened.dialect }
        private var deadline: Deadline { opened.sessions.deadline }

        func keys(of inserts: [ChangeSet.Insert]) -> AssignedKeys { save.keys }

        func tombstones(of deletes: [ChangeSet.Delete]) throws -> [ObjectKey: Data] {
            try opened.history?.tombstones(of: deletes, connection, deadline) ?? [:]
        }

        mutating func write(_ changes: ChangeSet, _ keys: AssignedKeys, parking: Bool) throws {
            let built = try SaveStatements(opened, changes, keys)
            // With another isolation level the history would be queried as of a moment before the token.
            var head = [Statement("BEGIN ISOLATION LEVEL READ COMMITTED"), tokenStatement(changes)]
            head.append(opened.versionQuestion)
            let question = opened.history.map { history in
                defer { head.append(history.question) }
                return head.count
            }
            let isOrdered = !built.orders.isEmpty
            // New members in mapped tables have the order key 0 until all keys are written (MappedTables-O1).
            if opened.planner.tradingUpdates(changes).count > 1 || isOrdered && !dialect.mapped.isEmpty {
                head.append(Statement("SET CONSTRAINTS ALL DEFERRED"))
            }
            let tokens = opened.searches.rows(of: changes, keys)
            if !tokens.isEmpty { head.append(opened.searches.setting) }
            var statements = head + built.statements
            if let metadata = save.metadata { statements.append(try ServerMetadata.update(metadata, dialect)) }
            let check = Statement("SET CONSTRAINTS ALL IMMEDIATE")
            let presence = statements.count
            statements += tokens.map { ServerSearches.presence(of: $0.index) }
            if !isOrdered { statements.append(check) }
            let answers = try connection.run(statements, deadline)
            guard answers[2].first(\.integer) == 1 else { throw MigratedMeanwhile() }
            for expectation in built.expectations
            where answers[head.count + expectation.statement].changes(expectation.column) != expectation.count {
                throw SaveRefusal.outdated(changes.versionedChanges)
            }
            if isOrdered {
                let places = MemberPlaces(opened: opened, connection: connection)
                for members in built.orders { try places.write(members, &placed) }
                try connection.run(check, deadline)
            }
            try write(zip(tokens, answers[presence...]).filter { $1.first(\.integer) == 1 }.map(\.0))
            derived = try opened.derived.update(changes, keys, opened, connection)
            records = question.map { answers[$0].first(\.integer) == 1 } ?? false
        }

        /// Writes the tokens of rows into the full-text indexes, in the same transaction (ServerSearch-3).
        private mutating func write(_ tokens: [TokenizedRows]) throws {
            if tokens.isEmpty { return }
            let answers = try connection.run(
                tokens.flatMap { [$0.writing, ServerSearches.pending(in: $0.index)] }, deadline)
            leavesPending = stride(from: 1, to: answers.count, by: 2).contains { answers[$0].first(\.integer) == 1 }
        }

        private func tokenStatement(_ changes: ChangeSet) -> Statement {
            Statement(
                "INSERT INTO \(dialect.qualified("ocd_transaction")) (token, author, context_name, process_id) "
                    + "VALUES ($1, $2, $3, $4)",
                [.uuid(token), .name(changes.author), .name(changes.contextName), .text(String(getpid()))])
        }

        func recompute(_ changes: ChangeSet, _ keys: AssignedKeys, into outcome: inout SaveOutcome) throws {
            outcome.recomputed = try opened.derived.recomputed(
                changes, original: save.original ?? changes, keys, derived, opened, connection)
            // Versions of mapped tables may be the server's own (MappedTables-K3).
            for row in outcome.recomputed where opened.isMapped(row.snapshot.layout) {
                outcome.versions[ObjectKey(row.snapshot.layout.rootIndex, row.key)] = row.snapshot.version
            }
        }

        func record(_ changes: RecordedChanges, _ tombstones: [ObjectKey: Data]) throws -> Int64? {
            try opened.history?.record(changes, tombstones: tombstones, connection, deadline)
        }
    }
}

extension Parameter {
    /// The name of a person or a program, without characters that the server refuses.
    static func name(_ name: String?) -> Parameter {
        name.map { .text($0.replacing("\0", with: "")) } ?? .null(TypeNumber.text)
    }
}
