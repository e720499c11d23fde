// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends the event of a main-queue context at the end of the queue's turn.

/// Only a context of the main queue has one.
final class TurnEnd: @unchecked Sendable {  // used on the context's queue
    private unowned(unsafe) let context: NSManagedObjectContext
    @exclusivity(unchecked) private var isScheduled = false

    /// - Parameter context: it holds this object.
    init(of context: NSManagedObjectContext) { self.context = context }

    @inline(__always) func schedule() {
        if !isScheduled { scheduleAnew() }
    }

    private func scheduleAnew() {
        isScheduled = true
        context.queue.afterTurn(of: context) { [self] context in
            isScheduled = false
            context.processPendingChanges()
        }
    }
}
