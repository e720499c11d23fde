// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out whether a transaction without an answer to its COMMIT stands.

import CoreData
import Foundation
import PostgreSQLDriver

/// The token of a transaction, which only one of two can insert: the transaction itself, or this question.
///
/// The question waits for a transaction that holds the token, and fences it off where it wins (PostgreSQL-T1, T2).
/// Without an answer nothing is guessed (PostgreSQL-T3).
struct TokenDecision: Sendable {
    enum Answer { case committed, notCommitted, unknown }

    let token: UUID
    /// The process that served the connection.
    let backend: Int32
    let opened: OpenServer

    func run() -> Answer {
        let end = Deadline(in: max(opened.sessions.settings.timeout, .seconds(1)))
        var pause: UInt32 = 10_000
        repeat {
            do {
                return try ask()
            } catch {
                usleep(pause)
                pause = min(pause * 2, 500_000)
            }
        } while !end.isOver
        return .unknown
    }

    private func ask() throws -> Answer {
        let connection = try opened.sessions.make()
        defer { connection.close() }
        let table = opened.dialect.qualified("ocd_transaction")
        let question = Statement(
            "INSERT INTO \(table) (token, voided) VALUES ($1, true) ON CONFLICT (token) DO NOTHING", [.uuid(token)],
            isReused: false)
        do {
            let answer = try connection.run(question, opened.sessions.deadline)
            if answer.changes == 1 { return .notCommitted }
        } catch let error as PostgreSQLError where error.code == "55P03" {
            try connection.run(
                Statement("SELECT pg_terminate_backend($1::int)", [.int64(Int64(backend))], isReused: false),
                opened.sessions.deadline)
            throw error
        }
        // An earlier question may have taken the token.
        let answer = try connection.run(
            Statement("SELECT voided FROM \(table) WHERE token = $1", [.uuid(token)], isReused: false),
            opened.sessions.deadline)
        return answer.first(\.integer) == 1 ? .notCommitted : .committed
    }
}
