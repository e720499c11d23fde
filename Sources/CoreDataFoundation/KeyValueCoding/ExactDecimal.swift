// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts other numbers to decimals and back, exactly.

package import Foundation

/// Foundation on Linux converts an integer to a decimal through a double, traps for an infinity, and gets the last
/// digit of one double in five wrong.
package enum ExactDecimal {
    /// The exact decimal of a number; NaN for an infinity, and for a number outside of the range of decimals.
    package static func of(_ number: NSNumber) -> Decimal {
        if let number = number as? NSDecimalNumber { return number.decimalValue }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return of(number.doubleValue) ?? .nan
        case CChar(UInt8(ascii: "Q")): return Decimal(number.uint64Value)
        default: return Decimal(number.int64Value)
        }
    }

    /// The decimal with the shortest text of a double: 0.1 is 0.1. nil outside of the range of decimals.
    package static func of(_ value: Double) -> Decimal? {
        guard value.isFinite else { return nil }
        if let integer = Int64(exactly: value) { return Decimal(integer) }
        return Decimal(string: String(value), locale: nil)
    }

    /// The text of NaN as a decimal, in files.
    package static let notANumber = "NaN"

    /// The decimal that a text of a file represents; nil for a text that is no number. `Decimal(string:)` does not read
    /// "NaN" outside of Apple's systems.
    package static func of(_ text: String) -> Decimal? {
        text == notANumber ? .nan : Decimal(string: text, locale: nil)
    }

    /// The double nearest to a number.
    package static func double(_ number: NSNumber) -> Double {
        guard let decimal = (number as? NSDecimalNumber)?.decimalValue, !decimal.isNaN else {
            return number.doubleValue
        }
        return double(decimal)
    }

    /// The double nearest to a decimal.
    package static func double(_ decimal: Decimal) -> Double {
        Double(decimal.description) ?? NSDecimalNumber(decimal: decimal).doubleValue
    }
}
