// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on values with an order, and on numbers of one type: arithmetic, order, ranges.

import CoreDataTestSupport
import Foundation

/// The operands of conditions on numbers of one type.
public struct NumberOperands<Root, Value: CapturedValue & Numeric & Comparable>: Sendable {
    typealias Node = any StandardPredicateExpression<Value>

    private let fields: [TypedLeaves.Path<Root, Value>]
    private let optionals: [TypedLeaves.Path<Root, Value?>]
    let values: [Value]
    private let isSigned: Bool
    private var quotient: (@Sendable (Node, Value) -> Node)?
    private var remainder: (@Sendable (Node, Value) -> Node)?
    private var minus: (@Sendable (Node) -> Node)?

    /// - Parameters:
    ///   - values: small ones, so that the product of two fits the type.
    ///   - isSigned: whether differences may be negative.
    public init(
        _ fields: [TypedLeaves.Path<Root, Value>], optionals: [TypedLeaves.Path<Root, Value?>] = [], _ values: [Value],
        isSigned: Bool = true
    ) {
        (self.fields, self.optionals, self.values, self.isSigned) = (fields, optionals, values, isSigned)
    }

    /// With quotients of whole numbers, which a column or a captured value is divided into.
    public func dividing() -> Self where Value: FixedWidthInteger {
        var result = self
        result.quotient = { node, divisor in Self.wholeQuotient(node, divisor) }
        result.remainder = { node, divisor in Self.wholeRemainder(node, divisor) }
        return result
    }

    /// With quotients of real numbers.
    public func dividing() -> Self where Value: FloatingPoint {
        var result = self
        result.quotient = { node, divisor in Self.realQuotient(node, divisor) }
        return result
    }

    public func negating() -> Self where Value: SignedNumeric {
        var result = self
        result.minus = { Self.negated($0) }
        return result
    }

    private static func wholeQuotient(_ node: some StandardPredicateExpression<Value>, _ divisor: Value) -> Node
    where Value: FixedWidthInteger {
        PredicateExpressions.build_Division(lhs: node, rhs: PredicateExpressions.build_Arg(divisor))
    }

    private static func wholeRemainder(_ node: some StandardPredicateExpression<Value>, _ divisor: Value) -> Node
    where Value: FixedWidthInteger {
        PredicateExpressions.build_Remainder(lhs: node, rhs: PredicateExpressions.build_Arg(divisor))
    }

    private static func realQuotient(_ node: some StandardPredicateExpression<Value>, _ divisor: Value) -> Node
    where Value: FloatingPoint {
        PredicateExpressions.build_Division(lhs: node, rhs: PredicateExpressions.build_Arg(divisor))
    }

    private static func negated(_ node: some StandardPredicateExpression<Value>) -> Node where Value: SignedNumeric {
        PredicateExpressions.build_UnaryMinus(node)
    }

    func operand(
        _ random: inout SeededGenerator, _ variable: PredicateExpressions.Variable<Root>, depth: Int = 1
    ) -> Node {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return CapturedNode.value(TypedLeaves.pick(values, &random), &random)
        case 2 where depth > 0, 3 where depth > 0:
            let one = operand(&random, variable, depth: depth - 1)
            let other = operand(&random, variable, depth: depth - 1)
            switch Int.random(in: 0..<(isSigned ? 3 : 2), using: &random) {
            case 0: return Self.sum(one, other)
            case 1: return Self.product(one, other)
            default: return Self.difference(one, other)
            }
        case 4 where depth > 0:
            let divisor = values.first { $0 > 1 as Value } ?? 1
            let inner = operand(&random, variable, depth: depth - 1)
            return quotient?(inner, divisor) ?? inner
        case 5 where depth > 0:
            let divisor = values.first { $0 > 1 as Value } ?? 1
            return remainder?(operand(&random, variable, depth: depth - 1), divisor)
                ?? operand(&random, variable, depth: 0)
        case 6 where depth > 0:
            let inner = operand(&random, variable, depth: depth - 1)
            return minus?(inner) ?? inner
        case 7 where !optionals.isEmpty, 8 where !optionals.isEmpty:
            let node = PredicateExpressions.build_KeyPath(
                root: variable, keyPath: TypedLeaves.pick(optionals, &random))
            return PredicateExpressions.build_NilCoalesce(
                lhs: node, rhs: PredicateExpressions.build_Arg(TypedLeaves.pick(values, &random)))
        default:
            guard !fields.isEmpty else { return PredicateExpressions.build_Arg(TypedLeaves.pick(values, &random)) }
            return PredicateExpressions.build_KeyPath(root: variable, keyPath: TypedLeaves.pick(fields, &random))
        }
    }

    private static func sum(
        _ one: some StandardPredicateExpression<Value>, _ other: some StandardPredicateExpression<Value>
    ) -> Node { PredicateExpressions.build_Arithmetic(lhs: one, rhs: other, op: .add) }

    private static func difference(
        _ one: some StandardPredicateExpression<Value>, _ other: some StandardPredicateExpression<Value>
    ) -> Node { PredicateExpressions.build_Arithmetic(lhs: one, rhs: other, op: .subtract) }

    private static func product(
        _ one: some StandardPredicateExpression<Value>, _ other: some StandardPredicateExpression<Value>
    ) -> Node { PredicateExpressions.build_Arithmetic(lhs: one, rhs: other, op: .multiply) }
}

