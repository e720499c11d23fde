// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of requests, complete or still under way.

public import Foundation
import Synchronization

/// What `NSManagedObjectContext.execute(_:)` gives. Each kind of request has a subclass of its own.
open class NSPersistentStoreResult: NSObject {}

/// The result of a request that is still being worked on when `execute(_:)` returns.
///
/// `cancel()`, `operationError` and `progress` may be used on any thread.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that the request was given to. It is held until nobody holds the result any more.
    public let managedObjectContext: NSManagedObjectContext
    /// How far the work has come; nil where no `Progress` was current when the request was executed.
    ///
    /// Cancelling it cancels the request. It is indeterminate when nobody said how many results to expect.
    public let progress: Progress?
    /// Why there is no result; nil while there may still be one, and when there is one. 3072 (`userCancelled`) after
    /// `cancel()`.
    public var operationError: (any Error)? { failure.withLock { $0 } }

    private let isAskedToEnd = Atomic<Bool>(false)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// Asks for the work to end. It ends with the error 3072, unless the results have arrived already: then nothing
    /// happens.
    ///
    /// A statement that a store is running is not interrupted; what it gives is thrown away.
    open func cancel() {
        isAskedToEnd.store(true, ordering: .releasing)
        progress?.cancel()
    }

    /// By whichever way. Not through the progress's handler: Foundation calls it on another queue, some time later.
    final var isCancelled: Bool { isAskedToEnd.load(ordering: .acquiring) || progress?.isCancelled == true }

    final func fail(_ error: any Error) { failure.withLock { $0 = error } }
}
