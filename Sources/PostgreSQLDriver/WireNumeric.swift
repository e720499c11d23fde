// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decimal numbers in the server's format: digits to the base of ten thousand.

package import Foundation

package enum WireNumeric {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    package static func bytes(_ value: Decimal) -> [UInt8] {
        if value.isNaN { return encoded([], weight: 0, sign: notANumber, scale: 0) }
        var text = Substring(value.description)
        let isNegative = text.first == "-"
        if isNegative { text = text.dropFirst() }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        var whole = String(parts[0])
        whole = String(repeating: "0", count: (4 - whole.count % 4) % 4) + whole
        let rest = String(fraction) + String(repeating: "0", count: (4 - fraction.count % 4) % 4)
        var digits = groups(whole) + groups(rest)
        var weight = whole.count / 4 - 1
        while digits.first == 0 {
            digits.removeFirst()
            weight -= 1
        }
        while digits.last == 0 { digits.removeLast() }
        return encoded(
            digits, weight: digits.isEmpty ? 0 : weight, sign: isNegative ? negative : 0, scale: fraction.count)
    }

    private static func groups(_ text: String) -> [UInt16] {
        var result: [UInt16] = []
        var group: UInt16 = 0
        for (place, digit) in text.utf8.enumerated() {
            group = group * 10 + UInt16(digit &- 48)
            if place % 4 == 3 {
                result.append(group)
                group = 0
            }
        }
        return result
    }

    private static func encoded(_ digits: [UInt16], weight: Int, sign: UInt16, scale: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [UInt16(digits.count), UInt16(bitPattern: Int16(weight)), sign, UInt16(scale)] + digits {
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(number & 255))
        }
        return bytes
    }

    /// nil for the infinities, and for bytes that are not a number.
    package static func decimal(_ bytes: UnsafeBufferPointer<UInt8>) -> Decimal? {
        guard bytes.count >= 8 else { return nil }
        func number(_ place: Int) -> UInt16 { UInt16(bytes[place * 2]) << 8 | UInt16(bytes[place * 2 + 1]) }
        let count = Int(number(0))
        let (weight, sign) = (Int(Int16(bitPattern: number(1))), number(2))
        if sign == notANumber { return .nan }
        guard sign == 0 || sign == negative, bytes.count >= 8 + count * 2 else { return nil }
        // Groups below the range of decimals are dropped.
        let shown = max(0, min(count, weight + lowestGroup + 1))
        var digits = Decimal(0)
        for place in 0..<shown { digits = digits * 10_000 + Decimal(Int(number(4 + place))) }
        let result = shown == 0 ? digits : digits * power(of: weight - shown + 1)
        if result.isNaN { return nil }
        return sign == negative ? -result : result
    }

    /// A decimal has exponents from -128 to 127.
    private static let lowestGroup = 32

    /// A power of ten thousand; NaN beyond the range of decimals.
    private static func power(of exponent: Int) -> Decimal {
        exponent > 31 ? .nan : Decimal(sign: .plus, exponent: exponent * 4, significand: 1)
    }
}
