// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs SQL on a connection: scripts, cached statements, and shorthand for single results.

import CSQLite

extension Connection {
    /// Runs all statements of a text; rows are ignored.
    ///
    /// - Throws: the first failure. The statements before it have taken effect.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard !sql.utf8.contains(0) else {
            throw .misuse("the text holds a NUL character, where SQLite stops reading", sql: sql, path: path)
        }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: handle, code: code, sql: sql) }
    }

    /// Prepares a statement that is not cached.
    ///
    /// - Parameter isPersistent: whether the statement will be kept and run many times.
    package func prepare(_ sql: String, isPersistent: Bool = false) throws(SQLiteError) -> Statement {
        try Statement(sql, on: handle, isPersistent: isPersistent)
    }

    /// A cached statement, ready to bind, for exclusive use while the caller retains it.
    ///
    /// A caller that does not step to the last row must `reset()` it; `withStatement` does so itself.
    package func statement(for sql: String) throws(SQLiteError) -> Statement {
        let handle = handle
        return try cache.statement(for: sql) { sql throws(SQLiteError) in
            try Statement(sql, on: handle, isPersistent: true)
        }
    }

    /// Calls the body with a cached statement. Resets the statement and its bindings afterwards, also after an error.
    @discardableResult
    package func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
        let statement = try statement(for: sql)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        return try body(statement)
    }

    /// Runs one statement to completion.
    ///
    /// - Returns: the number of changed rows, for inserts, updates and deletes.
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

    /// The first column of the first row; nil if there is no row.
    package func value(_ sql: String, _ values: [SQLiteValue] = []) throws -> SQLiteValue? {
        try withStatement(sql) { statement in
            try statement.bind(values)
            return try statement.step() ? statement.value(at: 0) : nil
        }
    }

    /// Finalizes the unused cached statements.
    package func removeCachedStatements() {
        cache.removeAll()
    }
}
