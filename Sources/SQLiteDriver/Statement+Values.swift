// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Binds and reads `SQLiteValue`s of any storage class, for code that is not performance-critical.

import CSQLite
import Foundation

extension Statement {
    package func bind(_ value: SQLiteValue, at index: Int) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let data): try bind(data, at: index)
        }
    }

    /// Binds the values to the parameters 1, 2, …
    ///
    /// - Throws: `SQLITE_RANGE` if the numbers of values and parameters differ.
    package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw SQLiteError(
                extendedCode: SQLITE_RANGE, message: "\(values.count) values for \(parameterCount) parameters", sql: sql
            )
        }
        for (offset, value) in values.enumerated() {
            try bind(value, at: offset + 1)
        }
    }

    /// A column of the current row in its own storage class.
    package func value(at index: Int) -> SQLiteValue {
        switch columnType(at: index) {
        case .null: .null
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(string(at: index) ?? "")
        case .blob: .blob(data(at: index) ?? Data())
        }
    }

    /// All columns of the current row.
    package var row: [SQLiteValue] { (0..<columnCount).map(value(at:)) }
}
