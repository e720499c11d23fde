// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers whether objects match a predicate, and what expressions are worth.

import Foundation

/// A predicate made ready once for many objects.
///
/// Key paths are split, patterns compiled, constants calculated and lists of constants hashed here, not per object.
/// Use one evaluator on one thread at a time.
package struct PredicateEvaluator {
    private let predicate: CompiledPredicate

    /// - Parameter variables: values of $names, without the dollar sign.
    /// - Throws: `PredicateEvaluationError` or `KeyValueError` for what is wrong before any object is looked at: a variable
    ///   without value, a bad pattern, an unknown function, a malformed key path.
    package init(_ syntax: PredicateSyntax, variables: [String: Any] = [:]) throws {
        predicate = try ExpressionCompiler(variables: variables).compile(syntax)
    }

    /// - Throws: `KeyValueError` where the object has no such key, `PredicateEvaluationError` where values do not suit.
    package func matches(_ object: Any?) throws -> Bool {
        switch predicate {
        case .constant(let value): value
        case .test(let test): try test(EvaluationFrame(object: object))
        }
    }
}

/// An expression made ready once for many objects.
package struct ReadyExpression {
    private let expression: CompiledExpression

    package init(_ syntax: ExpressionSyntax, variables: [String: Any] = [:]) throws {
        expression = try ExpressionCompiler(variables: variables).compile(syntax)
    }

    package func value(of object: Any?) throws -> Any? { try expression.value(in: EvaluationFrame(object: object)) }
}

package enum ExpressionEvaluator {
    /// The value of an expression for one object; use `ReadyExpression` for many.
    package static func value(
        of syntax: ExpressionSyntax, object: Any?, variables: [String: Any] = [:]
    ) throws -> Any? {
        try ReadyExpression(syntax, variables: variables).value(of: object)
    }
}

/// What one evaluation knows: the object, and the members that subqueries around the place are looking at.
struct EvaluationFrame {
    let object: Any?
    var bindings: [Any?] = []
}

enum CompiledPredicate {
    case constant(Bool)
    case test((EvaluationFrame) throws -> Bool)

    func matches(in frame: EvaluationFrame) throws -> Bool {
        switch self {
        case .constant(let value): value
        case .test(let test): try test(frame)
        }
    }
}

enum CompiledExpression {
    case constant(Any?)
    case calculation((EvaluationFrame) throws -> Any?)

    func value(in frame: EvaluationFrame) throws -> Any? {
        switch self {
        case .constant(let value): value
        case .calculation(let calculate): try calculate(frame)
        }
    }

    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}
