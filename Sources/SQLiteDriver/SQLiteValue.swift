// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value of one of SQLite's five storage classes, for code that is not performance-critical.

package import Foundation

/// A value as SQLite stores it.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// NaN is stored as null, because SQLite cannot represent it.
    case real(Double)
    case text(String)
    case blob(Data)

    package var isNull: Bool { self == .null }

    /// The number of an `integer`, nil for other cases.
    package var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number of a `real` or an `integer`, nil for other cases.
    package var realValue: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    package var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    package var blobValue: Data? {
        if case .blob(let value) = self { value } else { nil }
    }
}

// No nil literal: `value == nil` for an optional value would then mean "is null", but read as "is absent".
extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(stringLiteral value: String) { self = .text(value) }
}
