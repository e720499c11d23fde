// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates BEGINSWITH, CONTAINS, LIKE and similar operators: checks the operands and calls the dialect.

import CoreDataFoundation

package struct StringTranslator {
    package let dialect: any Dialect
    package let options: ComparisonSyntax.Options

    /// True, false or null.
    ///
    /// - Parameter negated: whether the caller negates the result.
    package func condition(
        _ left: SQLOperand, _ comparison: ComparisonSyntax.Operator, _ right: SQLOperand, negated: Bool
    ) throws -> SQLText {
        for operand in [left, right] {
            switch operand.kind {
            case .null: return dialect.no
            case .value: if !operand.isString { throw NotTranslatable(reason: "a value that is no string") }
            case .object, .entity: throw NotTranslatable(reason: "an object as a string")
            }
        }
        let operation: StringMatching.Operation =
            switch comparison {
            case .beginsWith: .beginsWith
            case .endsWith: .endsWith
            case .contains: .contains
            case .like: .like
            default: .matches
            }
        return try matching(operation, left, right, negated: negated)
    }

    /// The dialect's translation; without a translation, the error carries a wider condition.
    package func matching(_ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand, negated: Bool)
        throws
        -> SQLText
    {
        do {
            return try dialect.text(operation, left, right, options)
        } catch var obstacle as NotTranslatable {
            if !negated { obstacle.wider = dialect.wider(operation, left, right, options) }
            throw obstacle
        }
    }
}
