// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch in the background, and its result.

public import Foundation

/// A fetch whose results come later: stores are read while the context's queue is free for other work.
///
/// Give it to `NSManagedObjectContext.execute(_:)`. The fetch request is taken as it is then; changing it afterwards
/// changes nothing.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// What is fetched.
    public let fetchRequest: NSFetchRequest<ResultType>
    /// Called once, on the context's queue, when the results are there or it is clear that there will be none.
    public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results are expected, for `Progress`; 0 (as it is unless set): nobody knows.
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
        // The copy of a request is one with the same type of results.
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }
}

/// The results of a fetch through `NSManagedObjectContext.execute(_:)`.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// What was executed. For a fetch request that was executed as it is, a request made from it.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// What was found; nil before it is there, and for ever after an error. Read it on the context's queue.
    public internal(set) final var finalResult: [ResultType]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext,
        _ progress: Progress? = nil
    ) {
        fetchRequest = request
        super.init(context, progress)
    }
}

/// A result of a fetch, whatever the type of what was found.
protocol FoundResults: NSPersistentStoreResult {
    /// nil before it is there.
    var found: [Any]? { get }
}

extension NSAsynchronousFetchResult: FoundResults {
    final var found: [Any]? { finalResult }
}
