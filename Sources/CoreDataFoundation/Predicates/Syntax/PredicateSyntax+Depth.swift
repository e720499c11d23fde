// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps trees that code builds from growing deeper than a stack.

/// Texts have bounds of their own. Objects do not: each may be made of another, a hundred thousand times. Where the bound is
/// passed, a part that no one can evaluate stands for what is below, so that nobody who walks a tree has to count.
package enum PredicateDepth {
    /// Levels of objects within objects, of compound predicates and of expressions alike.
    package static let maximum = 200
}

extension PredicateSyntax {
    /// What stands for parts beyond the bound. Asking it is a `PredicateEvaluationError`.
    static var tooDeep: PredicateSyntax {
        .comparison(ComparisonSyntax(.tooDeep, .equalTo, .constant(true)))
    }

    /// Levels of parts within parts, this one included.
    var depth: Int {
        switch self {
        case .constant, .block: 1
        case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
        case .and(let parts), .or(let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        }
    }
}

extension ExpressionSyntax {
    /// What stands for parts beyond the bound. Asking it is a `PredicateEvaluationError`.
    static var tooDeep: ExpressionSyntax {
        .function(name: PredicateFunctions.tooDeep, arguments: [])
    }

    /// Levels of parts within parts, this one included.
    var depth: Int {
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
