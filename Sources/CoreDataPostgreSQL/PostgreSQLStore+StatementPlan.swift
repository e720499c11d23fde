// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Asks the server for the plan of a statement without its values.

import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLStore: PlanTelling {
    package func plan(ofStatement statement: String) throws -> [String] {
        let opened = try opened()
        guard opened.sessions.settings.preparesStatements else {
            throw CoreDataError.storeOperation(
                "Plans of statements need prepared statements (NSPostgreSQLPreparedStatementsOption).", store: self)
        }
        do {
            return try GenericPlan(sessions: opened.sessions).lines(of: statement)
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }
}

/// The plan that the server makes for any values. Documentation/Internals/PostgreSQL.md, PostgreSQL-Q1 to Q3.
private struct GenericPlan {
    private static let longest = Duration.seconds(2)
    private static let name = "ocd_plan"

    let sessions: Sessions

    func lines(of text: String) throws -> [String] {
        // Not one of the pool: all of those may wait for the very statement (PostgreSQL-Q1).
        let connection = try sessions.make()
        defer { connection.close() }
        // Observers see only statements of the program (PostgreSQL-Q1).
        connection.onStatement = nil
        // PostgreSQL-Q2, PostgreSQL-Q3
        let deadline = Deadline(in: min(Self.longest + .seconds(1), sessions.answerTimeout))
        let milliseconds = Int64(Self.longest / .milliseconds(1))
        func statement(_ text: String) -> Statement { Statement(text, isReused: false) }
        let answers = try connection.run(
            [
                statement("BEGIN READ ONLY"), statement("SET LOCAL statement_timeout = \(milliseconds)"),
                statement("SET LOCAL plan_cache_mode = force_generic_plan"),
                statement("PREPARE \(Self.name) AS \(text)"),
                Statement(
                    "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = $1",
                    [.text(Self.name)], isReused: false),
            ], deadline)
        let count = Int(answers.last?.first(\.integer) ?? 0)
        let values = count > 0 ? "(" + Array(repeating: "NULL", count: count).joined(separator: ", ") + ")" : ""
        var lines: [String] = []
        try connection.run(statement("EXPLAIN EXECUTE \(Self.name)\(values)"), deadline)
            .forEachRow { if let line = $0[0].text { lines.append(line) } }
        return lines
    }
}
