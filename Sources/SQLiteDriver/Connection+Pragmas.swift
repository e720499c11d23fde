// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and sets pragmas. Names and values are validated, because SQL cannot bind them.

import CSQLite
import Foundation

package enum JournalMode: String, Sendable {
    case delete, truncate, persist, memory, wal, off
}

package enum Synchronous: Int64, Sendable {
    case off, normal, full, extra
}

package enum AutoVacuum: Int64, Sendable {
    case none, full, incremental
}

package enum PragmaValue: Sendable, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    case integer(Int64)
    /// Letters, digits and underscores only.
    case word(String)

    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension Connection {
    /// - Returns: the first column of the first row; nil if there is no row, for example for an unknown pragma.
    /// - Throws: `SQLITE_MISUSE` unless the name is a plain identifier.
    package func pragma(_ name: String) throws -> SQLiteValue? {
        try value("PRAGMA \(Connection.checked(name))")
    }

    /// - Returns: SQLite's answer, if any (`journal_mode` returns the current mode).
    /// - Throws: `SQLITE_MISUSE` unless the name, and a value that is a word, are plain identifiers.
    @discardableResult
    package func setPragma(_ name: String, to value: PragmaValue) throws -> SQLiteValue? {
        let text =
            switch value {
            case .integer(let number): String(number)
            case .word(let word): try Connection.checked(word)
            }
        // Not cached: a pragma may take effect when it is prepared.
        let statement = try prepare("PRAGMA \(Connection.checked(name)) = \(text)")
        guard try statement.step() else { return nil }
        let answer = statement.value(at: 0)
        while try statement.step() {}
        return answer
    }

    package static func checked(_ identifier: String) throws(SQLiteError) -> String {
        let isPlain = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, let first = identifier.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else {
            throw .misuse("'\(identifier)' is no plain identifier")
        }
        return identifier
    }

    // MARK: The ones that stores use

    /// nil for an unknown mode.
    package func journalMode() throws -> JournalMode? {
        try pragma("journal_mode")?.textValue.flatMap { JournalMode(rawValue: $0.lowercased()) }
    }

    /// - Returns: the current mode. SQLite keeps the previous mode if the change is impossible (for example
    ///   WAL in memory).
    @discardableResult
    package func setJournalMode(_ mode: JournalMode) throws -> JournalMode? {
        try setPragma("journal_mode", to: .word(mode.rawValue))?.textValue.flatMap {
            JournalMode(rawValue: $0.lowercased())
        }
    }

    package func synchronous() throws -> Synchronous? {
        try pragma("synchronous")?.integerValue.flatMap(Synchronous.init(rawValue:))
    }

    package func setSynchronous(_ level: Synchronous) throws {
        try setPragma("synchronous", to: .integer(level.rawValue))
    }

    /// The page cache of this connection, in KiB. SQLite allocates it when needed.
    package func setCacheSize(kibibytes: Int) throws {
        try setPragma("cache_size", to: .integer(-Int64(kibibytes)))
    }

    package func foreignKeys() throws -> Bool { try pragma("foreign_keys")?.integerValue == 1 }

    /// Has no effect inside a transaction.
    package func setForeignKeys(_ isOn: Bool) throws {
        try setPragma("foreign_keys", to: .integer(isOn ? 1 : 0))
    }

    package func autoVacuum() throws -> AutoVacuum? {
        try pragma("auto_vacuum")?.integerValue.flatMap(AutoVacuum.init(rawValue:))
    }

    /// Takes effect before the first table is created, or with the next VACUUM.
    package func setAutoVacuum(_ mode: AutoVacuum) throws {
        try setPragma("auto_vacuum", to: .integer(mode.rawValue))
    }

    /// In bytes.
    package func pageSize() throws -> Int { try Int(pragma("page_size")?.integerValue ?? 0) }

    /// - Parameter bytes: a power of two, 512...65536. Takes effect before the first table is created, or with the next
    ///   VACUUM outside of WAL mode.
    package func setPageSize(_ bytes: Int) throws {
        try setPragma("page_size", to: .integer(Int64(bytes)))
    }

    /// A number that changes when another connection commits a change; own changes do not affect it.
    package func dataVersion() throws(SQLiteError) -> Int64 {
        let statement = try statement(for: "PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: 0) : 0
    }

    /// A number that changes when a table or an index is created or dropped, by any process.
    package func schemaVersion() throws(SQLiteError) -> Int64 {
        let statement = try statement(for: "PRAGMA schema_version")
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: 0) : 0
    }

    /// A number that changes with each commit, including those of this connection. It needs no statement, and belongs
    /// to the last transaction of this connection.
    package var fileVersion: UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// A number in the file that changes with each transaction without a WAL, by any process. Call it within a
    /// transaction. nil if it cannot be read.
    package var transactionCounter: UInt32? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let read = file.pointee.pMethods?.pointee.xRead
        else { return nil }
        var number: UInt32 = 0
        // Through SQLite's own file handle: closing another one would release all locks of the process.
        guard read(file, &number, 4, 24) == SQLITE_OK else { return nil }
        return UInt32(bigEndian: number)
    }

    // MARK: Maintenance

    package enum CheckpointMode: Sendable {
        /// As many pages as possible without waiting.
        case passive
        /// Waits for writers, then for readers to leave the WAL.
        case full
        /// As full, and the next writer starts at the front of the WAL.
        case restart
        /// As restart, and the WAL is truncated to zero bytes.
        case truncate
    }

    /// Copies the pages of the WAL into the database file.
    ///
    /// - Returns: frames in the WAL and frames copied; -1 outside of WAL mode.
    /// - Throws: `isBusy` if readers or writers did not end in time.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> (frames: Int, written: Int) {
        let mode =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var frames: Int32 = -1
        var written: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &written)
        guard code == SQLITE_OK else { throw SQLiteError(of: handle, code: code, sql: nil) }
        return (Int(frames), Int(written))
    }

    /// Copies the pages of the WAL into the database file, and waits for other connections at most for the given time.
    ///
    /// - Returns: as `checkpoint(_:)`.
    /// - Throws: as `checkpoint(_:)`. The pages that no reader needs have then been copied.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode, waiting: Duration) throws(SQLiteError) -> (
        frames: Int, written: Int
    ) {
        let before = busyTimeout
        setBusyTimeout(waiting)
        defer { setBusyTimeout(before) }
        return try checkpoint(mode)
    }

    /// The length of the WAL file in bytes; 0 without a WAL.
    package var logLength: Int64 {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0, let log = sqlite3_filename_wal(name)
        else { return 0 }
        var status = stat()
        return stat(log, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The defects of the file, one sentence each; empty for an intact file.
    ///
    /// - Parameter isQuick: omits the slow comparison of indexes with their tables.
    package func integrityCheck(isQuick: Bool = false) throws -> [String] {
        do {
            let lines = try rows(isQuick ? "PRAGMA quick_check" : "PRAGMA integrity_check").compactMap(
                \.first?.textValue)
            return lines == ["ok"] ? [] : lines
        } catch let error as SQLiteError where error.isCorrupt {
            // Some damage stops the check itself.
            return [error.message]
        }
    }
}
