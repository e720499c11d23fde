// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Nodes of captured values: as such, and as members of structures.

import CoreDataTestSupport
import Foundation

/// A type of captured values.
public typealias CapturedValue = Codable & Hashable & Sendable

/// A structure that a predicate captures.
struct Captured<Value: CapturedValue>: CapturedValue {
    struct Nested: CapturedValue {
        let value: Value
        let maybe: Value?
    }

    let value: Value
    let maybe: Value?
    let list: [Value]
    let nested: Nested

    init(_ value: Value, list: [Value] = []) {
        (self.value, self.list) = (value, list)
        maybe = value
        nested = Nested(value: value, maybe: nil)
    }
}

enum CapturedNode {
    typealias Node<Value> = any StandardPredicateExpression<Value>

    /// A value, written in one of the ways in which predicates capture it.
    static func value<Value: CapturedValue>(_ value: Value, _ random: inout SeededGenerator) -> Node<Value> {
        let whole = PredicateExpressions.build_Arg(Captured(value))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return PredicateExpressions.build_KeyPath(root: whole, keyPath: \.value)
        case 1:
            let nested = PredicateExpressions.build_KeyPath(root: whole, keyPath: \.nested)
            return PredicateExpressions.build_KeyPath(root: nested, keyPath: \.value)
        case 2:
            let nested = PredicateExpressions.build_KeyPath(root: whole, keyPath: \.nested)
            return PredicateExpressions.build_NilCoalesce(
                lhs: PredicateExpressions.build_KeyPath(root: nested, keyPath: \.maybe),
                rhs: PredicateExpressions.build_Arg(value))
        case 3:
            return PredicateExpressions.build_ForcedUnwrap(
                PredicateExpressions.build_KeyPath(root: whole, keyPath: \.maybe))
        default: return PredicateExpressions.build_Arg(value)
        }
    }

    /// A list of values, as such or as a member of a structure.
    static func list<Value: CapturedValue>(_ values: [Value], _ random: inout SeededGenerator) -> Node<[Value]> {
        guard random.chance(0.3), let first = values.first else { return PredicateExpressions.build_Arg(values) }
        return PredicateExpressions.build_KeyPath(
            root: PredicateExpressions.build_Arg(Captured(first, list: values)), keyPath: \.list)
    }
}
