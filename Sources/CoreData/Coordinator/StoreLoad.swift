// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects that several stores have been loaded, for a task that waits for them.

import Synchronization

/// Collects the errors of the stores that a container loads. The completion handler retains it, so its deinitializer
/// runs when no store can report any more: that is the end of the load, even in subclasses that override loading.
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
