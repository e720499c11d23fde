// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One open database: opening, properties and closing.

import CSQLite
package import Foundation

/// A connection to one SQLite database, without SQLite's own mutex.
///
/// A connection and its statements are confined to one executor at a time: only one thread may be inside any of their
/// calls. It may move between threads as long as calls do not overlap. The exceptions are `interrupt()`, which is
/// thread-safe, and `deinit`.
// @unchecked Sendable: the owner ensures the confinement; `interruptLock` guards the state that `interrupt()`
// shares with `close()`.
package final class Connection: @unchecked Sendable {
    /// The given path of the file; nil for a database in memory.
    package let path: String?
    @exclusivity(unchecked) var cache: StatementCache
    var tracer: Tracer?
    var watch: Watch?
    /// Whether the rollback of a transaction failed.
    var hasFailedTransaction = false
    /// nil until the first read in WAL mode.
    var walIndexHeader: WALIndexHeader?
    private var database: OpaquePointer?
    private let interruptLock = NSLock()
    let lockWait = LockWait()

    package struct Options: Sendable {
        package enum Access: Sendable {
            case readOnly
            /// The file must exist.
            case readWrite
            /// A missing file is created; a missing folder is not.
            case readWriteCreate
        }

        package var access = Access.readWriteCreate
        /// The time that a call waits for the lock of another connection before it throws `SQLITE_BUSY`.
        package var busyTimeout = Duration.seconds(5)
        /// Guarantees that the file does not change while it is open: no locks, no WAL, no companion files. For
        /// read-only media; if the file does change, results are wrong.
        package var isImmutable = false
        /// Reads a database in WAL mode including its WAL, without creating or changing any companion file. For
        /// `readOnly`.
        package var leavesNoTrace = false
        /// Keeps its locks until it is closed, and in WAL mode locks the whole file at its first read: then it needs no
        /// index of the WAL in a file.
        package var keepsLocks = false
        /// The greatest number of cached statements; 0 turns the cache off.
        package var statementCacheCapacity = 128

        package init(
            access: Access = .readWriteCreate, busyTimeout: Duration = .seconds(5), isImmutable: Bool = false,
            leavesNoTrace: Bool = false, keepsLocks: Bool = false, statementCacheCapacity: Int = 128
        ) {
            self.access = access
            self.busyTimeout = busyTimeout
            self.isImmutable = isImmutable
            self.leavesNoTrace = leavesNoTrace
            self.keepsLocks = keepsLocks
            self.statementCacheCapacity = statementCacheCapacity
        }

        var flags: Int32 {
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    // MARK: Opening

    /// Opens a database file and reads its first page, so that an invalid file is rejected here.
    ///
    /// - Throws: `isCantOpen` (a missing file or folder, a folder instead of a file, no access rights: see
    ///   `systemError`), `isNotADatabase`, `isCorrupt`, `isBusy`, `isIOError`.
    /// - Note: a file that is readable but not writable is opened with `isReadOnly`. A writable file that could not be
    ///   opened for writing is rejected with `isPassingOpenFailure`.
    package convenience init(path: String, options: Options = Options()) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: path.isEmpty ? "the path is empty" : "the path holds a NUL character", path: path)
        }
        // `readonly_shm`: maps the WAL index of another program read-only.
        let query = options.isImmutable ? "?immutable=1" : options.leavesNoTrace ? "?readonly_shm=1" : ""
        try self.init(name: Connection.uri(forPath: path) + query, path: path, options: options)
    }

    /// Opens the file of a file URL; see `init(path:options:)`.
    package convenience init(url: URL, options: Options = Options()) throws(SQLiteError) {
        guard url.isFileURL else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: "not a file URL: \(url.absoluteString)",
                path: url.absoluteString)
        }
        try self.init(path: url.path, options: options)
    }

    /// A database in memory, private to this connection.
    package static func inMemory(options: Options = Options()) throws(SQLiteError) -> Connection {
        try Connection(name: ":memory:", path: nil, options: options)
    }

    private init(name: String, path: String?, options: Options) throws(SQLiteError) {
        self.path = path
        cache = StatementCache(capacity: options.statementCacheCapacity)
        guard sqlite3_threadsafe() != 0 else {
            throw .misuse("this SQLite was built without thread support", path: path)
        }
        var opened: OpaquePointer?
        let flags = options.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let layer = options.leavesNoTrace && ReadOnlyVFS.isRegistered ? ReadOnlyVFS.name : nil
        let code = sqlite3_open_v2(name, &opened, flags, layer)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(of: opened, code: code, sql: nil, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        database = opened
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_limit(opened, SQLITE_LIMIT_VARIABLE_NUMBER, Self.mostParameters)
        setBusyTimeout(options.busyTimeout)
        if options.access != .readOnly, isReadOnly, let path, Self.allows(path, W_OK) {
            throw notOpenedForWriting(path)
        }
        if options.keepsLocks { try execute("PRAGMA locking_mode = exclusive") }
        try execute("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    /// The URI of exactly this path, whatever characters it contains.
    static func uri(forPath path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                uri += byte < 16 ? "%0" : "%"
                uri += String(byte, radix: 16, uppercase: true)
            }
        }
        return uri
    }

    // MARK: Closing

    /// Closes the database after its cached statements. A second call does nothing.
    ///
    /// - Throws: `isBusy`, naming the statement, if a statement is in use; the connection then stays open.
    package func close() throws(SQLiteError) {
        guard let database else { return }
        cache.removeAll()
        walIndexHeader = nil
        let code = interruptLock.withLock {
            let code = sqlite3_close(database)
            if code == SQLITE_OK { self.database = nil }
            return code
        }
        // Checked only now: virtual tables (R-trees) own statements that SQLite finalizes when it closes.
        if code == SQLITE_BUSY, let open = sqlite3_next_stmt(database, nil) {
            throw SQLiteError(
                extendedCode: SQLITE_BUSY, message: "a statement is still held",
                sql: sqlite3_sql(open).map { String(cString: $0) }, path: path)
        }
        guard code == SQLITE_OK else { throw SQLiteError(of: database, code: code, sql: nil, path: path) }
        (tracer, watch) = (nil, nil)
    }

    deinit {
        cache.removeAll()
        // Statements in use stay valid; the last one closes the file. Tracer, watch and `lockWait` must not be called
        // by then.
        if let database {
            sqlite3_trace_v2(database, 0, nil, nil)
            sqlite3_busy_timeout(database, Int32(lockWait.timeout / .milliseconds(1)))
            sqlite3_progress_handler(database, 0, nil, nil)
            sqlite3_close_v2(database)
        }
    }

    package var isOpen: Bool { database != nil }

    /// SQLite's handle, for C code that uses the connection.
    package var handle: OpaquePointer {
        guard let database else {
            preconditionFailure("the connection to \(path ?? "a database in memory") is closed: open a new one")
        }
        return database
    }

    // MARK: State

    /// The number of rows that the last insert, update or delete changed, without those of triggers and foreign keys.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows changed since the connection was opened, including those of triggers and foreign keys.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// The row id of the last successful insert, 0 before the first.
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    package var inTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file cannot be written, because of the requested access or its access rights.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction may write. Call it outside of a transaction, on a connection opened for writing.
    ///
    /// - Returns: false if the access rights of the file or its log forbid writing.
    /// - Throws: `isPassingOpenFailure` if they allow it and SQLite nevertheless opened the log read-only, as it does
    ///   after any failure to open the log for writing.
    package func mayWrite() throws(SQLiteError) -> Bool {
        if isReadOnly { return false }
        let timeout = busyTimeout
        setBusyTimeout(.zero)
        defer { setBusyTimeout(timeout) }
        do {
            try begin(.immediate)
            try rollback()
        } catch  where error.isBusy {
            return true  // another connection writes, so this one may as well
        } catch  where error.isReadOnly {
            for name in logNames where Self.allows(name, F_OK) && !Self.allows(name, W_OK) { return false }
            throw notOpenedForWriting(logNames.first ?? "")
        }
        return true
    }

    /// Checks the access rights for the effective user, because SQLite opens files with that identity.
    private static func allows(_ path: String, _ mode: Int32) -> Bool {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
    }

    /// The log in WAL mode, and its shared-memory file.
    private var logNames: [String] {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return [] }
        let database = String(cString: name)
        return [database + "-wal", database + "-shm"]
    }

    private func notOpenedForWriting(_ file: String) -> SQLiteError {
        SQLiteError(
            extendedCode: SQLITE_CANTOPEN, message: "\(file) may be written, and could be opened for reading alone",
            path: path, systemError: EMFILE)
    }

    /// While SQLite prepares a statement, it compares each value of a condition with those before it, so the time grows
    /// with the square of their number: less than a second for 4,000, a minute for 40,000. With this limit SQLite
    /// refuses a longer statement, like one that is nested too deeply.
    private static let mostParameters: Int32 = 4_000

    /// The greatest number of parameters of one statement.
    package var maximumParameterCount: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

    /// For example 3040001 for 3.40.1.
    package static var libraryVersion: Int { Int(sqlite3_libversion_number()) }

    /// Makes running statements fail with `isInterrupted`. Thread-safe.
    package func interrupt() {
        interruptLock.withLock {
            if let database { sqlite3_interrupt(database) }
        }
    }
}
