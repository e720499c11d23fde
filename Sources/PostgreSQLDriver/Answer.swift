// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The server's answer to one statement: rows of values in binary format.

import CPostgreSQL
package import Foundation

/// One value of a row. Its bytes belong to the answer, which must be retained while they are used.
package struct WireCell {
    package let start: UnsafePointer<UInt8>?
    /// -1 for null.
    package let length: Int

    @inline(__always) package var isNull: Bool { length < 0 }
    package var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: max(0, length)) }

    /// An integer of any width; nil for null and other lengths.
    package var integer: Int64? {
        guard let start else { return nil }
        let raw = UnsafeRawPointer(start)
        switch length {
        case 8: return Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
        case 1: return start[0] == 0 ? 0 : 1
        default: return nil
        }
    }

    /// A floating-point number of either width.
    package var double: Double? {
        guard let start else { return nil }
        let raw = UnsafeRawPointer(start)
        switch length {
        case 8: return Double(bitPattern: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)))
        case 4: return Double(Float(bitPattern: UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self))))
        default: return nil
        }
    }

    /// Seconds since 2001-01-01 UTC.
    package var timestamp: Double? { length == 8 ? integer.map(WireTimestamp.seconds) : nil }
    package var text: String? { isNull ? nil : String(decoding: buffer, as: UTF8.self) }
    package var data: Data? { isNull ? nil : Data(buffer) }
    package var decimal: Decimal? { isNull ? nil : WireNumeric.decimal(buffer) }
    package var uuid: UUID? {
        guard let start, length == 16 else { return nil }
        return UUID(uuid: UnsafeRawPointer(start).loadUnaligned(as: uuid_t.self))
    }
}

/// The values of one row at a time. The same memory serves all rows.
package final class CellRow {
    package let count: Int
    private let cells: UnsafeMutablePointer<ocd_pq_cell>
    /// The answer to which the row belongs, while the row is read.
    private var result: OpaquePointer?

    init(count: Int) {
        self.count = count
        cells = .allocate(capacity: max(1, count))
        cells.initialize(repeating: ocd_pq_cell(bytes: nil, length: -1), count: max(1, count))
    }

    deinit { cells.deallocate() }

    func take(_ result: OpaquePointer, _ row: Int) {
        self.result = result
        ocd_pq_cells(result, Int32(row), cells, Int32(count))
    }

    /// The type of a column; 0 for none.
    package func type(_ column: Int) -> UInt32 { result.map { ocd_pq_column_type($0, Int32(column)) } ?? 0 }

    @inline(__always) package subscript(column: Int) -> WireCell {
        let cell = cells[column]
        return WireCell(start: cell.length < 0 ? nil : cell.bytes, length: Int(cell.length))
    }
}

/// The answer to a statement: rows, or the number of changed ones.
package final class Answer {
    /// A streamed statement returns its rows in several parts, of which the last is empty.
    private(set) var parts: [OpaquePointer]

    init(_ pointer: OpaquePointer) { parts = [pointer] }

    deinit { for part in parts { ocd_pq_clear(part) } }

    /// Appends the parts of another answer.
    func append(_ other: Answer) {
        parts += other.parts
        other.parts = []
    }

    package var rowCount: Int { parts.reduce(0) { $0 + Int(ocd_pq_row_count($1)) } }
    package var columnCount: Int { Int(ocd_pq_column_count(parts[0])) }
    /// `COMMIT`, `ROLLBACK`, `UPDATE 3`: the server's tag for the executed command.
    package var command: String { parts.last.flatMap { ocd_pq_command($0) }.map { String(cString: $0) } ?? "" }
    /// The number of rows that were changed or read.
    package var changes: Int {
        parts.last.flatMap { ocd_pq_changed($0) }.flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// - Parameter column: the column of the only row that contains the number; nil for the server's count.
    package func changes(_ column: Int?) -> Int {
        guard let column else { return changes }
        var result = 0
        forEachRow { result = Int($0[column].integer ?? 0) }
        return result
    }

    /// Calls the body with each row.
    package func forEachRow(_ body: (CellRow) throws -> Void) rethrows {
        let row = CellRow(count: columnCount)
        for part in parts {
            for index in 0..<Int(ocd_pq_row_count(part)) {
                row.take(part, index)
                try body(row)
            }
        }
        withExtendedLifetime(self) {}
    }

    /// The first value of the first row.
    package func first<T>(_ value: (WireCell) -> T?) -> T? {
        guard rowCount > 0, columnCount > 0 else { return nil }
        let row = CellRow(count: columnCount)
        row.take(parts[0], 0)
        return withExtendedLifetime(self) { value(row[0]) }
    }

    var status: Int32 { parts.last.map { ocd_pq_result_status($0) } ?? Int32(OCD_PQ_FATAL_ERROR) }

    package var isFailure: Bool { status == Int32(OCD_PQ_FATAL_ERROR) }

    /// The error of a failed statement.
    package var error: PostgreSQLError {
        parts.last.flatMap { PostgreSQLError($0) }
            ?? PostgreSQLError(.connection, "The server refused the statement.")
    }
}

extension PostgreSQLError {
    /// nil for an answer that is not a failure.
    init?(_ result: OpaquePointer) {
        guard ocd_pq_result_status(result) == Int32(OCD_PQ_FATAL_ERROR) else { return nil }
        func field(_ letter: Character) -> String? {
            ocd_pq_error_field(result, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
        }
        self.init(.server, code: field("C") ?? "", field("M") ?? "The server refused the statement.")
        constraint = field("n")
        table = field("t")
        column = field("c")
        if code.isEmpty { kind = .connection }
    }
}
