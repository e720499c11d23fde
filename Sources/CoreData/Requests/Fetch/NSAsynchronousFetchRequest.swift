// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch in the background, and its result.

public import Foundation

/// A fetch whose results arrive later: it reads the stores while the context's queue is free for other work.
///
/// Pass it to `NSManagedObjectContext.execute(_:)`, which copies the fetch request; later changes to the request have
/// no effect.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// The fetch to execute.
    public let fetchRequest: NSFetchRequest<ResultType>
    /// Called once on the context's queue, with the results or after a failure.
    public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The expected number of results, for `Progress`; 0, the default, means unknown.
    open var estimatedResultCount = 0

    /// Creates a request that reads the stores away from the context's queue.
    ///
    /// - Parameters:
    ///   - request: the objects to fetch.
    ///   - blk: see `completionBlock`.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    /// The stores of the fetch request.
    open override var affectedStores: [NSPersistentStore]? {
        get { fetchRequest.affectedStores }
        set { fetchRequest.affectedStores = newValue }
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        // The copy has the same type of results as the request.
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }
}

/// The results of a fetch through `NSManagedObjectContext.execute(_:)`.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// The executed request. If a plain fetch request was executed, a request made from it.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The results; nil until they arrive, and after an error. Read it on the context's queue.
    public internal(set) final var finalResult: [ResultType]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext,
        _ progress: Progress? = nil
    ) {
        fetchRequest = request
        super.init(context, progress)
    }
}

/// A result of a fetch, independent of the type of the results.
protocol FoundResults: NSPersistentStoreResult {
    /// nil until the results arrive.
    var found: [Any]? { get }
}

extension NSAsynchronousFetchResult: FoundResults {
    final var found: [Any]? { finalResult }
}
