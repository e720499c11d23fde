// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The syntax tree of predicates in model files, between their text and their archived form.

import Foundation

/// The syntax tree of a predicate in a model, for conversion between files. It cannot be evaluated.
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

    /// Bits as in Foundation: 1 ignores case, 2 ignores diacritics, 4 marks both sides as normalized.
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
    /// A key path from the object itself, or from the value of another expression.
    case keyPath(ExpressionNode?, String)
    /// A function of the format language, by selector: `count:`, `add:to:`.
    case function(String, [ExpressionNode])
    /// A call of any method of an object.
    case call(ExpressionNode, String, [ExpressionNode])
    case aggregate([ExpressionNode])
    case subquery(ExpressionNode, String, PredicateNode)
    case ternary(PredicateNode, ExpressionNode, ExpressionNode)
    case set(SetOperation, ExpressionNode, ExpressionNode)
    /// The results of a request in a context, or their number.
    case fetch(ExpressionNode, context: ExpressionNode, countsOnly: Bool)
}
