// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs SQL on a connection: scripts, cached statements, and short forms for a single answer.

import CSQLite

extension Connection {
    /// Runs all statements of a text; rows are ignored.
    ///
    /// - Throws: the first failure; what stands before it has been done.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard !sql.utf8.contains(0) else {
            throw .misuse("the text holds a NUL character, where SQLite stops reading", sql: sql, path: path)
        }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: handle, code: code, sql: sql) }
    }

    /// A new statement that belongs to the caller and is not cached.
    ///
    /// - Parameter isPersistent: it will be kept and run many times.
    package func prepare(_ sql: String, isPersistent: Bool = false) throws(SQLiteError) -> Statement {
        try Statement(sql, on: handle, isPersistent: isPersistent)
    }

    /// A cached statement, ready to bind. It is the caller's for as long as it holds it.
    ///
    /// Who leaves before the last row must `reset()` it; `withStatement` does so by itself.
    package func statement(for sql: String) throws(SQLiteError) -> Statement {
        let handle = handle
        return try cache.statement(for: sql) { sql throws(SQLiteError) in
            try Statement(sql, on: handle, isPersistent: true)
        }
    }

    /// Gives a cached statement to the body, and resets it and drops its values whichever way the body ends.
    @discardableResult
    package func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
        let statement = try statement(for: sql)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        return try body(statement)
    }

    /// Runs one statement to its end.
    ///
    /// - Returns: the number of rows changed. Only meaningful for inserts, updates and deletes.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int {
        try withStatement(sql) { statement in
            try statement.bind(values)
            while try statement.step() {}
            return changes
        }
    }

    /// All rows of one statement.
    package func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        try withStatement(sql) { statement in
            try statement.bind(values)
            var rows: [[SQLiteValue]] = []
            while try statement.step() { rows.append(statement.row) }
            return rows
        }
    }

    /// The first column of the first row; nil when there is no row.
    package func value(_ sql: String, _ values: [SQLiteValue] = []) throws -> SQLiteValue? {
        try withStatement(sql) { statement in
            try statement.bind(values)
            return try statement.step() ? statement.value(at: 0) : nil
        }
    }

    /// Finalizes the cached statements that nobody holds.
    package func removeCachedStatements() {
        cache.removeAll()
    }
}
