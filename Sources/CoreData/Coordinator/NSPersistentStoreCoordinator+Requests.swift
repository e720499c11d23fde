// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs requests in a given context, and blocks under the coordinator's lock.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Executes a request in a context of this coordinator.
    ///
    /// - Returns: for a fetch an array of results according to the request's `resultType`; for other
    ///   requests their `NSPersistentStoreResult`.
    /// - Throws: 134060 for a context of another coordinator; otherwise as `NSManagedObjectContext.execute(_:)`.
    /// - Important: call on the context's queue.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            throw CoreDataError.general(
                "The context belongs to another coordinator: give the request to that one, or to the context itself.")
        }
        let executing: any RequestExecuting = context
        let result: Any = try executing.result(of: request)
        return (result as? any FoundResults)?.found ?? result
    }

    /// Runs a block on the calling thread, excluding changes to the coordinator's stores by other threads.
    public func performAndWait(_ block: () -> Void) { storesLock.withLock(block) }

    /// Runs a block on the calling thread, excluding changes to the coordinator's stores by other threads. Returns its
    /// result or rethrows its error.
    public func performAndWait<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        storesLock.lock()
        defer { storesLock.unlock() }
        return try block()
    }

    /// Runs a block on another thread, excluding changes to the coordinator's stores by other threads.
    ///
    /// - Important: the compiler warns of captures without `Sendable`.
    @preconcurrency public func perform(_ block: @escaping @Sendable () -> Void) {
        let block = Handover(block)
        DispatchQueue.global().async { [self] in performAndWait(block.value) }
    }

    #if compiler(>=6.2)
        /// Runs a block on another thread, excluding changes to the coordinator's stores by other threads. Returns its
        /// result or rethrows its error. Cancelling the task has no effect.
        @preconcurrency public nonisolated(nonsending) func perform<T, Failure: Error>(
            _ block: @escaping @Sendable () throws(Failure) -> T
        ) async throws(Failure) -> T {
            try await result(of: Handover(block)).value.get()
        }
    #else
        /// Runs a block on another thread, excluding changes to the coordinator's stores by other threads. Returns its
        /// result or rethrows its error. Cancelling the task has no effect.
        @preconcurrency public func perform<T, Failure: Error>(
            isolation: isolated (any Actor)? = #isolation, _ block: @escaping @Sendable () throws(Failure) -> T
        ) async throws(Failure) -> T {
            try await result(of: Handover(block)).value.get()
        }
    #endif

    private func result<T, Failure: Error>(
        of task: Handover<() throws(Failure) -> T>
    ) async -> Handover<Result<T, Failure>> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                let result = performAndWait { () -> Result<T, Failure> in Result(catching: task.value) }
                continuation.resume(returning: Handover(result))
            }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Passes a request of the user's own class to incremental stores until one knows the class.
    ///
    /// - Returns: nil if no store is an incremental store.
    static func ask(_ stores: [NSPersistentStore], _ request: NSPersistentStoreRequest) throws
        -> NSPersistentStoreResult?
    {
        let stores = stores.compactMap { $0 as? NSIncrementalStore }
        for store in stores.dropLast() {
            do {
                return try store.executeForeign(request)
            } catch CocoaError.persistentStoreUnsupportedRequestType {
                continue
            }
        }
        return try stores.last?.executeForeign(request)
    }
}

// MARK: - Deprecated locking

extension NSPersistentStoreCoordinator: NSLocking {
    /// Waits for exclusive access to the list of the coordinator's stores.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func lock() { storesLock.lock() }

    /// Ends the exclusive access.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func unlock() { storesLock.unlock() }

    /// Acquires the lock if that requires no waiting.
    ///
    /// - Returns: whether the lock was acquired.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { storesLock.try() }
}
