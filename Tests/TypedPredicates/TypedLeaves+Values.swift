// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on values of any kind: equality, membership in captured lists, nil.

import CoreDataTestSupport
import Foundation

/// Makes the leaves of a catalogue, for a key path and values of its type.
public enum TypedLeaves {
    public typealias Path<Root, Value> = any KeyPath<Root, Value> & Sendable

    /// Equality with captured values, and membership in captured lists and sets.
    public static func values<Root, Value: CapturedValue>(
        _ path: Path<Root, Value>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            return compared(node, values, &random)
        }
    }

    /// The same with nil among the values, and conditions on the wrapped value.
    public static func optionals<Root, Value: CapturedValue>(
        _ path: Path<Root, Value?>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                let null = PredicateExpressions.build_NilLiteral() as PredicateExpressions.NilLiteral<Value>
                return random.chance(0.5)
                    ? PredicateExpressions.build_Equal(lhs: node, rhs: null)
                    : PredicateExpressions.build_NotEqual(lhs: node, rhs: null)
            case 1:
                let other = PredicateExpressions.build_Arg(pick(values, &random))
                return compared(PredicateExpressions.build_NilCoalesce(lhs: node, rhs: other), values, &random)
            case 2, 3:
                return behind(node, &random) { random, variable in compared(variable, values, &random) }
            default: return compared(node, values.map(Optional.some) + [nil], &random)
            }
        }
    }

    /// A condition on a node.
    static func compared<Value: CapturedValue>(
        _ node: some StandardPredicateExpression<Value>, _ values: [Value], _ random: inout SeededGenerator
    ) -> TypedCondition {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return equal(node, CapturedNode.value(pick(values, &random), &random), isEqual: true)
        case 2: return equal(node, CapturedNode.value(pick(values, &random), &random), isEqual: false)
        case 3:
            let set = Set(values.filter { _ in random.chance(0.4) })
            return PredicateExpressions.SequenceContains(
                sequence: PredicateExpressions.build_Arg(set), element: node)
        case 4:
            let list = values.filter { _ in random.chance(0.4) }
            let isAny = random.chance(0.5)
            let source = PredicateExpressions.build_Arg(list)
            if isAny {
                return PredicateExpressions.build_contains(source) {
                    PredicateExpressions.build_Equal(lhs: node, rhs: $0)
                }
            }
            return PredicateExpressions.build_allSatisfy(source) {
                PredicateExpressions.build_NotEqual(lhs: $0, rhs: node)
            }
        default: return contains(CapturedNode.list(values.filter { _ in random.chance(0.4) }, &random), node)
        }
    }

    private static func equal<Value: Equatable>(
        _ one: some StandardPredicateExpression<Value>, _ other: some StandardPredicateExpression<Value>, isEqual: Bool
    ) -> TypedCondition {
        isEqual
            ? PredicateExpressions.build_Equal(lhs: one, rhs: other)
            : PredicateExpressions.build_NotEqual(lhs: one, rhs: other)
    }

    private static func contains<Value: CapturedValue>(
        _ list: some StandardPredicateExpression<[Value]>, _ element: some StandardPredicateExpression<Value>
    ) -> TypedCondition {
        PredicateExpressions.SequenceContains(sequence: list, element: element)
    }

    // MARK: Optionals

    /// A condition on the value of an optional, and its result for nil.
    static func behind<Wrapped>(
        _ node: some StandardPredicateExpression<Wrapped?>, _ random: inout SeededGenerator,
        _ condition: (inout SeededGenerator, PredicateExpressions.Variable<Wrapped>) -> TypedCondition
    ) -> TypedCondition {
        let start = random
        // The condition is drawn twice: first for its type, then with the variable of the node.
        let sample = condition(&random, PredicateExpressions.Variable())
        func make(_ variable: PredicateExpressions.Variable<Wrapped>) -> TypedCondition {
            var again = start
            return condition(&again, variable)
        }
        return settled(flatMap(node, sample, make), &random)
    }

    private static func flatMap<Wrapped, Condition: StandardPredicateExpression<Bool>>(
        _ node: some StandardPredicateExpression<Wrapped?>, _ sample: Condition,
        _ make: (PredicateExpressions.Variable<Wrapped>) -> TypedCondition
    ) -> any StandardPredicateExpression<Bool?> {
        // The generator repeats its draws, and with them the type.
        PredicateExpressions.build_flatMap(node) { make($0) as! Condition }
    }

    private static func settled(
        _ node: some StandardPredicateExpression<Bool?>, _ random: inout SeededGenerator
    ) -> TypedCondition {
        let answer = random.chance(0.5)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return PredicateExpressions.build_NilCoalesce(lhs: node, rhs: PredicateExpressions.build_Arg(answer))
        case 1:
            return PredicateExpressions.build_Equal(
                lhs: node, rhs: PredicateExpressions.build_NilLiteral() as PredicateExpressions.NilLiteral<Bool>)
        case 2:
            return PredicateExpressions.build_NotEqual(
                lhs: node, rhs: PredicateExpressions.build_Arg(answer as Bool?))
        default:
            return PredicateExpressions.build_Equal(
                lhs: node, rhs: PredicateExpressions.build_Arg(answer as Bool?))
        }
    }

    static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
