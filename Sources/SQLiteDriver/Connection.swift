// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One open database: how it is opened, what it knows of itself, and how it is closed.

import CSQLite
package import Foundation

/// A connection to one SQLite database, without SQLite's own mutex.
///
/// A connection and its statements are confined to one executor at a time: only one thread may be inside any of their
/// calls. It may move between threads as long as calls do not overlap. The exceptions are `interrupt()`, which any
/// thread may call, and `deinit`.
// @unchecked Sendable: confinement as above is the owner's duty; what `interrupt()` shares with `close()` is guarded by
// `interruptLock`.
package final class Connection: @unchecked Sendable {
    /// The file as it was given; nil for a database in memory.
    package let path: String?
    @exclusivity(unchecked) var cache: StatementCache
    var tracer: Tracer?
    private var database: OpaquePointer?
    private let interruptLock = NSLock()
    /// How long a call waits for the lock of another connection.
    package private(set) var busyTimeout = Duration.zero

    package struct Options: Sendable {
        package enum Access: Sendable {
            case readOnly
            /// The file must exist.
            case readWrite
            /// The file is created if it is missing; its folder is not.
            case readWriteCreate
        }

        package var access = Access.readWriteCreate
        /// How long a call waits for the lock of another connection before it throws `SQLITE_BUSY`.
        package var busyTimeout = Duration.seconds(5)
        /// Promises SQLite that nobody changes the file while it is open: no locks, no WAL, no files beside it. For
        /// read-only media; a file that does change gives wrong results.
        package var isImmutable = false
        /// Reads a database in WAL mode, log included, without making or changing any file beside it. For `readOnly`.
        package var leavesNoTrace = false
        /// How many prepared statements are kept; 0 keeps none.
        package var statementCacheCapacity = 128

        package init(
            access: Access = .readWriteCreate, busyTimeout: Duration = .seconds(5), isImmutable: Bool = false,
            leavesNoTrace: Bool = false, statementCacheCapacity: Int = 128
        ) {
            self.access = access
            self.busyTimeout = busyTimeout
            self.isImmutable = isImmutable
            self.leavesNoTrace = leavesNoTrace
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

    /// Opens a database file and reads its first page, so that a file that is none is refused here and not later.
    ///
    /// - Throws: `isCantOpen` (missing file or folder, a folder instead of a file, no rights: see `systemError`),
    ///   `isNotADatabase`, `isCorrupt`, `isBusy`, `isIOError`.
    /// - Note: a file that may be read but not written opens all the same and says so in `isReadOnly`. One that may be
    ///   written, and could not be opened for that, is refused with `isPassingOpenFailure`.
    package convenience init(path: String, options: Options = Options()) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: path.isEmpty ? "the path is empty" : "the path holds a NUL character", path: path)
        }
        // `readonly_shm`: the index of the log that another program keeps is mapped for reading alone.
        let query = options.isImmutable ? "?immutable=1" : options.leavesNoTrace ? "?readonly_shm=1" : ""
        try self.init(name: Connection.uri(forPath: path) + query, path: path, options: options)
    }

    /// Opens the file of a file URL; as `init(path:options:)`.
    package convenience init(url: URL, options: Options = Options()) throws(SQLiteError) {
        guard url.isFileURL else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: "not a file URL: \(url.absoluteString)",
                path: url.absoluteString)
        }
        try self.init(path: url.path, options: options)
    }

    /// A database in memory that no other connection sees and that ends with this one.
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
        let layer = options.leavesNoTrace && ReadingInPlace.isRegistered ? ReadingInPlace.name : nil
        let code = sqlite3_open_v2(name, &opened, flags, layer)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(of: opened, code: code, sql: nil, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        database = opened
        sqlite3_extended_result_codes(opened, 1)
        setBusyTimeout(options.busyTimeout)
        if options.access != .readOnly, isReadOnly, let path, Self.allows(path, W_OK) {
            throw notOpenedForWriting(path)
        }
        try execute("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    /// The URI that names exactly this path, whatever characters it has.
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

    /// Closes the database. Cached statements go first; a second call does nothing.
    ///
    /// - Throws: `isBusy`, naming the statement, when somebody still holds one; the connection stays open then.
    package func close() throws(SQLiteError) {
        guard let database else { return }
        cache.removeAll()
        let code = interruptLock.withLock {
            let code = sqlite3_close(database)
            if code == SQLITE_OK { self.database = nil }
            return code
        }
        // Asked only now: virtual tables (R-trees) hold statements of their own, which SQLite lets go when it closes.
        if code == SQLITE_BUSY, let open = sqlite3_next_stmt(database, nil) {
            throw SQLiteError(
                extendedCode: SQLITE_BUSY, message: "a statement is still held",
                sql: sqlite3_sql(open).map { String(cString: $0) }, path: path)
        }
        guard code == SQLITE_OK else { throw SQLiteError(of: database, code: code, sql: nil, path: path) }
        tracer = nil
    }

    deinit {
        cache.removeAll()
        // Whoever still holds a statement may go on with it; the last one closes the file. The tracer must not be
        // called by then.
        if let database {
            sqlite3_trace_v2(database, 0, nil, nil)
            sqlite3_close_v2(database)
        }
    }

    package var isOpen: Bool { database != nil }

    /// SQLite's own handle, for C code that works on the connection.
    package var handle: OpaquePointer {
        guard let database else {
            preconditionFailure("the connection to \(path ?? "a database in memory") is closed: open a new one")
        }
        return database
    }

    // MARK: State

    /// Rows that the last insert, update or delete touched, those of triggers and foreign keys not counted.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Rows touched since the connection was opened, those of triggers and foreign keys included.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// The row id of the last successful insert into a table, 0 before the first.
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    package var inTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file cannot be written, because of the access asked for or because of its rights.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction may write; asked of a connection that was opened for that, outside of a transaction.
    ///
    /// - Returns: false where the rights of the file, or of its log, allow no writing.
    /// - Throws: `isPassingOpenFailure` where they do, and SQLite has opened the log for reading alone nevertheless: it
    ///   does so after any failure to open the log for writing.
    package func mayWrite() throws(SQLiteError) -> Bool {
        if isReadOnly { return false }
        let timeout = busyTimeout
        setBusyTimeout(.zero)
        defer { setBusyTimeout(timeout) }
        do {
            try begin(.immediate)
            try rollback()
        } catch  where error.isBusy {
            return true  // somebody writes: so may we, later
        } catch  where error.isReadOnly {
            for name in logNames where Self.allows(name, F_OK) && !Self.allows(name, W_OK) { return false }
            throw notOpenedForWriting(logNames.first ?? "")
        }
        return true
    }

    /// What the rights of a file allow to the effective user, for whom SQLite opens it.
    private static func allows(_ path: String, _ mode: Int32) -> Bool {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
    }

    /// The log in WAL mode, and the file that processes share beside it.
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

    /// How many parameters one statement may have.
    package var maximumParameterCount: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

    /// Such as 3040001 for 3.40.1.
    package static var libraryVersion: Int { Int(sqlite3_libversion_number()) }

    package func setBusyTimeout(_ timeout: Duration) {
        busyTimeout = timeout
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        sqlite3_busy_timeout(handle, Int32(min(max(milliseconds.rounded(.up), 0), Double(Int32.max))))
    }

    /// Makes the statements that run now fail with `isInterrupted`. Any thread may call it.
    package func interrupt() {
        interruptLock.withLock {
            if let database { sqlite3_interrupt(database) }
        }
    }
}
