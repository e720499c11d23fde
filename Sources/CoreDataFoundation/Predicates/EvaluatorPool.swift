// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps a predicate's evaluators, so that asking it often does not make it ready each time.

import Synchronization

/// An evaluator serves one thread at a time, a predicate any number: each asking takes an idle evaluator or makes one.
///
/// Part of the predicate itself: most predicates are made for one fetch and never evaluated, and shall cost no memory for it.
struct EvaluatorPool: ~Copyable {
    // Evaluators that serve nobody: one in `first`, owned by it, which is all that one thread needs.
    private let first = Atomic<UnsafeRawPointer?>(nil)
    private let others = Mutex<[Idle]>([])

    /// Nobody else has it.
    private struct Idle: @unchecked Sendable {
        let evaluator: PredicateEvaluator
    }

    deinit { _ = takeFirst() }

    /// - Parameter variables: evaluators are kept only for asking without variables.
    func matches(_ syntax: @autoclosure () -> PredicateSyntax, _ object: Any?, variables: [String: Any]?) throws -> Bool
    {
        if let variables, !variables.isEmpty {
            return try PredicateEvaluator(syntax(), variables: variables).matches(object)
        }
        let evaluator = try takeFirst() ?? others.withLock { $0.popLast() }?.evaluator ?? PredicateEvaluator(syntax())
        defer { keep(evaluator) }
        return try evaluator.matches(object)
    }

    private func takeFirst() -> PredicateEvaluator? {
        first.exchange(nil, ordering: .acquiring).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
    }

    private func keep(_ evaluator: PredicateEvaluator) {
        let kept = Unmanaged.passRetained(evaluator)
        if first.compareExchange(expected: nil, desired: UnsafeRawPointer(kept.toOpaque()), ordering: .releasing)
            .exchanged
        {
            return
        }
        kept.release()
        let idle = Idle(evaluator: evaluator)
        others.withLock { $0.append(idle) }
    }
}
