// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares numbers of different types without rounding.

import Foundation

enum NumberComparison {
    /// nil if either is not a number (NaN).
    static func order(_ left: Int64, _ right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        // 2^63 exceeds Int64; both bounds are exact doubles.
        if right >= 0x1p63 { return .orderedAscending }
        if right < -0x1p63 { return .orderedDescending }
        let whole = right.rounded(.towardZero)
        let integer = Int64(whole)
        if left != integer { return left < integer ? .orderedAscending : .orderedDescending }
        return ordering(0, right - whole)
    }

    static func order(_ left: UInt64, _ right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        if right >= 0x1p64 { return .orderedAscending }
        if right < 0 { return .orderedDescending }
        let whole = right.rounded(.towardZero)
        let integer = UInt64(whole)
        if left != integer { return left < integer ? .orderedAscending : .orderedDescending }
        return ordering(0, right - whole)
    }

    static func order(_ left: Double, _ right: Double) -> ComparisonResult? {
        left.isNaN || right.isNaN ? nil : ordering(left, right)
    }

    static func order(_ left: Decimal, _ right: Decimal) -> ComparisonResult? {
        left.isNaN || right.isNaN ? nil : ordering(left, right)
    }

    static func order(_ left: Decimal, _ right: Double) -> ComparisonResult? {
        if left.isNaN || right.isNaN { return nil }
        guard let decimal = decimal(right) else { return ordering(ExactDecimal.double(left), right) }
        return ordering(left, decimal)
    }

    /// The decimal number with the shortest decimal representation of a double: 0.1 is 0.1. nil outside
    /// of Decimal's range.
    static func decimal(_ value: Double) -> Decimal? {
        abs(value) < 1e120 ? ExactDecimal.of(value) : nil
    }

    static func ordering<T: Comparable>(_ left: T, _ right: T) -> ComparisonResult {
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }

    static func reversed(_ order: ComparisonResult?) -> ComparisonResult? {
        switch order {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        default: order
        }
    }
}
