// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQLite through its C interface, in the style of a careful programmer.

import CSystemSQLite
import Foundation

/// The differences of `raw-tuned` from `raw`.
struct RawTuning: Sendable {
    var cacheKibibytes: Int?
    var hasMutex: Bool
    var rowsPerInsert: Int
    /// Whether many look-ups share one read transaction.
    var holdsTransaction: Bool
    var groupsWithoutIndex: Bool

    /// SQLite's default settings.
    static let none = RawTuning(
        cacheKibibytes: nil, hasMutex: true, rowsPerInsert: 1, holdsTransaction: false, groupsWithoutIndex: false)
    /// The settings and statements of the framework.
    static let asFramework = RawTuning(
        cacheKibibytes: 16 * 1024, hasMutex: false, rowsPerInsert: 32, holdsTransaction: true, groupsWithoutIndex: true)
}

final class RawDatabase {
    let tuning: RawTuning
    private var handle: OpaquePointer?

    init(_ file: URL, tuning: RawTuning) throws {
        self.tuning = tuning
        let mutex = tuning.hasMutex ? SQLITE_OPEN_FULLMUTEX : SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(file.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | mutex, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        if let size = tuning.cacheKibibytes { try execute("PRAGMA cache_size = -\(size)") }
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func prepare(_ sql: String) throws -> RawStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return RawStatement(statement)
    }

    /// Runs the body in one transaction, with a rollback on failure.
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            try execute("ROLLBACK")
            throw error
        }
    }

    /// Runs the body in one read transaction, depending on the tuning.
    func reading<T>(_ body: () throws -> T) throws -> T {
        guard tuning.holdsTransaction else { return try body() }
        try execute("BEGIN")
        defer { try? execute("COMMIT") }  // nothing was written
        return try body()
    }

    private func failure(_ code: Int32) -> BenchmarkFailure {
        BenchmarkFailure("SQLite \(code): \(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "")")
    }
}

/// A prepared statement. Columns count from 0, parameters from 1.
final class RawStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { sqlite3_finalize(handle) }

    /// - Returns: whether there is a row.
    @inline(__always) func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            throw BenchmarkFailure("SQLite \(code): \(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))")
        }
    }

    /// Runs a statement without result rows, and resets it.
    @inline(__always) func run() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    @inline(__always) func reset() { sqlite3_reset(handle) }

    @inline(__always) func bind(_ number: Int64, _ place: Int32) { sqlite3_bind_int64(handle, place, number) }
    @inline(__always) func bind(_ number: Double, _ place: Int32) { sqlite3_bind_double(handle, place, number) }
    @inline(__always) func bind(_ number: Int64?, _ place: Int32) {
        if let number { sqlite3_bind_int64(handle, place, number) } else { sqlite3_bind_null(handle, place) }
    }
    @inline(__always) func bindNull(_ place: Int32) { sqlite3_bind_null(handle, place) }
    @inline(__always) func bind(_ text: String, _ place: Int32) {
        var text = text
        text.withUTF8 { bytes in
            // SQLITE_TRANSIENT: SQLite copies the bytes.
            let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(handle, place, $0.baseAddress, Int32($0.count), copy)
            }
        }
    }

    @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inline(__always) func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    @inline(__always) func integerOrNil(_ column: Int32) -> Int64? {
        let number = sqlite3_column_int64(handle, column)
        return number == 0 && sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : number
    }
    @inline(__always) func doubleOrNil(_ column: Int32) -> Double? {
        let number = sqlite3_column_double(handle, column)
        return number == 0 && sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : number
    }
    @inline(__always) func text(_ column: Int32) -> String { textOrNil(column) ?? "" }
    @inline(__always) func textOrNil(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
