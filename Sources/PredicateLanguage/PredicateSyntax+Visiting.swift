// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Walks syntax trees: lists their parts and replaces expressions.

extension PredicateSyntax {
    /// The parts of a conjunction; nested conjunctions are flattened, and true parts are omitted.
    package var conjuncts: [PredicateSyntax] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .constant(true): []
        default: [self]
        }
    }

    /// Calls the closure for every expression, outer ones first, including the predicates of subqueries.
    package func visitExpressions(_ visit: (ExpressionSyntax) throws -> Void) rethrows {
        switch self {
        case .constant, .block: break
        case .comparison(let comparison):
            try comparison.left.visitExpressions(visit)
            try comparison.right.visitExpressions(visit)
        case .and(let parts), .or(let parts): for part in parts { try part.visitExpressions(visit) }
        case .not(let part): try part.visitExpressions(visit)
        }
    }

    /// Replaces expressions, outer ones first.
    ///
    /// - Parameter replacement: nil keeps the expression and continues with its parts.
    package func replacingExpressions<Failure: Error>(
        _ replacement: (ExpressionSyntax) throws(Failure) -> ExpressionSyntax?
    ) throws(Failure) -> PredicateSyntax {
        switch self {
        case .constant, .block: return self
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacingExpressions(replacement)
            comparison.right = try comparison.right.replacingExpressions(replacement)
            return .comparison(comparison)
        case .and(let parts):
            return .and(try parts.map { part throws(Failure) in try part.replacingExpressions(replacement) })
        case .or(let parts):
            return .or(try parts.map { part throws(Failure) in try part.replacingExpressions(replacement) })
        case .not(let part): return .not(try part.replacingExpressions(replacement))
        }
    }

    /// Every key path from the evaluated object, without duplicates, in the order of the text.
    package var keyPaths: [String] {
        var paths = KeyPathList()
        visitExpressions { paths.add($0) }
        return paths.paths
    }

    /// The names of all free variables, without duplicates.
    package var variables: [String] {
        var names: [String] = []
        collectVariables(bound: [], into: &names)
        return names
    }

    fileprivate func collectVariables(bound: Set<String>, into names: inout [String]) {
        // A replacement that replaces nothing can stop at a subquery, which binds its own variable.
        _ = replacingExpressions { expression in
            expression.collect(bound: bound, into: &names)
        }
    }

    /// Whether a part is a closure, which no store can translate.
    package var containsCode: Bool {
        switch self {
        case .constant: return false
        case .block: return true
        case .comparison(let comparison):
            var containsCode = comparison.match != nil
            visitExpressions { expression in
                switch expression {
                case .block: containsCode = true
                case .subquery(_, _, let predicate): containsCode = containsCode || predicate.containsCode
                case .conditional(let predicate, _, _): containsCode = containsCode || predicate.containsCode
                default: break
                }
            }
            return containsCode
        case .and(let parts), .or(let parts): return parts.contains(where: \.containsCode)
        case .not(let part): return part.containsCode
        }
    }
}

extension ExpressionSyntax {
    /// Calls the closure for this expression and all its parts.
    package func visitExpressions(_ visit: (ExpressionSyntax) throws -> Void) rethrows {
        try visit(self)
        switch self {
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: break
        case .keyPathOn(let operand, _): try operand.visitExpressions(visit)
        case .function(_, let parts), .aggregate(let parts), .block(_, let parts):
            for part in parts { try part.visitExpressions(visit) }
        case .subquery(let collection, _, let predicate):
            try collection.visitExpressions(visit)
            try predicate.visitExpressions(visit)
        case .setOperation(_, let left, let right):
            try left.visitExpressions(visit)
            try right.visitExpressions(visit)
        case .conditional(let predicate, let first, let second):
            try predicate.visitExpressions(visit)
            try first.visitExpressions(visit)
            try second.visitExpressions(visit)
        case .index(let operand, let position):
            try operand.visitExpressions(visit)
            if case .at(let index) = position { try index.visitExpressions(visit) }
        }
    }

    /// Replaces this expression or its parts, outer ones first; nil keeps an expression and continues with its parts.
    package func replacingExpressions<Failure: Error>(
        _ replacement: (ExpressionSyntax) throws(Failure) -> ExpressionSyntax?
    ) throws(Failure) -> ExpressionSyntax {
        if let other = try replacement(self) { return other }
        func replaced(_ part: ExpressionSyntax) throws(Failure) -> ExpressionSyntax {
            try part.replacingExpressions(replacement)
        }
        switch self {
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return self
        case .keyPathOn(let operand, let path): return PredicateParser.path(path, on: try replaced(operand))
        case .function(let name, let arguments): return .function(name: name, arguments: try arguments.map(replaced))
        case .aggregate(let members): return .aggregate(try members.map(replaced))
        case .block(let block, let arguments): return .block(block, arguments: try arguments.map(replaced))
        case .subquery(let collection, let variable, let predicate):
            let predicate = try predicate.replacingExpressions(replacement)
            return .subquery(collection: try replaced(collection), variable: variable, predicate: predicate)
        case .setOperation(let operation, let left, let right):
            return .setOperation(operation, try replaced(left), try replaced(right))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                try predicate.replacingExpressions(replacement), try replaced(first), try replaced(second))
        case .index(let operand, .at(let index)): return .index(try replaced(operand), .at(try replaced(index)))
        case .index(let operand, let position): return .index(try replaced(operand), position)
        }
    }

    /// Every key path from the evaluated object, without duplicates.
    package var keyPaths: [String] {
        var paths = KeyPathList()
        visitExpressions { paths.add($0) }
        return paths.paths
    }

    fileprivate func collect(bound: Set<String>, into names: inout [String]) -> ExpressionSyntax? {
        switch self {
        case .variable(let name):
            if !bound.contains(name), !names.contains(name) { names.append(name) }
            return self
        case .subquery(let collection, let variable, let predicate):
            PredicateSyntax.comparison(ComparisonSyntax(collection, .equalTo, .constant(nil)))
                .collectVariables(bound: bound, into: &names)
            predicate.collectVariables(bound: bound.union([variable]), into: &names)
            return self
        default: return nil
        }
    }
}

private struct KeyPathList {
    var paths: [String] = []
    private var known: Set<String> = []

    mutating func add(_ expression: ExpressionSyntax) {
        guard case .keyPath(let path) = expression, known.insert(path).inserted else { return }
        paths.append(path)
    }
}
