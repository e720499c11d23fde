// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The arguments and results of SQL functions written in Swift.

import CSQLite
import Foundation

/// The arguments of one call, read in SQLite's memory. Valid only during the call.
package struct FunctionArguments {
    package let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        self.values = values
    }

    package subscript(index: Int) -> SQLiteValue {
        let value = handle(index)
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(textBytes(index).map { String(decoding: $0, as: UTF8.self) } ?? "")
        case SQLITE_BLOB:
            guard let start = sqlite3_value_blob(value) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: Int(sqlite3_value_bytes(value))))
        default: return .null
        }
    }

    package func isNull(_ index: Int) -> Bool { sqlite3_value_type(handle(index)) == SQLITE_NULL }
    package func isText(_ index: Int) -> Bool { sqlite3_value_type(handle(index)) == SQLITE_TEXT }
    /// Null reads as 0.
    package func int64(_ index: Int) -> Int64 { sqlite3_value_int64(handle(index)) }
    /// Null reads as 0.
    package func double(_ index: Int) -> Double { sqlite3_value_double(handle(index)) }
    /// nil means null; a number is converted to text.
    package func textBytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        SQLiteDriver.textBytes(handle(index))
    }

    private func handle(_ index: Int) -> OpaquePointer? {
        precondition(
            index >= 0 && index < count, "argument \(index) of a function called with \(count): check 'count' first")
        return values?[index]
    }
}

func textBytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
    guard let start = sqlite3_value_text(value) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
}

/// Receives the result of one call.
struct FunctionResult {
    private let context: OpaquePointer?

    init(_ context: OpaquePointer?) { self.context = context }

    func set(_ value: Int64?) {
        if let value { sqlite3_result_int64(context, value) } else { sqlite3_result_null(context) }
    }

    func set(_ value: SQLiteValue) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else {
                    return sqlite3_result_text(context, "", 0, Statement.copied)
                }
                start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_result_text64(context, $0, UInt64(bytes.count), Statement.copied, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
                sqlite3_result_blob64(context, start, UInt64(bytes.count), Statement.copied)
            }
        }
    }

    func fail(_ error: any Error) {
        let cause = error as? SQLiteError
        sqlite3_result_error(context, cause?.message ?? String(describing: error), -1)
        // After the message, which sets the general code.
        if let cause { sqlite3_result_error_code(context, cause.extendedCode) }
    }
}
