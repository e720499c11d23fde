// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calculates with numbers of any type without trapping.

import Foundation

/// A number as an operand of expressions.
enum Number {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)

    /// nil for a value that is not a number.
    init?(_ value: Any?) { self.init(numeric: ComparableValue(value)) }

    init?(numeric value: ComparableValue) {
        switch value {
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .double(Double(value))
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double(NSDecimalNumber(decimal: value).stringValue) ?? .nan
        }
    }

    /// The integer part; nil outside of Int64's range.
    var integer: Int64? {
        if case .integer(let value) = self { return value }
        return Int64(exactly: double.rounded(.towardZero))
    }

    var decimal: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .double(let value): NumberComparison.decimal(value)
        case .decimal(let value): value
        }
    }

    var value: Any {
        switch self {
        case .integer(let value): Int(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }

    /// nil for NaN.
    var presentValue: Any? {
        switch self {
        case .double(let value) where value.isNaN: nil
        case .decimal(let value) where value.isNaN: nil
        default: value
        }
    }
}

/// Integers stay integers unless they overflow, and then become doubles; a decimal operand makes a decimal result.
enum Arithmetic {
    enum Operation { case add, subtract, multiply, divide, modulus }

    static func calculate(_ operation: Operation, _ left: Number, _ right: Number) -> Number {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return integers(operation, left, right)
        case (.decimal, _), (_, .decimal):
            if let left = left.decimal, let right = right.decimal, let result = decimals(operation, left, right) {
                return .decimal(result)
            }
            return .double(doubles(operation, left.double, right.double))
        default: return .double(doubles(operation, left.double, right.double))
        }
    }

    /// Sums integers exactly in any order. A sum beyond 64 bits is rounded to the nearest double.
    static func sum(_ values: [Any], for operation: String) throws -> Any {
        var whole: Int128 = 0
        var rest: Number?
        for value in values {
            guard let number = Number(value) else {
                throw KeyValueError.notANumber(operation: operation, type: String(describing: type(of: value)))
            }
            if case .integer(let integer) = number {
                whole += Int128(integer)
            } else {
                rest = rest.map { calculate(.add, $0, number) } ?? number
            }
        }
        let integers = Int64(exactly: whole).map(Number.integer) ?? .double(Double(whole))
        return (rest.map { calculate(.add, integers, $0) } ?? integers).value
    }

    /// Divides without integer truncation.
    static func divideExactly(_ value: Any, by count: Int, for operation: String) throws -> Any {
        guard let number = Number(value) else {
            throw KeyValueError.notANumber(operation: operation, type: String(describing: type(of: value)))
        }
        if case .decimal = number { return calculate(.divide, number, .integer(Int64(count))).value }
        return number.double / Double(count)
    }

    private static func integers(_ operation: Operation, _ left: Int64, _ right: Int64) -> Number {
        let (result, overflow): (Int64, Bool) =
            switch operation {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .modulus: left.remainderReportingOverflow(dividingBy: right)
            }
        // Includes division by zero: its double result is infinity or NaN.
        return overflow ? .double(doubles(operation, Double(left), Double(right))) : .integer(result)
    }

    private static func doubles(_ operation: Operation, _ left: Double, _ right: Double) -> Double {
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .modulus: left.truncatingRemainder(dividingBy: right)
        }
    }

    private static func decimals(_ operation: Operation, _ left: Decimal, _ right: Decimal) -> Decimal? {
        if left.isNaN || right.isNaN { return Decimal.nan }
        // Foundation's functions trap at the limits of the exponent; doubles are precise enough there.
        guard abs(left.exponent) <= 60, abs(right.exponent) <= 60 else { return nil }
        var (left, right, result) = (left, right, Decimal())
        let error: NSDecimalNumber.CalculationError
        switch operation {
        case .add: error = NSDecimalAdd(&result, &left, &right, .plain)
        case .subtract: error = NSDecimalSubtract(&result, &left, &right, .plain)
        case .multiply: error = NSDecimalMultiply(&result, &left, &right, .plain)
        case .divide:
            if right.isZero { return nil }
            error = NSDecimalDivide(&result, &left, &right, .plain)
        case .modulus:
            if right.isZero { return nil }
            let quotient = left / right
            return left - DecimalRounding.whole(quotient, quotient < 0 ? .up : .down) * right
        }
        return error == .overflow || error == .divideByZero ? nil : result
    }
}
