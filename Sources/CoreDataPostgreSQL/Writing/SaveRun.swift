// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One save: a transaction with a token, which is repeated if that is safe, and decided if its commit is indeterminate.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// # Steps
///     1  BEGIN · token · rows · links · constraints          one round trip
///     2  counts of rows: fewer than sent is a conflict → ROLLBACK
///     3  orders of members, if some changed                   two round trips
///     4  the history, if there is one                         one round trip
///     5  confirm(), COMMIT                                    one round trip
///
/// The attempt may be repeated until `confirm()` is called (PostgreSQL-S1). The token decides a commit without an
/// answer (PostgreSQL-S2), and the answer to COMMIT is checked (PostgreSQL-S3).
struct SaveRun {
    static let mostAttempts = 4

    let store: PostgreSQLStore
    let opened: OpenServer
    /// The changes as the context has them.
    private let asked: ChangeSet
    private(set) var changes: ChangeSet
    let permit: CacheFillPermit
    let metadata: [String: Any]?
    /// Set if an earlier attempt of this save is durable.
    private var continuation: IndeterminateCommit.Continuation?

    private var dialect: PostgreSQLDialect { opened.dialect }
    private var sessions: Sessions { opened.sessions }

    init(
        _ store: PostgreSQLStore, _ opened: OpenServer, _ changes: ChangeSet, _ permit: CacheFillPermit,
        metadata: [String: Any]?
    ) {
        (self.store, self.opened, self.asked, self.changes, self.permit, self.metadata) = (
            store, opened, changes, changes, permit, metadata
        )
    }

    mutating func run(_ confirm: () throws -> Bool) throws -> SaveOutcome {
        var (original, keys) = try prepared()
        var attempt = 1
        while true {
            var isConfirmed = false
            do {
                return try once(keys, original) {
                    isConfirmed = true
                    return try confirm()
                }
            } catch let refusal as Stale {
                if attempt < Self.mostAttempts, let overtaken = continuation?.overtaken.count {
                    (original, keys) = try prepared()
                    if continuation?.overtaken.count ?? 0 > overtaken {
                        attempt += 1
                        continue
                    }
                }
                let conflicts = try conflicts(refusal)
                if !conflicts.isEmpty { return SaveOutcome(conflicts: conflicts) }
                // The other transaction has ended, so try again.
                guard attempt < Self.mostAttempts else {
                    if let error = refusal.error, RefusedRow.explains(error, opened) { throw try refused(error, keys) }
                    throw refusal.error ?? PostgreSQLError(.unusable, "The rows changed with each attempt.")
                }
            } catch let error as PostgreSQLError where !isConfirmed && Self.mayRepeat(error) {
                guard attempt < Self.mostAttempts else { throw error }
            } catch let error as PostgreSQLError where RefusedRow.explains(error, opened) {
                throw try refused(error, keys)
            }
            usleep(UInt32.random(in: 1_000...20_000) * UInt32(attempt))
            attempt += 1
        }
    }

    private func refused(_ error: PostgreSQLError, _ keys: AssignedKeys) throws -> any Error {
        try RefusedRow(opened: opened, changes: changes, keys: keys, refusal: error).error() ?? error
    }

    /// Computes the changes to write from the requested ones.
    ///
    /// - Returns: these changes without their derived values, and the keys of insertions.
    private mutating func prepared() throws -> (ChangeSet, AssignedKeys) {
        try takeUpUndecided()
        let original = changes
        changes = opened.derived.completing(opened.placed.current(changes))
        return (original, try permanentKeys())
    }

    private static func mayRepeat(_ error: PostgreSQLError) -> Bool {
        error.isTransient || error.endsConnection && error.kind != .deadline || error.code == "0A000"
    }

    /// Rows have another version, or unique values are in use.
    private struct Stale: Error {
        var error: PostgreSQLError?
    }

    // MARK: One attempt

    private func once(_ keys: AssignedKeys, _ original: ChangeSet, _ confirm: () throws -> Bool) throws -> SaveOutcome {
        let token = UUID()
        let built = try SaveStatements(opened, changes, keys)
        var outcome = SaveOutcome(permanentKeys: keys, isWritten: true)
        outcome.versions = continuation?.versions ?? [:]
        /// Set while COMMIT is running.
        var decision: TokenDecision?
        do {
            return try sessions.with(repeats: false) { connection in
                do {
                    var placed = PlacedRows.Changes()
                    let tombstones = try opened.history?.tombstones(
                        of: changes.deletes, connection, sessions.deadline)
                    let (derived, records) = try write(built, token, keys, &placed, connection)
                    outcome.recomputed = try opened.derived.recomputed(
                        changes, original: original, keys, derived, opened, connection)
                    // Versions of mapped tables may be the server's own (MappedTables-K3).
                    for row in outcome.recomputed where opened.isMapped(row.snapshot.layout) {
                        outcome.versions[ObjectKey(row.snapshot.layout.rootIndex, row.key)] = row.snapshot.version
                    }
                    if records, let tombstones {
                        outcome.transactionNumber = try opened.history?.record(
                            RecordedChanges(changes, keys), tombstones: tombstones, connection, sessions.deadline)
                    }
                    guard try confirm() else {
                        connection.rollBack(sessions.deadline)
                        return SaveOutcome()
                    }
                    decision = TokenDecision(
                        token: token, backend: connection.backend, sessions: sessions, dialect: dialect)
                    try commit(connection)
                    opened.placed.add(placed)
                    return outcome
                } catch {
                    connection.rollBack(sessions.deadline)
                    throw error
                }
            }
        } catch let error as PostgreSQLError where error.isUnique {
            throw Stale(error: error)
        } catch let error as PostgreSQLError {
            guard let decision, error.endsConnection else { throw error }
            try decide(decision, outcome, error)
            opened.standbys?.position.forget()
            return outcome
        }
    }

