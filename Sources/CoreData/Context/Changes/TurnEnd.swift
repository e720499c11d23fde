// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends the event of a main-queue context together with the current work of the queue.

/// Only a context on the main queue has one.
final class TurnEnd: @unchecked Sendable {  // used on the context's queue
    private let callLater: (TurnEnd) -> Void
    @exclusivity(unchecked) private var isScheduled = false

    /// - Parameter callLater: calls `begin()` after the current work of the main queue, and processes the changes.
    init(_ callLater: @escaping (TurnEnd) -> Void) { self.callLater = callLater }

    @inline(__always) func schedule() {
        if !isScheduled { scheduleAnew() }
    }

    private func scheduleAnew() {
        isScheduled = true
        callLater(self)
    }

    /// From now on, changes schedule the end of another turn.
    func begin() { isScheduled = false }
}
