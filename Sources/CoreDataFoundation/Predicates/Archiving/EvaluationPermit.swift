// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether a predicate or an expression may be evaluated: what came from an archive must be allowed first.

import Foundation
import Synchronization

/// Archives may come from others, so that a program looks at what it got before it lets it read objects.
final class EvaluationPermit: Sendable {
    private let isGiven: Atomic<Bool>

    init() { isGiven = Atomic(true) }

    /// Withheld where the archive is read securely, as on Darwin.
    init(_ coder: NSCoder) { isGiven = Atomic(!coder.requiresSecureCoding) }

    func give() { isGiven.store(true, ordering: .relaxed) }

    @inline(__always) func check(_ what: @autoclosure () -> String) {
        precondition(
            isGiven.load(ordering: .relaxed),
            "\(what()) comes from an archive: look at it, then call allowEvaluation() before it is evaluated.")
    }
}
