// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of compiling and evaluating predicates.

package enum PredicateEvaluationError: Error, Equatable, CustomStringConvertible {
    case unboundVariable(String)
    case badPattern(String)
    case endlessPattern(String)
    case unsupportedFunction(String)
    case wrongArgumentCount(function: String, expected: Int, found: Int)
    case wrongArgument(function: String, type: String)
    case notABetweenRange(String)
    case notACollection(operation: String, type: String)
    case missingMatch
    case unsupportedExpression(String)
    case cannotCast(String, to: String)
    case tooDeep

    package var description: String {
        switch self {
        case .unboundVariable(let name): "variable $\(name) has no value"
        case .badPattern(let pattern): "'\(pattern)' is no regular expression"
        case .endlessPattern(let pattern):
            "the regular expression '\(pattern)' finds no end: repetitions in repetitions take it too long"
        case .unsupportedFunction(let name): "function '\(name)' is not supported"
        case .wrongArgumentCount(let function, let expected, let found):
            "function '\(function)' takes \(expected) arguments and got \(found)"
        case .wrongArgument(let function, let type): "function '\(function)' cannot work on a value of type \(type)"
        case .notABetweenRange(let type): "BETWEEN needs a collection of two bounds and got \(type)"
        case .notACollection(let operation, let type): "\(operation) needs a collection and got a value of type \(type)"
        case .missingMatch: "a comparison with a custom operator has no code to call"
        case .unsupportedExpression(let what): "\(what) cannot be evaluated"
        case .cannotCast(let value, let type): "\(value) cannot be cast to \(type)"
        case .tooDeep: "the predicate is nested deeper than \(PredicateDepth.maximum) levels"
        }
    }
}
