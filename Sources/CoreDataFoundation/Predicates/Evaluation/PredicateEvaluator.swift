// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers whether objects match a predicate, and what expressions are worth.

import Foundation

/// A predicate made ready once for many objects.
///
/// Key paths are split, patterns compiled, constants calculated and lists of constants hashed here, not per object.
/// Use one evaluator on one thread at a time.
package final class PredicateEvaluator {
    private let predicate: CompiledPredicate
    private let frames = FrameMaker()

    /// - Parameter variables: values of $names, without the dollar sign.
    /// - Throws: `PredicateEvaluationError` or `KeyValueError` for what is wrong before any object is looked at: a
    ///   variable
    ///   without value, a bad pattern, an unknown function, a malformed key path.
    package init(_ syntax: PredicateSyntax, variables: [String: Any] = [:]) throws {
        predicate = try ExpressionCompiler(variables: variables).compile(syntax)
    }

    /// - Throws: `KeyValueError` where the object has no such key, `PredicateEvaluationError` where values do not suit.
    package func matches(_ object: Any?) throws -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .test(let test):
            if let ofInstance = test.ofInstance, let instance = frames.instance(object) {
                return try instance._withUnsafeGuaranteedRef { try ofInstance.matches($0) }
            }
            return try test.matches(frames.frame(object))
        }
    }
}

/// An expression made ready once for many objects.
package struct ReadyExpression {
    private let expression: CompiledExpression
    private let frames = FrameMaker()

    package init(_ syntax: ExpressionSyntax, variables: [String: Any] = [:]) throws {
        expression = try ExpressionCompiler(variables: variables).compile(syntax)
    }

    package func value(of object: Any?) throws -> Any? { try expression.value(in: frames.frame(object)) }
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
    /// The object, where it is one of Foundation's or ours; else `other`.
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

    static var nowhere: EvaluationFrame { EvaluationFrame(nil) }
}

/// A closure in a struct: in an array by itself it would be called through one more.
struct CompiledTest {
    let matches: (borrowing EvaluationFrame) throws -> Bool
    /// The same for an instance and nothing around it; nil where that is not enough.
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

    /// The value as comparisons see it: a property need not be boxed on its way to them.
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
