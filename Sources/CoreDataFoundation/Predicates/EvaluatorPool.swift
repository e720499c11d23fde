// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps a predicate's evaluators, so that asking it often does not make it ready each time.

import Foundation

/// An evaluator serves one thread at a time, a predicate any number: each asking takes an idle evaluator or makes one.
final class EvaluatorPool: @unchecked Sendable {
    // `lock` guards `idle`.
    private let lock = NSLock()
    private var idle: [PredicateEvaluator] = []

    /// - Parameter variables: evaluators are kept only for asking without variables.
    func matches(_ syntax: PredicateSyntax, _ object: Any?, variables: [String: Any]?) throws -> Bool {
        if let variables, !variables.isEmpty {
            return try PredicateEvaluator(syntax, variables: variables).matches(object)
        }
        let kept = lock.withLock { idle.popLast() }
        let evaluator = try kept ?? PredicateEvaluator(syntax)
        defer { lock.withLock { idle.append(evaluator) } }
        return try evaluator.matches(object)
    }
}
