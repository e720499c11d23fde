// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Arithmetic and aggregates. Parts that the server would refuse, or compute otherwise, are left to memory.

package import CoreData
import Foundation

extension PostgreSQLDialect {
    private static let symbols: [String: String] = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|",
    ]

    package func kept(_ value: ColumnValue) -> ColumnValue {
        if case .text(let text) = value { .bytes(Data(text.utf8)) } else { value }
    }

    package func function(_ name: String, _ arguments: [SQLArgument]) throws -> SQLOperand {
        let terms = try arguments.map { try Self.number($0.operand) }
        switch name {
        case "divide:by:":
            let isWhole = arguments.allSatisfy(\.isInteger)
            return SQLOperand(
                sql: isWhole
                    ? "(\(terms[0]) / NULLIF(\(terms[1]), 0))"
                    : "(\(terms[0])::double precision / NULLIF(\(terms[1])::double precision, 0))",
                kind: .value(nil))
        case "abs:": return SQLOperand(sql: "abs(\(terms[0]))", kind: .value(nil))
        default:
            guard let symbol = Self.symbols[name] else {
                throw NotTranslatable(reason: "the function '\(name)'")
            }
            if symbol == "&" || symbol == "|", !arguments.allSatisfy(\.isInteger) {
                throw NotTranslatable(reason: "the bits of a number that is no integer")
            }
            return SQLOperand(sql: "(\(terms[0]) \(raw: symbol) \(terms[1]))", kind: .value(nil))
        }
    }

    /// Integers have 64 bits in arithmetic, also those of narrower columns.
    private static func number(_ operand: SQLOperand) throws -> SQLText {
        guard case .value(let coding) = operand.kind, !operand.isString else {
            throw NotTranslatable(reason: "arithmetic on something that is no number")
        }
        switch coding {
        case .integer?: return "\(operand.sql)::bigint"
        case .float?, .double?: return "\(operand.sql)::double precision"
        case .decimal?: return operand.sql
        case nil:
            switch operand.sql.values.first {
            case .integer?, .double?, .decimal?, nil: return operand.sql
            default:
                if operand.isConstant { throw NotTranslatable(reason: "arithmetic on something that is no number") }
                return operand.sql
            }
        default: throw NotTranslatable(reason: "arithmetic on something that is no number")
        }
    }

    private static func isNumber(_ coding: ColumnCoding?) -> Bool {
        switch coding {
        case .integer?, .float?, .double?, .decimal?, nil: true
        default: false
        }
    }

    private func checkNumber(_ coding: ColumnCoding?) throws {
        if !Self.isNumber(coding) { throw NotTranslatable(reason: "a sum of what is no number") }
    }

    package func sum(_ column: SQLText, _ coding: ColumnCoding?) throws -> SQLText {
        try checkNumber(coding)
        return "COALESCE(SUM(\(column)), 0)"
    }

    package func mean(_ column: SQLText, _ coding: ColumnCoding?, overRows: Bool) throws -> SQLText {
        try checkNumber(coding)
        return overRows
            ? "COALESCE(SUM(\(column))::double precision / NULLIF(COUNT(*), 0), 0)"
            : "SUM(\(column))::double precision / NULLIF(COUNT(\(column)), 0)"
    }

    package func average(_ column: SQLText, _ coding: ColumnCoding?) throws -> SQLText {
        try checkNumber(coding)
        return "AVG(\(column))::double precision"
    }

    package func extreme(_ name: String, _ column: SQLText, _ coding: ColumnCoding?) throws -> SQLText {
        switch coding {
        case .boolean?, .uuid?, .binary?, .externalBinary?, .transformable?:
            throw NotTranslatable(reason: "the least or greatest of such values")
        case .string?, .uri?: return "\(raw: name)(\(column)\(raw: byBytes))"
        default: return "\(raw: name)(\(column))"
        }
    }
}
