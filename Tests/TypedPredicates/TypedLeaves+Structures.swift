// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on members of structures. A typed predicate has a node for each property of the path.

import CoreDataTestSupport
import Foundation

extension TypedLeaves {
    /// Equality of a structure's member with captured values.
    public static func memberValues<Root, Owner: SendableMetatype, Value: CapturedValue>(
        _ path: Path<Root, Owner>, _ member: Path<Owner, Value>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in compared(node(variable, path, member), values, &random) }
    }

    /// Parts, lengths and order of a text in a structure.
    public static func memberTexts<Root, Owner: SendableMetatype>(
        _ path: Path<Root, Owner>, _ member: Path<Owner, String>, _ values: [String]
    ) -> TypedLeaf<Root> {
        { random, variable in text(node(variable, path, member), values, &random) }
    }

    /// Equality of a structure's optional member with captured values and nil.
    public static func memberOptionals<Root, Owner: SendableMetatype, Value: CapturedValue>(
        _ path: Path<Root, Owner>, _ member: Path<Owner, Value?>, _ values: [Value]
    ) -> TypedLeaf<Root> {
        { random, variable in
            let value = node(variable, path, member)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return behind(value, &random) { random, variable in compared(variable, values, &random) }
            case 1:
                let other = PredicateExpressions.build_Arg(pick(values, &random))
                return compared(PredicateExpressions.build_NilCoalesce(lhs: value, rhs: other), values, &random)
            default: return compared(value, values.map(Optional.some) + [nil], &random)
            }
        }
    }

    /// Conditions on a structure that another structure may hold.
    public static func memberStructure<Root, Owner: SendableMetatype, Inner>(
        _ path: Path<Root, Owner>, _ member: Path<Owner, Inner?>, _ leaves: [TypedLeaf<Inner>]
    ) -> TypedLeaf<Root> {
        { random, variable in
            behind(node(variable, path, member), &random) { random, inner in
                Joining.condition(0, inner, &random, leaves)
            }
        }
    }

    /// Conditions on an optional structure.
    public static func structure<Root, Owner>(
        _ path: Path<Root, Owner?>, _ leaves: [TypedLeaf<Owner>]
    ) -> TypedLeaf<Root> { toOne(path, leaves) }

    private static func node<Root, Owner: SendableMetatype, Value: SendableMetatype>(
        _ variable: PredicateExpressions.Variable<Root>, _ path: Path<Root, Owner>, _ member: Path<Owner, Value>
    ) -> some StandardPredicateExpression<Value> {
        PredicateExpressions.build_KeyPath(
            root: PredicateExpressions.build_KeyPath(root: variable, keyPath: path), keyPath: member)
    }
}
