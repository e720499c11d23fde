// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets a program decide part by part whether a predicate of unknown origin may be evaluated.

public import Foundation

/// Looks at the parts of a predicate before it may be evaluated, and throws at one that it does not want.
///
/// Methods that are left out allow everything.
/// - Source: Foundation's interface as of macOS 26.4, which does not say more; the order of visits is ours.
public protocol NSPredicateValidating: AnyObject {
    /// For every predicate, the whole one first.
    func visit(_ predicate: NSPredicate) throws

    /// For every expression, outer ones first, key paths included.
    func visit(_ expression: NSExpression) throws

    /// For the operator of every comparison.
    func visit(_ operatorType: NSComparisonPredicate.Operator) throws

    /// For every key path.
    ///
    /// - Parameters:
    ///   - scope: the keys in front of the last one; nil where there are none.
    ///   - key: the last key.
    func visitExpressionKeyPath(_ expression: NSExpression, scope: String?, key: String?) throws
}

extension NSPredicateValidating {
    public func visit(_ predicate: NSPredicate) throws {}
    public func visit(_ expression: NSExpression) throws {}
    public func visit(_ operatorType: NSComparisonPredicate.Operator) throws {}
    public func visitExpressionKeyPath(_ expression: NSExpression, scope: String?, key: String?) throws {}
}

extension NSPredicate {
    /// Shows every part to a validator, and lets the predicate be evaluated where it throws at none.
    ///
    /// - Throws: the validator's error; the predicate is then not allowed.
    public func allowEvaluation(validator: any NSPredicateValidating) throws {
        try PredicateValidation(validator: validator).check(faithfulCopy)
        allowEvaluation()
    }
}

/// Walks what was read; trees are bounded, and so is the stack.
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
