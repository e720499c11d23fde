// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A prepared statement: its lifetime, properties and errors.

import CSQLite

/// One SQL statement, prepared.
///
/// Bind (indexes from 1), step until `step()` returns false, read columns (indexes from 0) after each true, then
/// `reset()`. An unfinished statement that was not reset keeps its read transaction, and with it old pages of the WAL.
/// Confined like its connection. It may outlive the connection object; the file then stays open.
///
/// Binding, stepping and reading are in `Statement+Columns.swift`: they run once per row or column and are
/// inlined into callers.
public final class Statement {
    @usableFromInline let handle: OpaquePointer
    /// For `presentRow`. Here because a global constant is checked at each use whether it is there already.
    @usableFromInline let valueSize = Statement.valueSize

    /// - Parameter isPersistent: whether the statement will be kept, so that SQLite uses the heap instead of the
    ///   small lookaside memory.
    init(_ sql: String, on database: OpaquePointer, isPersistent: Bool) throws(SQLiteError) {
        var sql = sql
        var prepared: OpaquePointer?
        var rest = 0
        let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let (code, hasNUL) = sql.withUTF8 { text -> (Int32, Bool) in
            guard let start = text.baseAddress else { return (SQLITE_OK, false) }
            return start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(database, start, Int32(clamping: text.count), flags, &prepared, &tail)
                rest = tail.map { $0 - start } ?? text.count
                return (code, text.contains(0))
            }
        }
        guard code == SQLITE_OK else { throw SQLiteError(of: database, code: code, sql: sql) }
        guard let prepared else { throw .misuse("there is no statement in the text", sql: sql) }
        handle = prepared
        guard !hasNUL else { throw .misuse("the text holds a NUL character, where SQLite stops reading", sql: sql) }
        guard Statement.isBlank(sql.utf8.dropFirst(rest), on: database) else {
            throw .misuse("there is more than one statement in the text: use execute(_:)", sql: sql)
        }
    }

    deinit { sqlite3_finalize(handle) }

    /// The prepared text with placeholders.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// Whether running it changes nothing in the database file.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether it is between the first `step()` and the end or `reset()`.
    package var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
    }

    /// Makes the statement ready to run again. Bound values stay.
    package func reset() {
        // The result repeats the error that step() has already thrown.
        sqlite3_reset(handle)
    }

    /// Sets all parameters to null and frees the copies of bound texts and blobs.
    package func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    /// Builds the error of a failed call. A failed step also ends the run, so that no lock remains.
    @usableFromInline @inline(never)
    func failure(_ code: Int32) -> SQLiteError {
        let error = SQLiteError(of: sqlite3_db_handle(handle), code: code, sql: sql)
        sqlite3_reset(handle)
        return error
    }

    /// Whether only spaces and comments follow. SQLite itself decides, because it defines the syntax of comments.
    private static func isBlank(_ tail: Substring.UTF8View.SubSequence, on database: OpaquePointer) -> Bool {
        guard tail.contains(where: { !" \t\r\n;".utf8.contains($0) }) else { return true }
        var next: OpaquePointer?
        defer { sqlite3_finalize(next) }
        return sqlite3_prepare_v3(database, String(decoding: tail, as: UTF8.self), -1, 0, &next, nil) == SQLITE_OK
            && next == nil
    }
}
