// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calculates with decimals for databases that keep them as real numbers.

package import Foundation

/// The operators of expressions if at least one operand is a decimal.
package enum DecimalCalculation {
    private static let operations: [String: Arithmetic.Operation] = [
        "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply, "divide:by:": .divide,
    ]

    /// The result as evaluation in memory gives it.
    ///
    /// - Parameter operation: the name of the function, such as "divide:by:".
    /// - Returns: nil for a division by zero, and for a result that is no number.
    package static func result(of operation: String, _ left: NSNumber, _ right: NSNumber) -> NSNumber? {
        guard let operation = operations[operation], let left = decimal(left), let right = decimal(right) else {
            return nil
        }
        if operation == .divide, right.double == 0 { return nil }
        return Arithmetic.calculate(operation, left, right).presentValue as? NSNumber
    }

    /// The magnitude of a number as a decimal.
    package static func absolute(_ number: NSNumber) -> NSNumber {
        switch decimal(number) {
        case .decimal(let value)?: NSDecimalNumber(decimal: abs(value))
        case let other?: NSNumber(value: abs(other.double))
        case nil: number
        }
    }

    /// The sum of numbers as decimals; NaN if one is not a number.
    package static func sum(_ numbers: [NSNumber]) -> NSNumber {
        let sum = numbers.lazy.compactMap(decimal).reduce(Number.decimal(0)) { Arithmetic.calculate(.add, $0, $1) }
        return sum.value as? NSNumber ?? NSNumber(value: sum.double)
    }

    /// Numbers beyond the decimals stay doubles.
    private static func decimal(_ number: NSNumber) -> Number? {
        Number(number).map { number in number.decimal.map(Number.decimal) ?? number }
    }
}
