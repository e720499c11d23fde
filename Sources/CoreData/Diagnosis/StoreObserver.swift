// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports the operations of a coordinator's stores to a program: for traces, metrics and tests.

/// Receives the operations of a coordinator's stores: fetches, saves, faults, batch requests, history requests,
/// migrations, and the SQL statements in them.
///
/// ```swift
/// struct SlowSaves: StoreObserver {
///     func begin(_ operation: StoreOperation) -> StoreOperation.End? {
///         guard operation.kind == .save else { return nil }
///         return { report in
///             if report.duration > .milliseconds(100) { print("A save took \(report.duration).") }
///         }
///     }
/// }
/// container.persistentStoreCoordinator.storeObservers = [SlowSaves()]
/// ```
///
/// The package `Telemetry` makes spans and metrics with an observer.
///
/// - Important: both methods are called by any thread, several at a time, with a connection of the store in use. They
///   must neither use the coordinator nor wait for a thread that does.
/// - Complexity: a coordinator without observers tests one flag for each operation. With observers an operation costs
///   about a microsecond, plus the observer's own time.
public protocol StoreObserver: Sendable {
    /// Called when a block is submitted to a context's queue, in the task or thread that submits it, and so sees its
    /// task-local values. The operations of the block have the result as `StoreOperation.caller`.
    ///
    /// - Returns: nil, unless implemented.
    func contextOfCaller() -> (any Sendable)?

    /// Called when an operation begins, in the thread that runs it.
    ///
    /// - Returns: a closure that is called once, when the operation ends, mostly in the same thread; nil if the end is
    ///   of no interest.
    func begin(_ operation: StoreOperation) -> StoreOperation.End?
}

extension StoreObserver {
    /// Returns nil: the observer does not use the caller's task-local values.
    public func contextOfCaller() -> (any Sendable)? { nil }
}
