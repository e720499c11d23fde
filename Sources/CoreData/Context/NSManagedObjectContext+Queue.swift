// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs blocks with results on the queue of a context.

public import Foundation

extension NSManagedObjectContext {
    /// Runs a block on the context's queue, waits for it, and gives its result, or throws its error. May be nested.
    ///
    /// ```swift
    /// let context = container.newBackgroundContext()
    /// let title = try context.performAndWait {  // for code that is not asynchronous
    ///     try (context.existingObject(with: id) as? Memo)?.title
    /// }
    /// ```
    ///
    /// The block runs on the calling thread, unless the context is of the main queue; then the call waits for ever if
    /// that queue does not run. Managed objects must not leave the block, apart from code that already is on the queue.
    ///
    /// - Throws: the error of the block, with its type.
    /// - Important: may be called on any thread. Pending changes are not processed at its end. In asynchronous code use
    ///   `perform(schedule:_:)`, which blocks no thread.
    /// - Complexity: the caller waits for the blocks that were submitted before.
    /// - SeeAlso: `perform(_:)`, `processPendingChanges()`.
    @_disfavoredOverload
    public func performAndWait<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        if overrides.contains(.performAndWait) { return try throughOverride(block) }
        return try queue.sync(self, block)
    }

    private func throughOverride<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        var result: Result<T, Failure>?
        let body: () -> Void = { result = Result(catching: block) }
        performAndWait(body)
        guard let result else {
            preconditionFailure(
                "`\(type(of: self)).performAndWait(_:)` returned without running its block: run it there.")
        }
        return try result.get()
    }

    func waitOnQueue<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        try queue.sync(self, block)
    }

    func enqueue(_ block: @escaping @Sendable () -> Void) { queue.async(self, block) }

    /// The time at which an asynchronous block starts.
    public enum ScheduledTaskType: Sendable, Hashable {
        /// At once if the caller already is on the context's queue (the main actor, for a main-queue context);
        /// otherwise as `enqueued`.
        case immediate
        /// After all blocks that were submitted before.
        case enqueued
    }

    #if compiler(>=6.2)
        /// Runs a block on the context's queue and returns its result, or rethrows its error.
        ///
        /// This is the way to use a context in asynchronous code.
        ///
        /// ```swift
        /// let titles = try await context.perform {
        ///     let notes = try context.fetch(Memo.fetchRequest())
        ///     return notes.map(\.title)  // a value may leave the block, a managed object may not
        /// }
        /// ```
        ///
        /// Managed objects must not leave the block: return ids or values. The changes of the block are one event,
        /// processed before the caller goes on.
        ///
        /// Cancelling the task changes nothing: the block runs in its turn, and its result comes. Check
        /// `Task.isCancelled` before the call, or set `stopsStatementsOfCancelledTasks`.
        ///
        /// - Parameters:
        ///   - schedule: `.immediate` runs the block at once if the caller is on the context's queue (the main actor,
        ///     for a context of the main queue); `.enqueued` runs it after the blocks that were submitted before.
        ///   - block: its result is returned, its error rethrown with its type.
        /// - Important: may be called on any actor. Traps for a context of the confinement type, which has no queue. As
        ///   with `perform(_:)`, the compiler warns of captures without `Sendable`, and a block that is written on an
        ///   actor runs on the context's queue.
        /// - SeeAlso: `performAndWait(_:)`, `NSPersistentContainer.performBackgroundTask(_:)`.
        @preconcurrency public nonisolated(nonsending) func perform<T, Failure: Error>(
            schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
        ) async throws(Failure) -> T {
            if stopsStatementsOfCancelledTasks { return try await stoppable(schedule, QueuedTask(block)) }
            if schedule == .immediate, queue.isEntered(self) { return try queue.sync(self, block) }
            return try await enqueued(QueuedTask(block))
        }

        /// Runs a block, and stops its statements when the present task is cancelled.
        private nonisolated(nonsending) func stoppable<T, Failure: Error>(
            _ schedule: ScheduledTaskType, _ task: QueuedTask<T, Failure>
        ) async throws(Failure) -> T {
            let stop = StopSignal()
            await withTaskCancellationHandler {
                if schedule == .immediate, queue.isEntered(self) {
                    let origin = BlockOrigin.make(state.observation, stop: stop)
                    queue.sync(self) { BlockOrigin.run(origin) { task.run() } }
                } else {
                    await run(task, stop)
                }
            } onCancel: {
                stop.stop()
            }
            return try task.result()
        }
    #else
        /// The same for older compilers, except that `immediate` never finds the caller on the queue.
        @preconcurrency public func perform<T, Failure: Error>(
            schedule: ScheduledTaskType = .immediate, isolation: isolated (any Actor)? = #isolation,
            _ block: @escaping @Sendable () throws(Failure) -> T
        ) async throws(Failure) -> T {
            try await enqueued(QueuedTask(block))
        }
    #endif

    private func enqueued<T, Failure: Error>(_ task: QueuedTask<T, Failure>) async throws(Failure) -> T {
        await run(task, nil)
        return try task.result()
    }

    private func run<T, Failure: Error>(_ task: QueuedTask<T, Failure>, _ stop: StopSignal?) async {
        await withCheckedContinuation { continuation in
            queue.async(self, stop: stop) {
                task.run()
            } done: {
                continuation.resume()
            }
        }
    }
}

// MARK: - Deprecated

extension NSManagedObjectContext: NSLocking {
    /// Waits for the context's lock, which excludes only other callers of this method.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func lock() { ownLock.lock() }

    /// Releases the context's lock.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func unlock() { ownLock.unlock() }

    /// Takes the context's lock if it is free.
    @available(*, deprecated, message: "Use a context with a queue, and perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { ownLock.try() }
}
