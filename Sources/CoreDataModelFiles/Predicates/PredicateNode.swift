// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Predicates of model files as trees, between their text and their archived form.

import Foundation

/// What a predicate of a model says. This is for moving predicates between files; it evaluates nothing.
indirect enum PredicateNode: Equatable {
    enum Combination: Int { case not, and, or }
    /// Raw values are those of Foundation's comparison modifiers.
    enum Modifier: Int { case direct, all, any }

    /// Raw values are those of Foundation's operator types.
    enum Comparison: Int {
        case less = 0
        case lessOrEqual = 1
        case greater = 2
        case greaterOrEqual = 3
        case equal = 4
        case notEqual = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case isIn = 10
        case contains = 99
        case between = 100
    }

    /// Bits as in Foundation: 1 ignores case, 2 diacritics, 4 says that both sides are normalized.
    typealias Options = Int

    case constant(Bool)
    case compound(Combination, [PredicateNode])
    case comparison(ExpressionNode, Comparison, ExpressionNode, Modifier, Options)
}

/// One side of a comparison.
indirect enum ExpressionNode: Equatable {
    enum SetOperation: Int {
        case union = 5
        case intersection = 6
        case minus = 7
    }

    case selfObject
    case anyKey
    case variable(String)
    case constant(PropertyListValue)
    /// A key path from the object itself, or from what another expression gives.
    case keyPath(ExpressionNode?, String)
    /// One of the functions that the format knows, by selector: `count:`, `add:to:`.
    case function(String, [ExpressionNode])
    /// Any method of an object.
    case call(ExpressionNode, String, [ExpressionNode])
    case aggregate([ExpressionNode])
    case subquery(ExpressionNode, String, PredicateNode)
    case ternary(PredicateNode, ExpressionNode, ExpressionNode)
    case set(SetOperation, ExpressionNode, ExpressionNode)
    /// What a request gives in a context, or how many.
    case fetch(ExpressionNode, context: ExpressionNode, countsOnly: Bool)
}
