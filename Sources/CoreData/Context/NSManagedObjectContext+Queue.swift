// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs blocks on the queue of a context.

public import Foundation

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, later.
    ///
    /// Blocks run one after another, in the order of submission; the changes of a block are one event, processed at its
    /// end. Traps for a context of the confinement type, which has no queue.
    ///
    /// The block is sent to the queue with all that it captures; one that is written on the main actor is not bound to
    /// it.
    public func perform(_ block: sending @escaping () -> Void) {
        let task = QueuedTask(block)
        queue.async(self) { task.run() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    ///
    /// The block runs on the calling thread, unless the context is of the main queue; then it waits for ever if
    /// that does not run. Pending changes are not processed at its end.
    @_disfavoredOverload
    public func performAndWait(_ block: () -> Void) { queue.sync(self, block) }

    /// Runs a block on the context's queue, waits for it, and gives its result, or throws its error. May be
    /// nested.
    @_disfavoredOverload
    public func performAndWait<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        try queue.sync(self, block)
    }

    /// When an asynchronous block starts.
    public enum ScheduledTaskType: Sendable, Hashable {
        /// At once, when the caller already is on the context's queue (the main actor, for a context of the main
        /// queue); else as `enqueued`.
        case immediate
        /// After everything that was submitted before.
        case enqueued
    }

    #if compiler(>=6.2)
        /// Runs a block on the context's queue and gives its result, or throws its error.
        ///
        /// Managed objects must not leave the block: give ids or values. The block is sent to the queue with all that
        /// it captures; one that is written on the main actor is not bound to it.
        ///
        /// Cancelling the task changes nothing: the block runs in its turn, and its result comes. Ask
        /// `Task.isCancelled` before, or let the block look at something of its own. Traps for a context of the
        /// confinement type, which has no queue.
        public nonisolated(nonsending) func perform<T, Failure: Error>(
            schedule: ScheduledTaskType = .immediate, _ block: sending @escaping () throws(Failure) -> T
        ) async throws(Failure) -> T {
            if schedule == .immediate, queue.isEntered(self) { return try queue.sync(self, block) }
            return try await enqueued(QueuedTask(block))
        }
    #else
        /// As with newer compilers, only that `immediate` never finds the caller on the queue.
        public func perform<T, Failure: Error>(
            schedule: ScheduledTaskType = .immediate, _ block: sending @escaping () throws(Failure) -> T
        ) async throws(Failure) -> T {
            try await enqueued(QueuedTask(block))
        }
    #endif

    private func enqueued<T, Failure: Error>(_ task: QueuedTask<T, Failure>) async throws(Failure) -> T {
        await withCheckedContinuation { continuation in
            queue.async(self) {
                task.run()
            } done: {
                continuation.resume()
            }
        }
        return try task.result()
    }
}

// MARK: - As of old

extension NSManagedObjectContext: NSLocking {
    /// Waits for the context's lock. It keeps out other callers of this method, and nothing else.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func lock() { ownLock.lock() }

    /// Gives the context's lock back.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func unlock() { ownLock.unlock() }

    /// Takes the context's lock if it is free.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { ownLock.try() }
}
