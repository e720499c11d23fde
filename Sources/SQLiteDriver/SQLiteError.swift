// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An error of SQLite with its file and statement, and properties that classify it.

import CSQLite
import Foundation

/// A failure that SQLite reported.
///
/// It never contains bound values, which may be private. Public because inlinable members of `Statement` throw it.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067).
    package let extendedCode: Int32
    package let message: String
    /// The failed SQL with placeholders, without values. nil if no statement was involved.
    package let sql: String?
    /// The database file; nil for databases in memory.
    package let path: String?
    /// The `errno` of a failed open, read or write; 0 if it is unknown.
    package let systemError: Int32
    /// The place of a fault in `sql`, in UTF-8 bytes; nil if it is unknown.
    package let offset: Int?

    package init(
        extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil, systemError: Int32 = 0,
        offset: Int? = nil
    ) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
        self.systemError = systemError
        self.offset = offset
    }

    /// The last failure of a connection. Create it before any other use of the handle.
    init(of database: OpaquePointer?, code: Int32, sql: String?, path: String? = nil) {
        // The message belongs to the connection's latest call; if that was another one, only the code is reliable.
        let isDescribed = database != nil && sqlite3_errcode(database) & 0xFF == code & 0xFF
        let extended = isDescribed ? sqlite3_extended_errcode(database) : code
        let text = isDescribed ? sqlite3_errmsg(database) : sqlite3_errstr(code)
        let asksSystem = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_AUTH].contains(code & 0xFF)
        let offset = isDescribed ? ocd_sqlite_error_offset(database) : -1
        self.init(
            extendedCode: extended,
            message: text.map { String(cString: $0) } ?? "unknown error",
            sql: sql,
            path: path ?? database.flatMap(SQLiteError.path(of:)),
            systemError: isDescribed && asksSystem ? sqlite3_system_errno(database) : 0,
            offset: offset < 0 ? nil : Int(offset))
    }

    private static func path(of database: OpaquePointer) -> String? {
        guard let name = sqlite3_db_filename(database, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// An invalid call that was detected before calling SQLite.
    static func misuse(_ message: String, sql: String? = nil, path: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, sql: sql, path: path)
    }

    /// Another program has the database open, which SQLite's locks do not show.
    package static func inUse(path: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_BUSY, message: "another program has the database open", path: path)
    }

    /// The primary result code, such as `SQLITE_CONSTRAINT` (19).
    package var code: Int32 { extendedCode & 0xFF }

    /// Another connection holds the lock; a later call may succeed.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// The disk or the quota of the file is full.
    package var isFull: Bool { code == SQLITE_FULL }
    /// A commit with this error may be durable: without a WAL it ends with a write or a sync of the journal.
    package var leavesCommitInDoubt: Bool { isIOError || isFull }
    /// The shared-memory file of a database in WAL mode could not grow.
    package var lacksRoomForSharedMemory: Bool { extendedCode == SQLITE_IOERR | (19 << 8) }
    /// A file ends before the page that was read, as a truncated file does.
    package var isShortRead: Bool { extendedCode == SQLITE_IOERR | (2 << 8) }
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }
    /// The file, its folder or the connection is read-only.
    package var isReadOnly: Bool { code == SQLITE_READONLY }
    /// The file was renamed or removed after the connection had opened it.
    package var isMoved: Bool { extendedCode == SQLITE_READONLY | (4 << 8) }
    /// A virtual table, such as one of full-text search, needs a part that this SQLite library was built without.
    package var lacksModule: Bool {
        code == SQLITE_ERROR && (message.hasPrefix("no such module") || message.hasPrefix("no such tokenizer"))
    }
    /// The tables of a virtual table, such as one of full-text search, contradict each other.
    package var isCorruptVirtualTable: Bool { extendedCode == SQLITE_CORRUPT | (1 << 8) }
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    /// A unique index or a primary key already holds the value.
    package var isUniqueConstraint: Bool {
        extendedCode == SQLITE_CONSTRAINT | (8 << 8) || extendedCode == SQLITE_CONSTRAINT | (6 << 8)
            || extendedCode == SQLITE_CONSTRAINT | (10 << 8)
    }
    package var isCantOpen: Bool { code == SQLITE_CANTOPEN }
    /// A temporary failure of the operating system: too many open files in the process or the system, or no memory.
    package var isPassingOpenFailure: Bool { isCantOpen && [EMFILE, ENFILE, ENOMEM].contains(systemError) }
    package var isIOError: Bool { code == SQLITE_IOERR }
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }
    /// The statement is nested too deep or too long for SQLite, or has too many values or tables.
    package var isAboutLimits: Bool {
        if isTooBig { return true }
        let messages = [
            "parser stack overflow", "Expression tree is too large", "too many SQL variables", "too many terms",
            "tables in a join",
        ]
        return code == SQLITE_ERROR && messages.contains { message.contains($0) }
    }
    /// The text or blob exceeds SQLite's size limit.
    package var isTooBig: Bool { code == SQLITE_TOOBIG }
    /// SQLite or a virtual table refuses the statement. Also the code for a newer file format, and for a schema with
    /// features that this version of SQLite lacks.
    package var isGeneric: Bool { code == SQLITE_ERROR }
    /// A value has another type than an operation takes.
    package var isMismatch: Bool { code == SQLITE_MISMATCH }

    /// The result code and message, then the statement, file and system error, if known. Contains no bound values.
    public var description: String {
        var text = "SQLite error \(extendedCode): \(message)"
        if let sql { text += " – in: \(sql)" }
        if let path { text += " – file: \(path)" }
        if systemError != 0 { text += " – system error \(systemError)" }
        return text
    }
}
