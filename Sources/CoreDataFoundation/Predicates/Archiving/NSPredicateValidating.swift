// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets a program inspect each part of a predicate of unknown origin before it may be evaluated.

public import Foundation

/// Validates the parts of a predicate and throws for an unacceptable one.
///
/// The default implementations allow everything.
/// - Source: Foundation's interface as of macOS 26.4. It does not define the order of visits.
public protocol NSPredicateValidating: AnyObject {
    /// Called for every predicate, starting with the whole one.
    func visit(_ predicate: NSPredicate) throws

    /// Called for every expression, outer ones first, including key paths.
    func visit(_ expression: NSExpression) throws

    /// Called for the operator of every comparison.
    func visit(_ operatorType: NSComparisonPredicate.Operator) throws

    /// Called for every key path.
    ///
    /// - Parameters:
    ///   - scope: the keys before the last one; nil for a single key.
    ///   - key: the last key.
    func visitExpressionKeyPath(_ expression: NSExpression, scope: String?, key: String?) throws
}

extension NSPredicateValidating {
    /// Allows the predicate.
    public func visit(_ predicate: NSPredicate) throws {}
    /// Allows the expression.
    public func visit(_ expression: NSExpression) throws {}
    /// Allows the operator.
    public func visit(_ operatorType: NSComparisonPredicate.Operator) throws {}
    /// Allows the key path.
    public func visitExpressionKeyPath(_ expression: NSExpression, scope: String?, key: String?) throws {}
}

extension NSPredicate {
    /// Shows every part to a validator, and allows evaluation unless it throws.
    ///
    /// - Throws: the validator's error; evaluation is then not allowed.
    public func allowEvaluation(validator: any NSPredicateValidating) throws {
        try PredicateValidation(validator: validator).check(faithfulCopy)
        allowEvaluation()
    }
}

/// Walks the tree of an archive; its depth is bounded.
private struct PredicateValidation {
    let validator: any NSPredicateValidating

    func check(_ predicate: NSPredicate) throws {
        try validator.visit(predicate)
        if let comparison = predicate as? NSComparisonPredicate {
            try validator.visit(comparison.predicateOperatorType)
            try check(comparison.leftExpression.syntax)
            try check(comparison.rightExpression.syntax)
        }
        for part in (predicate as? NSCompoundPredicate)?.subpredicates ?? [] { try check(part) }
    }

    private func check(_ syntax: ExpressionSyntax) throws {
        let expression = NSExpression(syntax)
        try validator.visit(expression)
        switch syntax {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(let path): try check(path, of: expression)
        case .keyPathOn(let operand, let path):
            try check(path, of: expression)
            try check(operand)
        case .function(_, let parts), .aggregate(let parts), .block(_, let parts): try parts.forEach(check)
        case .subquery(let collection, _, let predicate):
            try check(collection)
            try check(predicate.predicate)
        case .setOperation(_, let left, let right): try [left, right].forEach(check)
        case .conditional(let predicate, let first, let second):
            try check(predicate.predicate)
            try [first, second].forEach(check)
        case .index(let operand, .at(let index)): try [operand, index].forEach(check)
        case .index(let operand, _): try check(operand)
        }
    }

    private func check(_ path: String, of expression: NSExpression) throws {
        let dot = path.lastIndex(of: ".")
        try validator.visitExpressionKeyPath(
            expression, scope: dot.map { String(path[..<$0]) },
            key: dot.map { String(path[path.index(after: $0)...]) } ?? path)
    }
}
