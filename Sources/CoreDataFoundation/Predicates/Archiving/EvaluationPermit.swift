// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permission to evaluate a predicate or expression, which one from an archive must first receive.

import Foundation
import Synchronization

/// Archives may come from untrusted sources, so a program inspects a predicate before it may read objects.
final class EvaluationPermit: Sendable {
    private let isGranted: Atomic<Bool>

    init() { isGranted = Atomic(true) }

    /// Not granted initially if the archive is read with secure coding, as on Darwin.
    init(_ coder: NSCoder) { isGranted = Atomic(!coder.requiresSecureCoding) }

    func grant() { isGranted.store(true, ordering: .relaxed) }

    @inline(__always) func check(_ what: @autoclosure () -> String) {
        precondition(
            isGranted.load(ordering: .relaxed),
            "\(what()) comes from an archive: look at it, then call allowEvaluation() before it is evaluated.")
    }
}
