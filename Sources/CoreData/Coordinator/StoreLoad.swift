// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of a load of several stores, for a task that waits for it.

import Synchronization

/// Collects the reports of the stores that a container loads. The completion handler holds it, so it goes away when no
/// store can report any more: that is the end of the load, in subclasses with a loading of their own as well.
final class StoreLoad: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let waiting: CheckedContinuation<Void, any Error>

    init(_ waiting: CheckedContinuation<Void, any Error>) { self.waiting = waiting }

    func note(_ error: (any Error)?) {
        failure.withLock { first in first = first ?? error }
    }

    deinit {
        if let error = failure.withLock({ $0 }) { waiting.resume(throwing: error) } else { waiting.resume() }
    }
}