extension TypedLeaves {
    /// Comparisons of two numbers of one type, each a property, a captured value, or calculated.
    public static func numbers<Root, Value>(_ operands: NumberOperands<Root, Value>) -> TypedLeaf<Root> {
        { random, variable in
            let one = operands.operand(&random, variable)
            let other = operands.operand(&random, variable)
            return ordered(one, other, &random)
        }
    }

    /// The order of values with captured ones, and ranges.
    public static func order<Root, Value: CapturedValue & Comparable>(
        _ path: Path<Root, Value>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            inOrder(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), values, &random)
        }
    }

    /// The same for an optional.
    public static func optionalOrder<Root, Value: CapturedValue & Comparable>(
        _ path: Path<Root, Value?>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            if random.chance(0.4) {
                let other = PredicateExpressions.build_Arg(pick(values, &random))
                return inOrder(PredicateExpressions.build_NilCoalesce(lhs: node, rhs: other), values, &random)
            }
            return behind(node, &random) { random, variable in inOrder(variable, values, &random) }
        }
    }

    private static func inOrder<Value: CapturedValue & Comparable>(
        _ node: some StandardPredicateExpression<Value>, _ values: [Value], _ random: inout SeededGenerator
    ) -> TypedCondition {
        let bounds = [pick(values, &random), pick(values, &random)].sorted()
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            return PredicateExpressions.build_contains(
                PredicateExpressions.build_ClosedRange(
                    lower: PredicateExpressions.build_Arg(bounds[0]), upper: PredicateExpressions.build_Arg(bounds[1])),
                node)
        case 1:
            return PredicateExpressions.build_contains(
                PredicateExpressions.build_Range(
                    lower: PredicateExpressions.build_Arg(bounds[0]), upper: PredicateExpressions.build_Arg(bounds[1])),
                node)
        case 2: return PredicateExpressions.build_contains(PredicateExpressions.build_Arg(bounds[0]...bounds[1]), node)
        default: return ordered(node, CapturedNode.value(bounds[0], &random), &random)
        }
    }

    private static func ordered<Value: Comparable>(
        _ one: some StandardPredicateExpression<Value>, _ other: some StandardPredicateExpression<Value>,
        _ random: inout SeededGenerator
    ) -> TypedCondition {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: PredicateExpressions.build_Equal(lhs: one, rhs: other)
        case 1: PredicateExpressions.build_NotEqual(lhs: one, rhs: other)
        case 2: PredicateExpressions.build_Comparison(lhs: one, rhs: other, op: .lessThan)
        case 3: PredicateExpressions.build_Comparison(lhs: one, rhs: other, op: .lessThanOrEqual)
        case 4: PredicateExpressions.build_Comparison(lhs: one, rhs: other, op: .greaterThan)
        default: PredicateExpressions.build_Comparison(lhs: one, rhs: other, op: .greaterThanOrEqual)
        }
    }
}
