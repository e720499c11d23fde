// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arithmetic and aggregates in SQLite's dialect, with the results of evaluation in memory.

import CoreDataFoundation

extension SQLOperand {
    /// Whether SQL computes decimals, which may have more digits than a real number, and then are texts
    /// (`DecimalFunctions`).
    var isComputedDecimal: Bool {
        guard case .value(nil) = kind, !isConstant else { return false }
        return values == .decimal || values == .number
    }

    /// The number as a real number, for operators of SQLite and for columns.
    var asReal: SQLText { isComputedDecimal ? "\(raw: DecimalFunctions.real)(\(sql))" : sql }

    /// The number in a form that is compared with all its digits.
    fileprivate var inOrder: SQLOperand {
        if isNotANumber { return self }
        var result = self
        if isConstant, case .decimal(let number)? = sql.values.first, sql.values.count == 1 {
            result.sql = "\(raw: DecimalFunctions.order)(\(value: .text(number.description)))"
        } else {
            result.sql = "\(raw: DecimalFunctions.order)(\(sql))"
        }
        return result
    }
}

/// SQLite's operators decide by the storage class of each value, as `Arithmetic` does by its type. Two kinds of column
/// differ: a date or a decimal that is a whole number is stored as an integer, and decimals are real numbers.
extension SQLiteDialect {
    /// Computed decimals, and the numbers that they are compared with, are compared with all their digits.
    func comparable(_ left: SQLOperand, _ right: SQLOperand) -> (left: SQLOperand, right: SQLOperand) {
        guard left.isComputedDecimal || right.isComputedDecimal, left.values.isNumber, right.values.isNumber else {
            return (left, right)
        }
        return (left.inOrder, right.inOrder)
    }

    private static let symbols: [String: String] = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "bitwiseAnd:with:": "&",
        "bitwiseOr:with:": "|", "leftshift:by:": "<<", "rightshift:by:": ">>",
    ]

    func function(_ name: String, _ operands: [SQLOperand], _ result: ValueKind) throws -> SQLText {
        let first = operands[0].sql
        switch name {
        case "abs:" where operands[0].isComputedDecimal: return "\(raw: DecimalFunctions.absolute)(\(first))"
        // Not ABS, which fails for the least integer: a difference beyond 64 bits becomes a real number.
        case "abs:": return "MAX(\(first), 0 - \(first))"
        case "uppercase:", "lowercase:", "canonical:": return "\(raw: StringFunctions.caseFunction(name))(\(first))"
        case "bitwiseAnd:with:", "bitwiseOr:with:", "leftshift:by:", "rightshift:by:":
            guard operands.allSatisfy(Self.isStoredInteger) else {
                throw NotTranslatable(reason: "the bits of a number that may be no integer")
            }
        default: break
        }
        guard let symbol = Self.symbols[name] else { throw NotTranslatable(reason: "the function '\(name)'") }
        let second = operands[1].sql
        if result == .decimal, let function = DecimalFunctions.name(name) {
            // A quotient may have more digits than a real number.
            if name == "divide:by:" { throw NotTranslatable(reason: "a quotient of decimals") }
            return "\(raw: function)(\(first), \(second))"
        }
        // An operand of a real type may be stored as an integer, and would then be divided as one.
        let isReal = name == "divide:by:" && operands.contains { $0.values == .real }
        return "(\(operands[0].asReal)\(raw: isReal ? " * 1.0" : "") \(raw: symbol) \(operands[1].asReal))"
    }

    /// Whether the value is certainly a 64-bit integer: sums and products may exceed the range.
    private static func isStoredInteger(_ operand: SQLOperand) -> Bool {
        if operand.isConstant { return true }
        return switch operand.kind {
        case .value(.integer?), .value(.boolean?): true
        default: false
        }
    }

    /// SUM fails if a sum of integers exceeds 64 bits. So the upper and the lower halves of the integers are summed
    /// separately; combined they give the exact sum, or the nearest real number if it exceeds 64 bits.
    func sum(_ operand: SQLOperand) -> SQLText {
        let value = operand.sql
        if operand.values == .decimal || operand.values == .number { return "\(raw: DecimalFunctions.sum)(\(value))" }
        guard case .value(.integer?) = operand.kind else { return "IFNULL(SUM(\(value)), 0)" }
        return "IFNULL(SUM(\(value) >> 32) * 4294967296 + SUM(\(value) & 4294967295), 0)"
    }

    func mean(_ operand: SQLOperand, overRows: Bool) -> SQLText {
        let count: SQLText = overRows ? "COUNT(*)" : "COUNT(\(operand.sql))"
        let sum = sum(operand)
        let mean: SQLText =
            operand.values == .decimal || operand.values == .number
            ? "\(raw: DecimalFunctions.quotient)(\(sum), \(count))" : "\(sum) * 1.0 / \(count)"
        return overRows ? "IFNULL(\(mean), 0)" : mean
    }

    func average(_ operand: SQLOperand) -> SQLText {
        operand.values == .real ? "AVG(\(operand.sql))" : mean(operand, overRows: false)
    }

    func extreme(_ name: String, _ operand: SQLOperand) -> SQLText {
        "\(raw: operand.isComputedDecimal ? DecimalFunctions.extreme(name) : name)(\(operand.sql))"
    }
}
