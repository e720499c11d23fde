// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of requests, complete or in progress.

public import Foundation
import Synchronization

/// The result of `NSManagedObjectContext.execute(_:)`. Each kind of request has its subclass.
open class NSPersistentStoreResult: NSObject {}

/// The result of a request that is still in progress when `execute(_:)` returns.
///
/// `cancel()`, `operationError` and `progress` may be used on any thread.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executes the request. The result retains it.
    public let managedObjectContext: NSManagedObjectContext
    /// The progress of the request; nil if no `Progress` was current when the request was executed.
    ///
    /// Cancelling it cancels the request. It is indeterminate unless the request has an `estimatedResultCount`.
    public let progress: Progress?
    /// The reason why there is no result; nil while the request is in progress, and after success. 3072
    /// (`userCancelled`) after `cancel()`.
    public var operationError: (any Error)? { failure.withLock { $0 } }

    private let isCancellationRequested = Atomic<Bool>(false)
    /// Stops the running statement of the request.
    final let stop = StopSignal()
    private let failure = Mutex<(any Error)?>(nil)

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
        progress?.cancellationHandler = { [stop] in stop.stop() }
    }

    /// Cancels the request. It ends with the error 3072, unless the results have already arrived; then this has no
    /// effect.
    ///
    /// A statement that a SQLite or PostgreSQL store is executing for the request is stopped. Stores that the program
    /// has written finish their work, and the results are discarded.
    open func cancel() {
        isCancellationRequested.store(true, ordering: .releasing)
        stop.stop()
        progress?.cancel()
    }

    /// Cancelled here or through the progress. Not by the progress's handler: Foundation calls that later, on another
    /// queue.
    final var isCancelled: Bool { isCancellationRequested.load(ordering: .acquiring) || progress?.isCancelled == true }

    final func fail(_ error: any Error) { failure.withLock { $0 = error } }
}
