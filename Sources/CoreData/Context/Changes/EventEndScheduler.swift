// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends the event of a main-queue context together with the current work of the queue.

/// Only a context on the main queue has one.
final class EventEndScheduler: @unchecked Sendable {  // used on the context's queue
    private let enqueue: (EventEndScheduler) -> Void
    @exclusivity(unchecked) private var isScheduled = false

    /// - Parameter enqueue: calls `begin()` after the current work of the main queue, and processes the changes.
    init(_ enqueue: @escaping (EventEndScheduler) -> Void) { self.enqueue = enqueue }

    @inline(__always) func schedule() {
        if !isScheduled { enqueueEnd() }
    }

    private func enqueueEnd() {
        isScheduled = true
        enqueue(self)
    }

    /// From now on, changes schedule the end of another event.
    func begin() { isScheduled = false }
}