    /// Writes everything except the commit.
    ///
    /// - Returns: the rows with derived attributes that changed, and whether the store records its transactions.
    private func write(
        _ built: SaveStatements, _ token: UUID, _ keys: AssignedKeys, _ placed: inout PlacedRows.Changes,
        _ connection: Connection
    ) throws -> (derived: [ObjectKey], records: Bool) {
        var head = [
            // With another isolation level the history would be queried as of a moment before the token.
            Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
            Statement(
                "INSERT INTO \(dialect.qualified("ocd_transaction")) (token, author, context_name, process_id) "
                    + "VALUES ($1, $2, $3, $4)",
                [
                    .uuid(token), changes.author.map { .text($0.replacing("\0", with: "")) } ?? .null(TypeNumber.text),
                    changes.contextName.map { .text($0.replacing("\0", with: "")) } ?? .null(TypeNumber.text),
                    .text(String(getpid())),
                ]),
        ]
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
        var statements = head + built.statements
        if let metadata { statements.append(try ServerMetadata.update(metadata, dialect)) }
        let check = Statement("SET CONSTRAINTS ALL IMMEDIATE")
        if !isOrdered { statements.append(check) }
        let answers = try connection.run(statements, sessions.deadline)
        guard answers[2].first(\.integer) == 1 else { throw MigratedMeanwhile() }
        for expectation in built.expectations
        where answers[head.count + expectation.statement].changes(expectation.column) != expectation.count {
            throw Stale(error: nil)
        }
        if isOrdered {
            let places = MemberPlaces(opened: opened, connection: connection)
            for members in built.orders { try places.write(members, &placed) }
            try connection.run(check, sessions.deadline)
        }
        let derived = try opened.derived.update(changes, keys, opened, connection)
        return (derived, question.map { answers[$0].first(\.integer) == 1 } ?? false)
    }

    /// Another program has migrated the store since it was opened (PostgreSQL-M5).
    struct MigratedMeanwhile: Error {}

    /// With standbys the position comes in the same round trip (PostgreSQL-R1). The commit is durable even without it.
    private func commit(_ connection: Connection) throws {
        let position = opened.standbys?.position
        let statements =
            [Statement("COMMIT", isReused: false)] + (position == nil ? [] : [Connection.positionQuestion])
        let (answers, _) = try connection.attempt(statements, sessions.deadline)
        if answers[0].isFailure { throw answers[0].error }
        guard answers[0].command == "COMMIT" else {
            throw PostgreSQLError(.server, code: "40000", "The server has rolled the transaction back.")
        }
        guard let position else { return }
        if let found = answers[1].isFailure ? nil : answers[1].first(\.integer) {
            position.raise(to: found)
        } else {
            position.forget()
        }
    }

    // MARK: An indeterminate commit

    /// Returns if the transaction is durable.
    private func decide(_ decision: TokenDecision, _ outcome: SaveOutcome, _ cause: PostgreSQLError) throws {
        switch decision.run() {
        case .committed: return
        case .notCommitted: throw cause
        case .unknown:
            let work = IndeterminateCommits<TokenDecision>.Work(
                changes, outcome, asked: asked, after: continuation?.earlier)
            opened.indeterminate.withLock { $0.add(decision, work) }
            throw PostgreSQLError(
                .connection, code: "08007",
                "Whether the save is in the database is not known yet. Save again: the next "
                    + "save finds out first, and writes nothing twice.")
        }
    }

    /// Decides earlier indeterminate saves (P-G5).
    private mutating func takeUpUndecided() throws {
        (continuation, changes) = (nil, asked)
        try opened.settleIndeterminate()
        let commits = opened.indeterminate.withLock { $0 }
        let found = try commits.continuation(asked, opened.schema.model) { keys, root in
            try opened.readPrimary { connection in
                // Not the store's row cache, which takes the rows only if the save is accepted.
                let reader = ServerReader(opened: opened, connection: connection)
                return try reader.rows(keys, root: root)
            }
        }
        guard let found else { return }
        (continuation, changes) = (found, found.changes)
        permit.forget(found.overtaken)
    }

    // MARK: Keys

    /// Permanent keys by temporary keys, assigned in the order of insertion.
    private func permanentKeys() throws -> AssignedKeys {
        var keys = try AssignedKeys(for: changes.inserts) { try opened.keys.take($0, root: $1, sessions) }
        for (temporary, permanent) in continuation?.keys ?? [] { keys.set(permanent, for: temporary) }
        return keys
    }

    // MARK: Conflicts

    private func conflicts(_ refusal: Stale) throws -> [SaveOutcome.Conflict] {
        try opened.readPrimary { connection in
            // Versions first (StoreInterface-4).
            let stale = try ServerReader(opened: opened, connection: connection)
                .versionConflicts(changes.versionedChanges)
            if !stale.isEmpty || refusal.error == nil { return stale }
            return try ServerReader(opened: opened, connection: connection, cache: permit).uniquenessConflicts(changes)
        }
    }
}
