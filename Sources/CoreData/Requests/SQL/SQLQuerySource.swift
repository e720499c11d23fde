// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of stores that answer SQL queries.

import Foundation

/// A store that answers SQL queries, as it is now or at one moment.
protocol SQLQuerySource: RecordSource {
    /// The names of the entities that a query reads.
    ///
    /// - Throws: a `SQLQueryError` for names that the store lacks, and for faults that show without execution.
    func entities(of query: SQLQuery) throws -> [String]

    /// The rows of a query.
    ///
    /// - Parameter kinds: the kinds of the columns.
    /// - Throws: a `SQLQueryError`, `CancellationError`, and the errors of the store.
    func rows(of query: SQLQuery, _ kinds: [SQLColumnKind], in sharedRead: SharedReadTransaction?) throws
        -> SQLQueryResult

    /// The statement as SQLite receives it, and its plan.
    func plan(of query: SQLQuery, in sharedRead: SharedReadTransaction?) throws -> SQLQueryPlan
}

/// The rows of a query.
struct SQLQueryResult {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
        case object(ObjectKey)
    }

    var columnNames: [String]
    var rows: [[Value]]
}

/// How SQLite would carry out a query. `NSManagedObjectContext.explain(_:in:)` returns it; `print` shows all of it.
public struct SQLQueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// The statement with the names of tables and columns, and a `?` for each value.
    public let sql: String
    /// The lines of SQLite's EXPLAIN QUERY PLAN, each indented by two blanks below the one it is part of.
    public let queryPlan: [String]

    /// Statement and plan as lines.
    public var description: String { (["sql: \(sql)"] + queryPlan.map { "plan: \($0)" }).joined(separator: "\n") }
}
