// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on texts and on related objects.

import CoreData
import CoreDataTestSupport
import Foundation

extension TypedLeaves {
    /// Parts, lengths and order of texts.
    public static func texts<Root>(_ path: Path<Root, String>, _ values: [String]) -> TypedLeaf<Root> {
        { random, variable in
            text(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), values, &random)
        }
    }

    /// The same for an optional.
    public static func optionalTexts<Root>(_ path: Path<Root, String?>, _ values: [String]) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            if random.chance(0.4) {
                let other = PredicateExpressions.build_Arg(pick(values, &random))
                return text(PredicateExpressions.build_NilCoalesce(lhs: node, rhs: other), values, &random)
            }
            return behind(node, &random) { random, variable in text(variable, values, &random) }
        }
    }

    static func text(
        _ node: some StandardPredicateExpression<String>, _ values: [String], _ random: inout SeededGenerator
    ) -> TypedCondition {
        let part = PredicateExpressions.build_Arg(pick(values, &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return PredicateExpressions.build_contains(node, part)
        case 1: return PredicateExpressions.build_starts(node, with: part)
        case 2: return PredicateExpressions.build_localizedStandardContains(node, part)
        case 3: return PredicateExpressions.build_KeyPath(root: node, keyPath: \.isEmpty)
        case 4:
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: node, keyPath: \.count),
                rhs: PredicateExpressions.build_Arg(Int.random(in: 0...3, using: &random)))
        case 5:
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_caseInsensitiveCompare(node, part),
                rhs: PredicateExpressions.build_Arg(ComparisonResult.orderedSame))
        case 6: return PredicateExpressions.build_Comparison(lhs: node, rhs: part, op: .lessThan)
        default: return compared(node, values, &random)
        }
    }

    /// Conditions on the object at a to-one.
    public static func toOne<Root, Other>(
        _ path: Path<Root, Other?>, _ leaves: [TypedLeaf<Other>]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            return behind(node, &random) { random, other in
                Joining.condition(random.chance(0.2) ? 1 : 0, other, &random, leaves)
            }
        }
    }

    /// A value of the object at a to-one; nil without the object.
    public static func valueOfToOne<Root, Other, Value: CapturedValue>(
        _ path: Path<Root, Other?>, _ member: Path<Other, Value>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let node = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            let value = PredicateExpressions.build_flatMap(node) {
                PredicateExpressions.build_KeyPath(root: $0, keyPath: member)
            }
            return compared(value, values.map(Optional.some) + [nil], &random)
        }
    }

    /// Conditions on the members of a to-many.
    public static func toMany<Root, Members: Collection & SendableMetatype>(
        _ path: Path<Root, Members>, _ leaves: [TypedLeaf<Members.Element>]
    ) -> TypedLeaf<Root> {
        { random, variable in
            members(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), leaves, &random)
        }
    }

    /// The same of an optional to-many.
    public static func optionalToMany<Root, Members: Collection & SendableMetatype>(
        _ path: Path<Root, Members?>, _ leaves: [TypedLeaf<Members.Element>]
    ) -> TypedLeaf<Root> {
        { random, variable in
            behind(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), &random) { random, variable in
                members(variable, leaves, &random)
            }
        }
    }

    /// The number of members of a set.
    public static func setCount<Root, Element: Hashable & SendableMetatype>(
        _ path: Path<Root, Set<Element>>
    ) -> TypedLeaf<Root> {
        { random, variable in
            let members = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            return random.chance(0.3)
                ? PredicateExpressions.build_KeyPath(root: members, keyPath: \.isEmpty)
                : counted(PredicateExpressions.build_KeyPath(root: members, keyPath: \.count), &random)
        }
    }

    /// The number of members of an optional list.
    public static func optionalListCount<Root, Element: SendableMetatype>(
        _ path: Path<Root, [Element]?>
    ) -> TypedLeaf<Root> {
        { random, variable in
            behind(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), &random) { random, members in
                random.chance(0.3)
                    ? PredicateExpressions.build_KeyPath(root: members, keyPath: \.isEmpty)
                    : counted(PredicateExpressions.build_KeyPath(root: members, keyPath: \.count), &random)
            }
        }
    }

    private static func counted(
        _ node: some StandardPredicateExpression<Int>, _ random: inout SeededGenerator
    ) -> TypedCondition {
        let count = PredicateExpressions.build_Arg(Int.random(in: 0...2, using: &random))
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: PredicateExpressions.build_Equal(lhs: node, rhs: count)
        case 1: PredicateExpressions.build_Comparison(lhs: node, rhs: count, op: .greaterThan)
        default: PredicateExpressions.build_Comparison(lhs: node, rhs: count, op: .lessThanOrEqual)
        }
    }

    private static func members<Members: Collection & SendableMetatype>(
        _ node: some StandardPredicateExpression<Members>, _ leaves: [TypedLeaf<Members.Element>],
        _ random: inout SeededGenerator
    ) -> TypedCondition {
        let count = PredicateExpressions.build_Arg(Int.random(in: 0...2, using: &random))
        let start = random
        func make(_ variable: PredicateExpressions.Variable<Members.Element>) -> TypedCondition {
            var again = start
            return Joining.condition(0, variable, &again, leaves)
        }
        let sample = Joining.condition(0, PredicateExpressions.Variable(), &random, leaves)
        // Foundation does not recognize the key path of `Collection.count`: a filter results in an array, with another
        // one.
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return contains(node, sample, make)
        case 1: return allSatisfy(node, sample, make)
        default: return filtered(node, sample, count, make)
        }
    }

    private static func contains<Members: Collection, Condition: StandardPredicateExpression<Bool>>(
        _ node: some StandardPredicateExpression<Members>, _ sample: Condition,
        _ make: (PredicateExpressions.Variable<Members.Element>) -> TypedCondition
    ) -> TypedCondition {
        PredicateExpressions.build_contains(node) { make($0) as! Condition }
    }

    private static func allSatisfy<Members: Collection, Condition: StandardPredicateExpression<Bool>>(
        _ node: some StandardPredicateExpression<Members>, _ sample: Condition,
        _ make: (PredicateExpressions.Variable<Members.Element>) -> TypedCondition
    ) -> TypedCondition {
        PredicateExpressions.build_allSatisfy(node) { make($0) as! Condition }
    }

    private static func filtered<Members: Collection, Condition: StandardPredicateExpression<Bool>>(
        _ node: some StandardPredicateExpression<Members>, _ sample: Condition,
        _ count: PredicateExpressions.Value<Int>,
        _ make: (PredicateExpressions.Variable<Members.Element>) -> TypedCondition
    ) -> TypedCondition {
        let found = PredicateExpressions.build_filter(node) { make($0) as! Condition }
        return PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(root: found, keyPath: \.count), rhs: count)
    }
}
