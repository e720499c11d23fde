// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arithmetic and aggregates. Expressions that the server refuses, or computes differently, are evaluated in memory.

package import CoreData
import Foundation

extension PostgreSQLDialect {
    private static let symbols: [String: String] = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|",
    ]

    package func kept(_ value: ColumnValue) -> ColumnValue {
        if case .text(let text) = value { .bytes(Data(text.utf8)) } else { value }
    }

    package func function(_ name: String, _ operands: [SQLOperand], _ result: ValueKind) throws -> SQLText {
        let terms = try operands.map { try Self.term($0, result) }
        switch name {
        case "divide:by:":
            // The server gives a quotient of decimals fewer digits than memory does.
            if result == .decimal { throw NotTranslatable(reason: "a quotient of decimals") }
            return "(\(terms[0]) / NULLIF(\(terms[1]), 0))"
        case "abs:": return "abs(\(terms[0]))"
        default:
            guard let symbol = Self.symbols[name] else {
                throw NotTranslatable(reason: "the function '\(name)'")
            }
            return "(\(terms[0]) \(raw: symbol) \(terms[1]))"
        }
    }

    /// An operand converted to the type of the result. Arithmetic on integers uses 64 bits, even for narrower columns.
    private static func term(_ operand: SQLOperand, _ result: ValueKind) throws -> SQLText {
        if operand.isConstant { return try constant(operand, result) }
        switch (result, operand.values) {
        case (.whole, .whole):
            if case .value(.boolean?) = operand.kind { return "\(operand.sql)::int::bigint" }
            return "\(operand.sql)::bigint"
        case (.real, .whole), (.real, .real), (.real, .wholeOrReal):
            if case .value(.boolean?) = operand.kind { return "\(operand.sql)::int::double precision" }
            return "\(operand.sql)::double precision"
        case (.decimal, .decimal): return operand.sql
        case (.decimal, .whole):
            if case .value(.boolean?) = operand.kind { return "\(operand.sql)::int::numeric" }
            return "\(operand.sql)::numeric"
        default: throw NotTranslatable(reason: "arithmetic with values of two types")
        }
    }

    private static func constant(_ operand: SQLOperand, _ result: ValueKind) throws -> SQLText {
        switch (result, operand.sql.values.first) {
        case (.whole, .integer?), (.real, .double?), (.decimal, .decimal?): return operand.sql
        case (.real, .integer(let number)?): return .value(.double(Double(number)))
        case (.decimal, .integer(let number)?): return .value(.decimal(Decimal(number)))
        case (.decimal, .double(let number)?):
            guard let decimal = ExactDecimal.of(number), abs(number) < 1e100 else {
                throw NotTranslatable(reason: "a number beyond decimals")
            }
            return .value(.decimal(decimal))
        default: throw NotTranslatable(reason: "arithmetic on something that is no number")
        }
    }

    /// A number to sum, as wide as in memory.
    private static func summand(_ operand: SQLOperand) throws -> SQLText {
        if case .value(.boolean?) = operand.kind { throw NotTranslatable(reason: "a sum of what is no number") }
        if case .value(.float?) = operand.kind { return "\(operand.sql)::double precision" }
        switch operand.values {
        case .whole, .real, .decimal: return operand.sql
        default: throw NotTranslatable(reason: "a sum of values of two types")
        }
    }

    package func sum(_ operand: SQLOperand) throws -> SQLText { "COALESCE(SUM(\(try Self.summand(operand))), 0)" }

    package func mean(_ operand: SQLOperand, overRows: Bool) throws -> SQLText {
        let summand = try Self.summand(operand)
        if operand.values == .decimal { throw NotTranslatable(reason: "a mean of decimals") }
        return overRows
            ? "COALESCE(SUM(\(summand))::double precision / NULLIF(COUNT(*), 0), 0)"
            : "(SUM(\(summand))::double precision / NULLIF(COUNT(\(operand.sql)), 0))"
    }

    package func average(_ operand: SQLOperand) throws -> SQLText { try mean(operand, overRows: false) }

    package func extreme(_ name: String, _ operand: SQLOperand) throws -> SQLText {
        if case .value(.boolean?) = operand.kind {
            throw NotTranslatable(reason: "the least or greatest of such values")
        }
        switch operand.values {
        case .uuid, .data, .other: throw NotTranslatable(reason: "the least or greatest of such values")
        case .text, .url: return "\(raw: name)(\(operand.sql)\(raw: byBytes))"
        default: return "\(raw: name)(\(operand.sql))"
        }
    }
}
