// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Numbers and Booleans as values and results of SQL queries: exactly, or not at all.

import CoreDataFoundation
public import Foundation

extension SQLConvertible where Self: FixedWidthInteger {
    fileprivate var wholeArgument: SQLArgument {
        Int64(exactly: self).map { .integer($0) } ?? SQLArgument(.unsupported("\(self) does not fit into 64 bits."))
    }

    fileprivate static func whole(_ cell: SQLCell) -> Self? { cell.integer.flatMap { Self(exactly: $0) } }
}

extension Int: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension Int8: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension Int16: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension Int32: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension Int64: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension UInt: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension UInt8: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension UInt16: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension UInt32: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension UInt64: SQLConvertible {
    /// A whole number.
    public var sqlArgument: SQLArgument { wholeArgument }
    /// nil for a number with a fraction, and for one out of range.
    public static func fromSQL(_ cell: SQLCell) -> Self? { whole(cell) }
}

extension Bool: SQLConvertible {
    /// 1 or 0.
    public var sqlArgument: SQLArgument { .integer(self ? 1 : 0) }
    /// nil for anything but 1 and 0.
    public static func fromSQL(_ cell: SQLCell) -> Bool? {
        switch cell.integer {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

extension Double: SQLConvertible {
    /// A real number.
    public var sqlArgument: SQLArgument { .real(self) }
    /// nil for a whole number that needs more than 53 bits.
    public static func fromSQL(_ cell: SQLCell) -> Double? { cell.real }
}

extension Float: SQLConvertible {
    /// A real number.
    public var sqlArgument: SQLArgument { .real(Double(self)) }
    /// nil for a number that needs more digits.
    public static func fromSQL(_ cell: SQLCell) -> Float? { cell.real.flatMap { Float(exactly: $0) } }
}

extension Decimal: SQLConvertible {
    /// The nearest real number, which is how SQLite stores decimals; the text "NaN" for NaN.
    public var sqlArgument: SQLArgument {
        isNaN ? .text(ExactDecimal.notANumber) : .real(ExactDecimal.double(self))
    }
    /// The decimal with the shortest text of a real number: 0.1 is 0.1.
    public static func fromSQL(_ cell: SQLCell) -> Decimal? {
        switch cell.content {
        case .integer(let value): Decimal(value)
        case .real(let value): ExactDecimal.of(value)
        case .text(let text): ExactDecimal.of(text)
        default: nil
        }
    }
}
