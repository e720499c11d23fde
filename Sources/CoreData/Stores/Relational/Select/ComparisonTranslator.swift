// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates one comparison of two operands to SQL, considering nulls and the kinds of both operands.

import CoreDataFoundation
import Foundation

package struct ComparisonTranslator {
    package let left: SQLOperand
    package let comparison: ComparisonSyntax.Operator
    package let right: SQLOperand
    package let options: ComparisonSyntax.Options
    package let dialect: any Dialect

    package init(
        _ left: SQLOperand, _ comparison: ComparisonSyntax.Operator, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options, _ dialect: any Dialect
    ) throws {
        (self.left, self.right) = try dialect.comparable(left, right)
        self.comparison = comparison
        self.options = options
        self.dialect = dialect
    }

    /// - Parameter negated: whether the result holds exactly for the rows for which the comparison does not.
    package func condition(negated: Bool) throws -> SQLText {
        try checkKinds()
        if left.isNotANumber || right.isNotANumber {
            // NaN is neither equal to, less than, nor greater than any value. Databases store null instead, or order
            // it.
            switch comparison {
            case .equalTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
                return negated ? dialect.yes : dialect.no
            case .notEqualTo: return negated ? dialect.no : dialect.yes
            default: break
            }
        }
        switch comparison {
        case .equalTo: return try equality(isEqual: !negated)
        case .notEqualTo: return try equality(isEqual: negated)
        case .lessThan: return try order("<", negated)
        case .lessThanOrEqualTo: return try order("<=", negated)
        case .greaterThan: return try order(">", negated)
        case .greaterThanOrEqualTo: return try order(">=", negated)
        case .beginsWith, .endsWith, .contains, .like, .matches:
            let condition = try StringTranslator(dialect: dialect, options: options)
                .condition(left, comparison, right, negated: negated)
            // Null on either side matches nothing.
            return negated ? "NOT \(dialect.orFalse(condition))" : condition
        case .in, .between, .custom, .matching: throw NotTranslatable(reason: "the operator \(comparison)")
        }
    }

    private var isEquality: Bool { comparison == .equalTo || comparison == .notEqualTo }

    private func checkKinds() throws {
        if case .value = left.kind, case .value = right.kind, !left.values.isComparable(with: right.values) {
            throw NotTranslatable(reason: "values of two types")
        }
        for operand in [left, right] {
            guard case .value(let coding?) = operand.kind else { continue }
            let other = operand.sql == left.sql ? right : left
            if case .null = other.kind, isEquality { continue }
            switch coding {
            case .transformable: throw NotTranslatable(reason: "the value of a transformable attribute")
            case .externalBinary: throw NotTranslatable(reason: "data that may lie outside the database")
            default: break
            }
        }
    }

    // MARK: Equality

    private func equality(isEqual: Bool) throws -> SQLText {
        switch (left.kind, right.kind) {
        case (.null, .null): return isEqual ? dialect.yes : dialect.no
        case (_, .null): return "\(left.sql) IS\(raw: isEqual ? "" : " NOT") NULL"
        case (.null, _): return "\(right.sql) IS\(raw: isEqual ? "" : " NOT") NULL"
        case (.object(let one), .object(let other)):
            // Keys are unique below one root; objects with different roots are never equal.
            guard one.rootIndex == other.rootIndex, !Self.isNowhere(left), !Self.isNowhere(right) else {
                return isEqual ? dialect.no : dialect.yes
            }
        case (.object, _), (_, .object), (.entity, .value), (.value, .entity):
            // An object equals no value, but a key column compared with a number might.
            throw NotTranslatable(reason: "an object compared with a value")
        default: break
        }
        if left.isString || right.isString, !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]),
            !options.contains(.normalized)
        {
            let condition = try StringTranslator(dialect: dialect, options: options)
                .matching(.equal, left, right, negated: !isEqual)
            return isEqual ? condition : "NOT \(dialect.orFalse(condition))"
        }
        return dialect.isSame(
            left.sql, right.sql, isConstant: left.isConstant || right.isConstant, negated: !isEqual)
    }

    /// Whether the operand is a constant object that this store does not contain.
    private static func isNowhere(_ operand: SQLOperand) -> Bool { operand.isConstant && operand.sql.values.isEmpty }

    // MARK: Order

    private func order(_ symbol: String, _ negated: Bool) throws -> SQLText {
        // An order with nil holds for no value, and for nil neither.
        if case .null = left.kind { return negated ? dialect.yes : dialect.no }
        if case .null = right.kind { return negated ? dialect.yes : dialect.no }
        for operand in [left, right] {
            if case .value = operand.kind { continue }
            throw NotTranslatable(reason: "the order of objects")
        }
        var condition: SQLText = "\(left.sql) \(raw: symbol) \(right.sql)"
        if left.isString || right.isString { condition += SQLText(raw: try dialect.collation(options)) }
        return negated ? "NOT \(dialect.orFalse(condition))" : condition
    }
}
