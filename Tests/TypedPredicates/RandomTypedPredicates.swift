// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws typed predicates from Foundation's nodes, as `#Predicate` composes them. A seed repeats them.

public import CoreDataTestSupport
public import Foundation

/// A node with a Boolean result.
public typealias TypedCondition = any StandardPredicateExpression<Bool>

/// Draws one condition on an object.
public typealias TypedLeaf<Root> =
    @Sendable (inout SeededGenerator, PredicateExpressions.Variable<Root>) -> TypedCondition

/// Joins conditions that are drawn from a catalogue.
public struct RandomTypedPredicates<Root> {
    private var random: SeededGenerator
    private let leaves: [TypedLeaf<Root>]

    public init(seed: UInt64, _ leaves: [TypedLeaf<Root>]) {
        random = SeededGenerator(seed: seed)
        self.leaves = leaves
    }

    public mutating func predicate(depth: Int = 2) -> Predicate<Root> {
        var random = self.random
        defer { self.random = random }
        return Predicate { variable in Joining.condition(depth, variable, &random, leaves) }
    }
}

enum Joining {
    static func condition<Root>(
        _ depth: Int, _ variable: PredicateExpressions.Variable<Root>, _ random: inout SeededGenerator,
        _ leaves: [TypedLeaf<Root>]
    ) -> TypedCondition {
        guard depth > 0, random.chance(0.6) else {
            return leaves[Int.random(in: 0..<leaves.count, using: &random)](&random, variable)
        }
        let one = condition(depth - 1, variable, &random, leaves)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return negation(one)
        case 2...4: return conjunction(one, condition(depth - 1, variable, &random, leaves))
        case 5, 6: return disjunction(one, condition(depth - 1, variable, &random, leaves))
        default:
            let (yes, no) = (
                condition(0, variable, &random, leaves), condition(0, variable, &random, leaves)
            )
            return conditional(one, yes, no)
        }
    }

    private static func negation(_ one: some StandardPredicateExpression<Bool>) -> TypedCondition {
        PredicateExpressions.build_Negation(one)
    }

    private static func conjunction(
        _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> TypedCondition {
        PredicateExpressions.build_Conjunction(lhs: one, rhs: other)
    }

    private static func disjunction(
        _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> TypedCondition {
        PredicateExpressions.build_Disjunction(lhs: one, rhs: other)
    }

    private static func conditional(
        _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<Bool>,
        _ no: some StandardPredicateExpression<Bool>
    ) -> TypedCondition {
        PredicateExpressions.build_Conditional(test, yes, no)
    }
}
