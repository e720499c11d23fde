// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits the depth of syntax trees that programs build, so that they do not overflow a stack.

/// The parser limits the depth of texts. Objects can be nested without limit. Beyond the limit a part that cannot be
/// evaluated replaces the deeper levels, so that walks of a tree need not count.
package enum PredicateDepth {
    /// The limit for nested objects, both compound predicates and expressions.
    package static let maximum = 200
}

extension PredicateSyntax {
    /// Replaces parts beyond the limit. Evaluating it is a `PredicateEvaluationError`.
    package static var tooDeep: PredicateSyntax {
        .comparison(ComparisonSyntax(.tooDeep, .equalTo, .constant(true)))
    }

    /// The number of nested levels, including this one.
    package var depth: Int {
        switch self {
        case .constant, .block: 1
        case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
        case .and(let parts), .or(let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        }
    }
}

extension ExpressionSyntax {
    /// Replaces parts beyond the limit. Evaluating it is a `PredicateEvaluationError`.
    package static var tooDeep: ExpressionSyntax {
        .function(name: PredicateFunctions.tooDeep, arguments: [])
    }

    /// The number of nested levels, including this one.
    package var depth: Int {
        switch self {
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: 1
        case .keyPathOn(let operand, _): 1 + operand.depth
        case .function(_, let parts), .aggregate(let parts), .block(_, let parts):
            1 + (parts.lazy.map(\.depth).max() ?? 0)
        case .subquery(let collection, _, let predicate): 1 + max(collection.depth, predicate.depth)
        case .setOperation(_, let left, let right): 1 + max(left.depth, right.depth)
        case .conditional(let predicate, let first, let second):
            1 + max(predicate.depth, first.depth, second.depth)
        case .index(let operand, .at(let index)): 1 + max(operand.depth, index.depth)
        case .index(let operand, _): 1 + operand.depth
        }
    }
}
