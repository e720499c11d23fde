// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arithmetic and aggregates in SQLite's dialect, with the results of evaluation in memory.

import CoreDataFoundation

/// Operators of SQLite decide by the storage class of each value, as `Arithmetic` does by its type. Two kinds of column
/// differ: a date or a decimal that is a whole number is stored as an integer, and decimals are real numbers.
extension SQLiteDialect {
    private static let symbols: [String: String] = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "bitwiseAnd:with:": "&",
        "bitwiseOr:with:": "|", "leftshift:by:": "<<", "rightshift:by:": ">>",
    ]

    func function(_ name: String, _ operands: [SQLOperand], _ result: ValueKind) throws -> SQLText {
        let first = operands[0].sql
        switch name {
        // Not ABS, which fails for the least integer: a difference beyond the integers becomes a real number.
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
            // It has more digits than a real number.
            if name == "divide:by:" { throw NotTranslatable(reason: "a quotient of decimals") }
            return "\(raw: function)(\(first), \(second))"
        }
        // An operand of real numbers may be stored as an integer, and is none.
        let isReal = name == "divide:by:" && operands.contains { $0.values == .real }
        return "(\(first)\(raw: isReal ? " * 1.0" : "") \(raw: symbol) \(second))"
    }

    /// Whether a value of 64 bits is certain: sums and products may be beyond them.
    private static func isStoredInteger(_ operand: SQLOperand) -> Bool {
        if operand.isConstant { return true }
        return switch operand.kind {
        case .value(.integer?), .value(.boolean?): true
        default: false
        }
    }

    /// SUM fails where a sum of integers is beyond 64 bits. The upper and the lower halves of the integers are summed
    /// up apart; together they are the exact sum, or the nearest real number where that is no integer of 64 bits.
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

    func extreme(_ name: String, _ operand: SQLOperand) -> SQLText { "\(raw: name)(\(operand.sql))" }
}
