// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row that a statement is at, read without a search for each column.

public import CSQLite

/// The values of the present row of a statement, valid until the next step. A call for a column finds the statement,
/// its row and the column, and looks for errors; a call for a value only reads it.
///
/// Assumption: SQLite keeps the values of a row one after the other in memory, and one thread at a time uses the
/// connection. `Statement.valueSize` finds out how far they are apart. If they are not equally far apart, and with
/// `OCD_PORTABLE`, each column is read through its statement.
@frozen
public struct PresentRow {
    @usableFromInline let first: UnsafeRawPointer
    @usableFromInline let size: Int

    @inlinable
    init(first: UnsafeRawPointer, size: Int) {
        self.first = first
        self.size = size
    }

    @inlinable
    func value(_ index: Int) -> OpaquePointer { OpaquePointer(first + index &* size) }
}

extension PresentRow: RowColumns {
    /// The storage class of a column.
    @inlinable
    public func columnType(at index: Int) -> ColumnType {
        ColumnType(rawValue: sqlite3_value_type(value(index))) ?? .null
    }

    /// Whether a column is null.
    @inlinable
    public func isNull(at index: Int) -> Bool { sqlite3_value_type(value(index)) == SQLITE_NULL }

    /// Null reads as 0.
    @inlinable
    public func int64(at index: Int) -> Int64 { sqlite3_value_int64(value(index)) }

    /// Null reads as 0.
    @inlinable
    public func double(at index: Int) -> Double { sqlite3_value_double(value(index)) }

    /// nil means null.
    @inlinable
    public func textBytes(at index: Int) -> UnsafeBufferPointer<UInt8>? {
        let value = value(index)
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// nil means null; an empty blob is an empty buffer.
    @inlinable
    public func blobBytes(at index: Int) -> UnsafeRawBufferPointer? {
        let value = value(index)
        guard let start = sqlite3_value_blob(value) else {
            // SQLite also returns no address for an empty blob.
            return sqlite3_value_type(value) == SQLITE_NULL ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

extension Statement {
    /// The present row; nil where each column has to be read through the statement. Columns that the row
    /// does not have must not be read.
    @inlinable
    public var presentRow: PresentRow? {
        guard valueSize > 0, let first = sqlite3_column_value(handle, 0) else { return nil }
        return PresentRow(first: UnsafeRawPointer(first), size: valueSize)
    }

    /// The distance of two values of a row; 0 if it is not always the same. Found once, by a statement with more
    /// columns than most tables have.
    static let valueSize: Int = {
        #if OCD_PORTABLE
            return 0
        #else
            let columns = 64
            var database: OpaquePointer?
            var statement: OpaquePointer?
            defer {
                sqlite3_finalize(statement)
                sqlite3_close(database)
            }
            let sql = "SELECT " + (0..<columns).map { "'value \($0)'" }.joined(separator: ", ")
            guard sqlite3_open(":memory:", &database) == SQLITE_OK,
                sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW
            else { return 0 }
            let places = (0..<Int32(columns)).map { Int(bitPattern: sqlite3_column_value(statement, $0)) }
            let size = places[1] - places[0]
            return size > 0 && zip(places.dropFirst(), places).allSatisfy { $0 - $1 == size } ? size : 0
        #endif
    }()
}
