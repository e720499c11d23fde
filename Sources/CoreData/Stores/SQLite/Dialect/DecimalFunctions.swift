// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL functions that calculate with decimals, which columns store as real numbers.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// With decimals the sum of 0.1 and 0.2 is 0.3, with real numbers it is not. A real number in a column represents the
/// decimal with its shortest text; the functions calculate with these decimals, and return the nearest real number.
enum DecimalFunctions {
    static let sum = "OCD_DECIMAL_SUM"
    static let quotient = "OCD_DECIMAL_DIVIDE"
    /// Converts a number to a 64-bit integer. It fails for other numbers.
    static let integer = "OCD_INTEGER"

    private static let names = [
        "add:to:": "OCD_DECIMAL_ADD", "from:subtract:": "OCD_DECIMAL_SUBTRACT",
        "multiply:by:": "OCD_DECIMAL_MULTIPLY", "divide:by:": quotient,
    ]

    /// The function for an operator of expressions; nil for other operators.
    static func name(_ operation: String) -> String? { names[operation] }

    static func add(to connection: Connection) throws {
        for (operation, name) in names {
            try connection.addFunction(name, argumentCount: 2, options: .deterministic) { arguments in
                guard let left = number(arguments[0]), let right = number(arguments[1]),
                    let result = DecimalCalculation.result(of: operation, left, right)
                else { return .null }
                return .real(result)
            }
        }
        try connection.addAggregate(sum, argumentCount: 1) { DecimalSum() }
        try connection.addFunction(integer, argumentCount: 1, options: .deterministic) { arguments in
            switch arguments[0] {
            case .integer(let number): return .integer(number)
            case .real(let number):
                guard let integer = Int64(exactly: number.rounded(.towardZero)) else { throw IntegerOverflow() }
                return .integer(integer)
            case .null, .text, .blob: return .null
            }
        }
    }

    /// nil for null, and for texts that are not numbers.
    fileprivate static func number(_ value: SQLiteValue) -> NSNumber? {
        switch value {
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .text(let text): Decimal(string: text, locale: nil).map { NSDecimalNumber(decimal: $0) }
        case .null, .blob: nil
        }
    }

    /// A number beyond 64 bits for an integer column.
    private struct IntegerOverflow: Error, CustomStringConvertible {
        var description: String { SQLiteError.overflow }
    }
}

extension SQLiteError {
    /// SQLite's message for a sum beyond 64 bits.
    fileprivate static let overflow = "integer overflow"

    /// Whether a value of the statement exceeds 64-bit integers.
    var isOverflow: Bool { message.contains(Self.overflow) }
}

/// The exact sum of a column. Amounts of up to six decimal places are summed as integers.
private struct DecimalSum: SQLAggregateFunction {
    private static let scale = 1e6
    /// Below this bound a real number represents all digits of such a decimal.
    private static let greatest = 1e15

    private var scaled: Int128 = 0
    private var isScaled = false
    private var others: [NSNumber] = []

    mutating func step(_ arguments: FunctionArguments) {
        if arguments.isNull(0) { return }
        let number = arguments.double(0)
        let part = (number * Self.scale).rounded()
        if abs(part) < Self.greatest, part / Self.scale == number {
            scaled += Int128(part)
            isScaled = true
        } else if let number = DecimalFunctions.number(arguments[0]) {
            others.append(number)
            if others.count == 1_000 { others = [DecimalCalculation.sum(others)] }
        }
    }

    func result() -> SQLiteValue {
        var parts = others
        if isScaled {
            let sum = Decimal(string: "\(scaled)", locale: nil) ?? .nan
            parts.append(NSDecimalNumber(decimal: sum / 1_000_000))
        }
        return parts.isEmpty ? .integer(0) : .real(ExactDecimal.double(DecimalCalculation.sum(parts)))
    }
}
