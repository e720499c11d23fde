// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Steps through rows, and reads and binds columns; the only code of this module that is inlined into callers.

public import CSQLite
public import Foundation

/// The storage class of one column of one row.
@frozen
public enum ColumnType: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

// MARK: Running

extension Statement {
    /// Moves to the next row.
    ///
    /// - Returns: true for a row, false at the end. Another call after the end runs the statement again.
    /// - Throws: SQLite's error. The statement is then reset, and its values stay bound.
    @inlinable
    public func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }
}

// MARK: Reading columns, from 0

/// The columns of a row of a statement. Null reads as 0, and as nil where the result is optional.
public protocol RowColumns {
    /// The storage class of a column.
    func columnType(at index: Int) -> ColumnType
    /// Whether a column is null.
    func isNull(at index: Int) -> Bool
    /// Null reads as 0.
    func int64(at index: Int) -> Int64
    /// Null reads as 0.
    func double(at index: Int) -> Double
    /// The UTF-8 text in SQLite's memory, valid until the next step or reset, or until the column is read as another
    /// type; nil means null.
    func textBytes(at index: Int) -> UnsafeBufferPointer<UInt8>?
    /// The blob in SQLite's memory; valid as long as `textBytes(at:)`.
    func blobBytes(at index: Int) -> UnsafeRawBufferPointer?
}

extension RowColumns {
    /// nil means null. Checks the type only if the number is 0.
    @inlinable
    public func int64IfPresent(at index: Int) -> Int64? {
        let value = int64(at: index)
        return value == 0 && isNull(at: index) ? nil : value
    }

    /// nil means null. Checks the type only if the number is 0.
    @inlinable
    public func doubleIfPresent(at index: Int) -> Double? {
        let value = double(at: index)
        return value == 0 && isNull(at: index) ? nil : value
    }

    /// nil means null. Invalid UTF-8 is replaced by U+FFFD.
    @inlinable
    public func string(at index: Int) -> String? {
        guard let bytes = textBytes(at: index) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// nil means null; an empty blob is empty data.
    @inlinable
    public func data(at index: Int) -> Data? {
        guard let bytes = blobBytes(at: index) else { return nil }
        return Data(bytes)
    }
}

/// SQLite converts values to the requested type (text "12" reads as the integer 12): call `columnType(at:)` *before*
/// reading if the storage class matters. An index outside of the row, or reading without a row, results in null.
extension Statement: RowColumns {
    /// The storage class of a column.
    @inlinable
    public func columnType(at index: Int) -> ColumnType {
        ColumnType(rawValue: sqlite3_column_type(handle, Int32(truncatingIfNeeded: index))) ?? .null
    }

    /// Whether a column is null.
    @inlinable
    public func isNull(at index: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// Null reads as 0.
    @inlinable
    public func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index))
    }

    /// Null reads as 0.
    @inlinable
    public func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: index))
    }

    /// The UTF-8 text in SQLite's memory; nil means null.
    ///
    /// Valid until the next step, the next reset, or a read of the same column as another type, and only while the
    /// caller retains the statement.
    @inlinable
    public func textBytes(at index: Int) -> UnsafeBufferPointer<UInt8>? {
        let column = Int32(truncatingIfNeeded: index)
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The blob in SQLite's memory; nil means null. Valid as long as `textBytes(at:)`.
    @inlinable
    public func blobBytes(at index: Int) -> UnsafeRawBufferPointer? {
        let column = Int32(truncatingIfNeeded: index)
        guard let start = sqlite3_column_blob(handle, column) else {
            // SQLite also returns no address for an empty blob.
            return sqlite3_column_type(handle, column) == SQLITE_NULL
                ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}

// MARK: Binding parameters, from 1

/// All of these throw `SQLITE_RANGE` for an invalid index, and `SQLITE_MISUSE` for a running statement.
extension Statement {
    /// Binds null.
    @inlinable
    public func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Binds an integer.
    @inlinable
    public func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// NaN binds as null.
    @inlinable
    public func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// SQLite copies the text.
    @inlinable
    public func bind(_ value: String, at index: Int) throws(SQLiteError) {
        var value = value
        try check(value.withUTF8 { bind(utf8: $0, at: index, keeping: Statement.copied) })
    }

    /// SQLite copies the bytes.
    @inlinable
    public func bind(_ value: Data, at index: Int) throws(SQLiteError) {
        try check(value.withUnsafeBytes { bind(bytes: $0, at: index, keeping: Statement.copied) })
    }

    /// Binds text without copying: the memory must stay valid until the statement is reset *and* the parameter
    /// is bound again.
    @inlinable
    public func bindWithoutCopying(utf8: UnsafeBufferPointer<UInt8>, at index: Int) throws(SQLiteError) {
        try check(bind(utf8: utf8, at: index, keeping: nil))
    }

    /// Binds a blob without copying: the memory must stay valid until the statement is reset *and* the parameter
    /// is bound again.
    @inlinable
    public func bindWithoutCopying(bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bind(bytes: bytes, at: index, keeping: nil))
    }

    @inlinable
    func bind(utf8: UnsafeBufferPointer<UInt8>, at index: Int, keeping: sqlite3_destructor_type?) -> Int32 {
        let parameter = Int32(truncatingIfNeeded: index)
        guard let start = utf8.baseAddress else {
            // Without an address SQLite would bind null.
            return sqlite3_bind_text(handle, parameter, "", 0, Statement.copied)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
            sqlite3_bind_text64(handle, parameter, $0, UInt64(utf8.count), keeping, UInt8(SQLITE_UTF8))
        }
    }

    @inlinable
    func bind(bytes: UnsafeRawBufferPointer, at index: Int, keeping: sqlite3_destructor_type?) -> Int32 {
        let parameter = Int32(truncatingIfNeeded: index)
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(handle, parameter, 0)
        }
        return sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), keeping)
    }

    @inlinable
    func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw failure(code) }
    }
}
