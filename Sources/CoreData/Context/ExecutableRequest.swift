// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes requests of every class, by a method of the request's class.

import Foundation

/// A request that a context can execute.
protocol ExecutableRequest: NSPersistentStoreRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSManagedObjectContext: RequestExecuting {
    /// The result of a request, through the methods that the context's class overrides.
    func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        guard let request = request as? any ExecutableRequest else {
            if let result = try askStores(request) { return result }
            throw CoreDataError.unsupportedRequest(
                "\(type(of: request))", store: nil, asker: "A managed object context",
                advice: request is NSSaveChangesRequest ? " Changes are saved with `save()`." : "")
        }
        return try request.execute(in: self)
    }

    /// Custom requests go to custom stores.
    ///
    /// - Returns: nil if no store accepts the request.
    private func askStores(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult? {
        guard !(request is NSSaveChangesRequest) else { return nil }
        return try NSPersistentStoreCoordinator.ask(
            request.affectedStores ?? state.coordinator?.attachedStores ?? [], request)
    }
}

extension NSFetchRequest {
    /// Fetches in the context of the current block: the innermost `perform` or `performAndWait`.
    ///
    /// - Returns: as `NSManagedObjectContext.fetch(_:)`.
    /// - Throws: as `fetch(_:)`; 134060 outside such a block, also on the main thread, because no context is known.
    public func execute() throws -> [ResultType] {
        guard let context = ContextQueue.currentContext else {
            throw CoreDataError.general(
                "There is no current context to execute the request for '\(entityName ?? "")' in: call `execute()` in a block "
                    + "given to `perform` or `performAndWait`, or call `fetch(_:)` of a context.")
        }
        return try context.fetch(self)
    }
}

extension NSFetchRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(NSAsynchronousFetchRequest(fetchRequest: self), context)
        result.finalResult = try context.found(by: self)
        return result
    }
}

extension NSAsynchronousFetchRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        guard !context.concurrencyType.isConfined else {
            throw CoreDataError.general(
                "A context of the confinement type has no queue that results of an asynchronous fetch could arrive on: use "
                    + "`fetch`, or a context with a queue.")
        }
        let fetch = try AsynchronousFetch(self, context, context.state)
        fetch.start()
        return fetch.result
    }
}

extension NSManagedObjectContext {
    /// Fetches as `fetch(_:)` does, but returns a collection that creates its objects one page at a time. Use it to
    /// process any number of results in bounded memory.
    ///
    /// The request applies as a whole: it includes the present unsaved changes of this context and its parents, and
    /// offset and limit apply to the complete result. Prefetching, `returnsObjectsAsFaults` and
    /// `shouldRefreshRefetchedObjects` apply to each page when it is read.
    ///
    /// - Parameters:
    ///   - request: a request for objects. Its `fetchBatchSize` is the size of a page; 0 means 100.
    ///   - keptPages: the number of most recently used pages to keep; at least 1.
    /// - Throws: as `fetch(_:)`; 134060 for a request with another result type than objects.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement per store, for keys only. With sort descriptors, each record with unsaved changes is
    ///   located by a search, which reads a few rows. If there are many changes, or several stores, every record is
    ///   read once for each descriptor, and their values are in memory during the sort. Code in the predicate is called
    ///   for every object, 500 at a time.
    public func fetchPaged<Element: NSManagedObject>(_ request: NSFetchRequest<Element>, keptPages: Int = 4) throws
        -> PagedResults<Element>
    {
        checkQueue()
        precondition(keptPages > 0, "A collection of pages keeps one of them at least, not \(keptPages).")
        ObjectClasses.register(Element.self)
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            let pages = try state.observing(.fetch, request.entityName, rows: { $0.keys.count }) {
                try FetchExecution(state, request).pages(of: Element.self, kept: keptPages)
            }
            return PagedResults(pages)
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }
}

extension NSFetchRequest {
    /// Describes how `context.fetch` would execute this request, without fetching: the SQL, the types of its values,
    /// the query plan, and the work in memory, with the reason.
    ///
    /// For prefetching and batches, only the first statement is described; `contextWork` names the others. A context
    /// with a parent reads from the stores through its ancestors, whose unsaved changes count as well.
    ///
    /// - Returns: a value without references to objects or stores.
    /// - Throws: as `fetch(_:)`: for names that the model lacks, and for stores that cannot be read.
    /// - Important: call on the context's queue.
    /// - Complexity: translates the request anew and gets a plan from each store. A SQLite store also scans the
    ///   entity's table, to count rows that belong to no object.
    public func explain(in context: NSManagedObjectContext) throws -> FetchExplanation {
        context.checkQueue()
        do {
            return try FetchExecution(context.state, self).explanation(in: context)
        } catch {
            throw CoreDataError.request(error, entity: entityName)
        }
    }

    /// Describes how `context.page` would read a page of this request, without reading it.
    ///
    /// If a descending order begins with an attribute that may be nil, a page at the end takes a second statement;
    /// the first one is described.
    ///
    /// - Throws: as `NSManagedObjectContext.page(_:after:size:signedWith:)`.
    /// - Important: call on the context's queue.
    public func explainPage(
        after cursor: FetchCursor? = nil, size: Int, signedWith key: Data? = nil, in context: NSManagedObjectContext
    ) throws -> FetchExplanation {
        context.checkQueue()
        return try context.reading(pagesOf: self, size: size, signedWith: key) {
            try $0.firstFetch(after: cursor).explanation(in: context)
        }
    }
}
