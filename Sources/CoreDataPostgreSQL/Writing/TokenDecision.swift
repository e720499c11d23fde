// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out whether a transaction without an answer to its COMMIT is durable.

import CoreData
import Foundation
import PostgreSQLDriver

/// The token of a transaction, which either the transaction itself or this check can insert, but not both.
///
/// The check waits for a transaction that holds the token; if the check inserts it, the transaction can no longer
/// commit (PostgreSQL-T1, T2). Without an answer the result is unknown (PostgreSQL-T3), and so it is as long as a
/// synchronous standby lacks the transaction (PostgreSQL-T4).
struct TokenDecision: Sendable, Equatable {
    enum Answer { case committed, notCommitted, unknown }

    let token: UUID
    /// The process that served the connection.
    let backend: Int32
    let sessions: Sessions
    let dialect: PostgreSQLDialect

    static func == (one: TokenDecision, other: TokenDecision) -> Bool { one.token == other.token }

    private var table: String { dialect.qualified("ocd_transaction") }

    func run() -> Answer {
        let end = Deadline(in: max(sessions.settings.timeout, .seconds(1)))
        var pause: UInt32 = 10_000
        repeat {
            do {
                return try ask()
            } catch let error as PostgreSQLError where error.code == "55P03" || error.kind == .deadline {
                // The wait has used up the time. If the holder has ended, the answer is available, so query again at
                // once.
                if let answer = try? endHolder() { return answer }
            } catch {
                usleep(pause)
                pause = min(pause * 2, 500_000)
            }
        } while !end.isOver
        return .unknown
    }

    private func ask() throws -> Answer {
        let connection = try sessions.make()
        defer { connection.close() }
        // A token that is there is written again: a server answers a write when its synchronous standby has all before
        // it, but a query at once. A voided token may be that of an earlier check.
        let question = Statement(
            "INSERT INTO \(table) AS held (token, voided) VALUES ($1, true) "
                + "ON CONFLICT (token) DO UPDATE SET voided = held.voided RETURNING voided", [.uuid(token)],
            isReused: false)
        guard let isVoided = try connection.run(question, sessions.deadline).first(\.integer) else {
            throw PostgreSQLError(.unusable, "The server gives no answer for a token.")
        }
        return isVoided == 1 ? .notCommitted : .committed
    }

    private func endHolder() throws -> Answer {
        let connection = try sessions.make()
        defer { connection.close() }
        // The server may have reused the number for another process, which holds no lock here.
        let end = Statement(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE pid = $1 AND granted "
                + "AND relation = to_regclass($2) AND locktype = 'relation' "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [.int64(Int64(backend)), .text(table)], isReused: false)
        try connection.run(end, sessions.deadline)
        return try ask()
    }
}
