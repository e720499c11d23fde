// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches a predicate's evaluators for repeated evaluation.

import Synchronization

/// An evaluator is used by one thread at a time, a predicate by any number. Each evaluation takes an idle evaluator
/// or creates one. They are for `evaluate(with:)`, which cannot throw (Predicates-22).
///
/// Stored inside the predicate: most predicates are created for one fetch and never evaluated, and must not use
/// memory for it.
struct EvaluatorPool: ~Copyable {
    // Idle evaluators. `first` owns one of them, which suffices for a single thread.
    private let first = AtomicReference<PredicateEvaluator>()
    private let others = Mutex<[Idle]>([])

    /// Owned by a single thread. Not private, as code in other files ends pools.
    struct Idle: @unchecked Sendable {
        let evaluator: PredicateEvaluator
    }

    /// - Parameter variables: evaluators are only cached for evaluations without variables.
    func matches(_ syntax: @autoclosure () -> PredicateSyntax, _ object: Any?, variables: [String: Any]?) throws -> Bool
    {
        if let variables, !variables.isEmpty {
            return try PredicateEvaluator(syntax(), variables: variables, takesAnyText: true).matches(object)
        }
        let evaluator =
            try first.take() ?? others.withLock { $0.popLast() }?.evaluator
            ?? PredicateEvaluator(syntax(), takesAnyText: true)
        defer { keep(evaluator) }
        return try evaluator.matches(object)
    }

    private func keep(_ evaluator: PredicateEvaluator) {
        if first.put(evaluator) { return }
        let idle = Idle(evaluator: evaluator)
        others.withLock { $0.append(idle) }
    }
}
