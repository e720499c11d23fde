// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Requests and blocks given to the coordinator itself.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Carries out a request in a context of this coordinator.
    ///
    /// - Returns: for a fetch an array of what it found, as the request's `resultType` says; for other requests their
    ///   `NSPersistentStoreResult`.
    /// - Throws: 134060 for a context of another coordinator; else as `NSManagedObjectContext.execute(_:)`.
    /// - Important: call on the context's queue.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            throw CoreDataError.general(
                "The context belongs to another coordinator: give the request to that one, or to the context itself.")
        }
        let result = try context.execute(request)
        return (result as? any FoundResults)?.found ?? result
    }

    /// Runs a block on the calling thread while no other one changes the coordinator's stores.
    public func performAndWait(_ block: () -> Void) { storesLock.withLock(block) }

    /// Runs a block on the calling thread while no other one changes the coordinator's stores, and gives its result, or
    /// throws what it throws.
    public func performAndWait<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T {
        storesLock.lock()
        defer { storesLock.unlock() }
        return try block()
    }

    /// Runs a block on another thread while no other one changes the coordinator's stores.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async { [self] in performAndWait(block) }
    }

    /// Runs a block on another thread while no other one changes the coordinator's stores, and gives its result, or
    /// throws what it throws. Cancelling the task changes nothing.
    public func perform<T, Failure: Error>(_ block: sending @escaping () throws(Failure) -> T) async throws(Failure)
        -> T
    {
        let task = Handover(block)
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                let result = performAndWait { () -> Result<T, Failure> in Result(catching: task.value) }
                continuation.resume(returning: Handover(result))
            }
        }
        return try result.value.get()
    }

    /// What one thread hands to another one, and never touches again.
    private struct Handover<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}

// MARK: - As of old

extension NSPersistentStoreCoordinator: NSLocking {
    /// Waits until no other thread changes the coordinator's stores, and keeps others from doing so.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func lock() { storesLock.lock() }

    /// Lets others change the stores again.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func unlock() { storesLock.unlock() }

    /// As `lock()`, if that needs no waiting.
    ///
    /// - Returns: whether the lock was taken.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func tryLock() -> Bool { storesLock.try() }
}
