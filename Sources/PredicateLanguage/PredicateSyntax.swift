// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The syntax tree of predicates, which is parsed, printed, evaluated, and translated by stores.

package import Foundation

/// The syntax tree of a predicate.
package indirect enum PredicateSyntax {
    case constant(Bool)
    case comparison(ComparisonSyntax)
    case and([PredicateSyntax])
    case or([PredicateSyntax])
    case not(PredicateSyntax)
    /// A closure of the program; no store can translate it.
    case block(PredicateBlock)
}

/// One comparison.
package struct ComparisonSyntax {
    package enum Modifier: UInt, Sendable {
        case direct = 0
        case all = 1
        case any = 2
    }

    /// Raw values are Darwin's.
    package enum Operator: UInt, Sendable {
        case lessThan = 0
        case lessThanOrEqualTo = 1
        case greaterThan = 2
        case greaterThanOrEqualTo = 3
        case equalTo = 4
        case notEqualTo = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case `in` = 10
        /// A closure of the program, instead of Darwin's custom selector.
        case custom = 11
        case contains = 99
        case between = 100
        /// MATCHING, a full-text search. Apple's framework has no such operator.
        case matching = 1000
    }

    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt
        package init(rawValue: UInt) { self.rawValue = rawValue }
        package static let caseInsensitive = Options(rawValue: 1)
        package static let diacriticInsensitive = Options(rawValue: 2)
        package static let normalized = Options(rawValue: 4)
        package static let localeSensitive = Options(rawValue: 8)
    }

    package var left: ExpressionSyntax
    package var modifier: Modifier
    package var operation: Operator
    package var options: Options
    package var right: ExpressionSyntax
    /// The closure of `.custom`.
    package var match: PredicateMatch?

    package init(
        _ left: ExpressionSyntax, _ operation: Operator, _ right: ExpressionSyntax, modifier: Modifier = .direct,
        options: Options = [], match: PredicateMatch? = nil
    ) {
        self.left = left
        self.operation = operation
        self.right = right
        self.modifier = modifier
        self.options = options
        self.match = match
    }
}

/// The syntax tree of an expression.
package indirect enum ExpressionSyntax {
    /// The value supplied by the program; nil for NULL.
    case constant(Any?)
    /// SELF
    case evaluatedObject
    /// $name, without the dollar sign.
    case variable(String)
    /// A key path from the evaluated object, including collection operators ("employees.@sum.salary").
    case keyPath(String)
    /// A key path from another operand ("$x.name").
    case keyPathOn(ExpressionSyntax, String)
    /// A function by Foundation's selector name with colons: "sum:", "add:to:", "now". The name "FUNCTION" denotes a
    /// method call: the arguments are the object, the method's name as a constant, and the method's arguments.
    case function(name: String, arguments: [ExpressionSyntax])
    /// {a, b, c}
    case aggregate([ExpressionSyntax])
    case subquery(collection: ExpressionSyntax, variable: String, predicate: PredicateSyntax)
    case setOperation(SetOperation, ExpressionSyntax, ExpressionSyntax)
    case conditional(PredicateSyntax, ExpressionSyntax, ExpressionSyntax)
    case index(ExpressionSyntax, IndexPosition)
    case anyKey
    case block(ExpressionBlock, arguments: [ExpressionSyntax])

    package enum SetOperation: Sendable { case union, intersection, minus }
    package indirect enum IndexPosition {
        case first
        case last
        case size
        case at(ExpressionSyntax)
    }
}

/// The closure of a predicate, compared by identity.
package final class PredicateBlock {
    package let evaluate: (Any?, [String: Any]?) -> Bool
    /// The predicate object with this closure; two blocks of one owner are equal.
    package let owner: AnyObject?
    package init(owner: AnyObject? = nil, _ evaluate: @escaping (Any?, [String: Any]?) -> Bool) {
        self.owner = owner
        self.evaluate = evaluate
    }
}

/// The closure of a comparison, compared by identity.
package final class PredicateMatch {
    package let match: (Any?, Any?) -> Bool
    package init(_ match: @escaping (Any?, Any?) -> Bool) { self.match = match }
}

/// The closure of an expression, compared by identity.
package final class ExpressionBlock {
    package let value: (Any?, [Any], NSMutableDictionary?) -> Any?
    /// The expression object with this closure; two blocks of one owner are equal.
    package let owner: AnyObject?
    package init(owner: AnyObject? = nil, _ value: @escaping (Any?, [Any], NSMutableDictionary?) -> Any?) {
        self.owner = owner
        self.value = value
    }
}
