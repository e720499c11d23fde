// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL functions that calculate with decimals, which columns store as real numbers.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// With decimals the sum of 0.1 and 0.2 is 0.3, with real numbers it is not. A real number in a column represents the
/// decimal with its shortest text; the functions calculate with these decimals.
///
/// A result is exact: a real number that represents it, an integer, or a text with all digits. `order` makes such
/// values comparable with one another and with real numbers.
enum DecimalFunctions {
    static let sum = "OCD_DECIMAL_SUM"
    static let quotient = "OCD_DECIMAL_DIVIDE"
    static let absolute = "OCD_DECIMAL_ABSOLUTE"
    /// Bytes that are compared as the numbers are.
    static let order = "OCD_DECIMAL_ORDER"
    /// The nearest real number, for columns.
    static let real = "OCD_DECIMAL_REAL"
    /// Converts a number to a 64-bit integer. It fails for other numbers.
    static let integer = "OCD_INTEGER"

    private static let names = [
        "add:to:": "OCD_DECIMAL_ADD", "from:subtract:": "OCD_DECIMAL_SUBTRACT",
        "multiply:by:": "OCD_DECIMAL_MULTIPLY", "divide:by:": quotient,
    ]

    /// The function for an operator of expressions; nil for other operators.
    static func name(_ operation: String) -> String? { names[operation] }

    /// The aggregate in place of `MIN` or `MAX`.
    static func extreme(_ name: String) -> String { "OCD_DECIMAL_\(name)" }

    static func add(to connection: Connection) throws {
        for (operation, name) in names {
            try connection.addFunction(name, argumentCount: 2, options: .deterministic) { arguments in
                guard let left = number(arguments[0]), let right = number(arguments[1]),
                    let result = DecimalCalculation.result(of: operation, left, right)
                else { return .null }
                return value(result)
            }
        }
        try connection.addAggregate(sum, argumentCount: 1) { DecimalSum() }
        for (name, order) in [("MIN", ComparisonResult.orderedAscending), ("MAX", .orderedDescending)] {
            try connection.addAggregate(extreme(name), argumentCount: 1) { DecimalExtreme(order) }
        }
        try connection.addFunction(absolute, argumentCount: 1, options: .deterministic) { arguments in
            number(arguments[0]).map { value(DecimalCalculation.absolute($0)) } ?? .null
        }
        try connection.addFunction(order, argumentCount: 1, options: .deterministic) { arguments in
            DecimalOrder.key(arguments[0]).map { .blob($0) } ?? .null
        }
        try connection.addFunction(real, argumentCount: 1, options: .deterministic) { arguments in
            number(arguments[0]).map { .real(ExactDecimal.double($0)) } ?? .null
        }
        try connection.addFunction(integer, argumentCount: 1, options: .deterministic) { arguments in
            switch arguments[0] {
            case .integer(let number): return .integer(number)
            case .real(let number):
                guard let integer = Int64(exactly: number.rounded(.towardZero)) else { throw IntegerOverflow() }
                return .integer(integer)
            case .text(let text):
                guard let integer = Int64(text.prefix { $0 != "." }) else { throw IntegerOverflow() }
                return .integer(integer)
            case .null, .blob: return .null
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

    /// A number as a value with all its digits, always the same one for the same number; null for NaN.
    static func value(_ number: NSNumber) -> SQLiteValue {
        guard let decimal = (number as? NSDecimalNumber)?.decimalValue else { return .real(number.doubleValue) }
        if decimal.isNaN { return .null }
        let text = decimal.description
        guard let double = Double(text) else { return .text(text) }
        // A real number represents each decimal of up to 15 digits.
        if text.utf8.count <= 15 || ExactDecimal.of(double) == decimal { return .real(double) }
        if let integer = Int64(text) { return .integer(integer) }
        return .text(withoutTrailingZeros(text))
    }

    private static func withoutTrailingZeros(_ text: String) -> String {
        guard text.contains(".") else { return text }
        let digits = text.prefix(upTo: text.lastIndex { $0 != "0" }.map(text.index(after:)) ?? text.endIndex)
        return String(digits.last == "." ? digits.dropLast() : digits)
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
        if abs(part) < Self.greatest, part / Self.scale == number, !arguments.isText(0) {
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
        return parts.isEmpty ? .integer(0) : DecimalFunctions.value(DecimalCalculation.sum(parts))
    }
}

/// The least or the greatest of computed decimals.
private struct DecimalExtreme: SQLAggregateFunction {
    private let order: ComparisonResult
    private var found: (key: Data, value: SQLiteValue)?

    init(_ order: ComparisonResult) { self.order = order }

    mutating func step(_ arguments: FunctionArguments) {
        let value = arguments[0]
        guard let key = DecimalOrder.key(value) else { return }
        guard let found else { return self.found = (key, value) }
        let isLess = key.lexicographicallyPrecedes(found.key)
        let isBetter = order == .orderedAscending ? isLess : !isLess && key != found.key
        if isBetter { self.found = (key, value) }
    }

    func result() -> SQLiteValue { found?.value ?? .null }
}
