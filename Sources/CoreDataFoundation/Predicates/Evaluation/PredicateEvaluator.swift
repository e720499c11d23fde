// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates predicates and expressions for objects.

import Foundation

/// A predicate compiled for many objects.
///
/// Compilation parses key paths and patterns, calculates constants and hashes lists of constants once. Use an evaluator
/// on one thread at a time.
package final class PredicateEvaluator {
    private let predicate: CompiledPredicate
    private let frames = FrameMaker()

    /// - Parameters:
    ///   - variables: the values of $names, without the dollar sign.
    ///   - takesAnyText: whether a text that is no search query, or no pattern, matches nothing (Predicates-22).
    /// - Throws: `PredicateEvaluationError` or `KeyValueError` for errors that are independent of an object: a variable
    ///   without value, an invalid pattern, an unknown function, a malformed key path.
    package init(_ syntax: PredicateSyntax, variables: [String: Any] = [:], takesAnyText: Bool = false) throws {
        predicate = try ExpressionCompiler(variables: variables, takesAnyText: takesAnyText).compile(syntax)
    }

    /// - Throws: `KeyValueError` for an unknown key, `PredicateEvaluationError` for unsuitable values.
    package func matches(_ object: Any?) throws -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .test(let test):
            if let ofInstance = test.ofInstance, let instance = frames.instance(object) {
                return try instance.look { try ofInstance.matches($0) }
            }
            return try test.matches(frames.frame(object))
        }
    }
}

/// An expression compiled for many objects.
package struct ReadyExpression {
    private let expression: CompiledExpression
    private let frames = FrameMaker()

    package init(_ syntax: ExpressionSyntax, variables: [String: Any] = [:], takesAnyText: Bool = false) throws {
        expression = try ExpressionCompiler(variables: variables, takesAnyText: takesAnyText).compile(syntax)
    }

    package func value(of object: Any?) throws -> Any? { try expression.value(in: frames.frame(object)) }
}

package enum ExpressionEvaluator {
    /// The value of an expression for one object; use `ReadyExpression` for several.
    package static func value(
        of syntax: ExpressionSyntax, object: Any?, variables: [String: Any] = [:], takesAnyText: Bool = false
    ) throws -> Any? {
        try ReadyExpression(syntax, variables: variables, takesAnyText: takesAnyText).value(of: object)
    }
}

/// The state of one evaluation: the object, and the current members of enclosing subqueries.
struct EvaluationFrame {
    /// The object, if it is an NSObject; otherwise see `other`.
    let instance: NSObject?
    private let other: Any?
    var bindings: [Any?] = []

    var object: Any? { instance ?? other }

    init(_ object: Any?) {
        instance = nil
        other = object
    }

    init(instance: NSObject) {
        self.instance = instance
        other = nil
    }

    static var empty: EvaluationFrame { EvaluationFrame(nil) }
}

/// A closure in a struct: as an array element it would be wrapped in another closure.
struct CompiledTest {
    let matches: (borrowing EvaluationFrame) throws -> Bool
    /// The same test for an instance without a frame; nil if a frame is needed.
    var ofInstance: InstanceTest?
}

enum CompiledPredicate {
    case constant(Bool)
    case test(CompiledTest)

    static func asking(_ matches: @escaping (borrowing EvaluationFrame) throws -> Bool) -> Self {
        .test(CompiledTest(matches: matches))
    }

    func matches(in frame: EvaluationFrame) throws -> Bool {
        switch self {
        case .constant(let value): value
        case .test(let test): try test.matches(frame)
        }
    }
}

enum CompiledExpression {
    case constant(Any?)
    case property(ReadyKeyPath)
    case calculation((EvaluationFrame) throws -> Any?)

    func value(in frame: EvaluationFrame) throws -> Any? {
        switch self {
        case .constant(let value): value
        case .property(let path): try path.value(of: frame.object)
        case .calculation(let calculate): try calculate(frame)
        }
    }

    /// The value in comparable form; a property is not boxed on the way.
    func comparable(in frame: EvaluationFrame) throws -> ComparableValue {
        switch self {
        case .constant(let value): ComparableValue(value)
        case .property(let path): try path.comparable(in: frame)
        case .calculation(let calculate): ComparableValue(try calculate(frame))
        }
    }

    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}
