// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends the event of a main-queue context at the end of the queue's turn.

/// Only a context of the main queue has one.
final class TurnEnd: @unchecked Sendable {  // used on the context's queue
    private let callLater: (TurnEnd) -> Void
    @exclusivity(unchecked) private var isScheduled = false

    /// - Parameter callLater: calls `begin()` after the present work of the main queue, and processes the changes.
    init(_ callLater: @escaping (TurnEnd) -> Void) { self.callLater = callLater }

    @inline(__always) func schedule() {
        if !isScheduled { scheduleAnew() }
    }

    private func scheduleAnew() {
        isScheduled = true
        callLater(self)
    }

    /// Changes from now on belong to another turn.
    func begin() { isScheduled = false }
}
