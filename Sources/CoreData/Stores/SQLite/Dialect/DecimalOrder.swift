// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Bytes that are compared as numbers of any number of digits are.

import Foundation
import SQLiteDriver

/// SQLite compares numbers with numbers and texts with texts, so values with all digits of a decimal, some of them
/// texts, need keys to be sorted: the sign, the place of the first digit, the digits.
enum DecimalOrder {
    private static let (negativeInfinity, negative, zero, positive, infinity): (UInt8, UInt8, UInt8, UInt8, UInt8) = (
        0x20, 0x40, 0x80, 0xC0, 0xE0
    )

    /// nil for null, for NaN, and for what is no number.
    static func key(_ value: SQLiteValue) -> Data? {
        switch value {
        case .integer(let number): key(String(number))
        case .real(let number):
            number.isInfinite
                ? Data([number < 0 ? negativeInfinity : infinity])
                // The decimal that it represents, as for `ExactDecimal`.
                : key(Int64(exactly: number).map { String($0) } ?? String(number))
        case .text(let text): key(text)
        case .null, .blob: nil
        }
    }

    /// The key of a constant; null for NaN.
    static func key(_ value: ColumnValue) -> ColumnValue {
        let key: Data? =
            switch value {
            case .decimal(let number): key(number.description)
            default: key(value.sqlite)
            }
        return key.map { .bytes($0) } ?? .null
    }

    /// - Parameter text: the number in decimal digits, possibly with a point and an exponent.
    private static func key(_ text: String) -> Data? {
        guard let number = Digits(text) else { return nil }
        if number.digits.isEmpty { return Data([zero]) }
        let place = UInt16(clamping: number.place + 0x8000)
        let bytes = [UInt8(place >> 8), UInt8(place & 0xFF)] + number.digits
        // Of two negative numbers that begin alike, the one with more digits is less.
        return number.isNegative ? Data([negative] + bytes.map { ~$0 } + [0xFF]) : Data([positive] + bytes)
    }

    /// A number as 0.d₁d₂… · 10ᵖˡᵃᶜᵉ, without zeros at either end of its digits.
    private struct Digits {
        var isNegative = false
        var digits: [UInt8] = []
        var place = 0

        init?(_ text: String) {
            var bytes = text.utf8[...]
            if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                isNegative = sign == UInt8(ascii: "-")
                bytes = bytes.dropFirst()
            }
            guard bytes.contains(where: Self.isDigit) else { return nil }
            var isFraction = false
            while let byte = bytes.popFirst() {
                switch byte {
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "e"), UInt8(ascii: "E"):
                    guard let exponent = Int(Substring(bytes)), exponent.magnitude < 0x4000 else { return nil }
                    place += exponent
                    bytes = bytes.suffix(0)
                case let byte where Self.isDigit(byte):
                    if !isFraction { place += 1 }
                    digits.append(byte)
                default: return nil
                }
            }
            let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
            digits.removeFirst(leading)
            place -= leading
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    }
}
