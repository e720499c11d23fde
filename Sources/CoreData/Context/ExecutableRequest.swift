// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out requests of every class, by the methods that the classes of requests have for it.

import Foundation

/// A request that a context can carry out.
protocol ExecutableRequest: NSPersistentStoreRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSManagedObjectContext: RequestExecuting {
    /// The result of a request, whatever methods the class overrides.
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

    /// Requests of the user's own are for stores of the user's own.
    ///
    /// - Returns: nil where no store may have it.
    private func askStores(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult? {
        guard !(request is NSSaveChangesRequest) else { return nil }
        return try NSPersistentStoreCoordinator.ask(
            request.affectedStores ?? state.coordinator?.attachedStores ?? [], request)
    }
}

extension NSFetchRequest {
    /// Fetches in the context whose block this is called in: that of `perform` or `performAndWait`, the innermost one.
    ///
    /// - Returns: as `NSManagedObjectContext.fetch(_:)`.
    /// - Throws: as `fetch(_:)`; 134060 outside of such a block, on the main thread as well: there is no context to
    ///   fetch in.
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
    /// Fetches as `fetch(_:)` does, but gives a collection that makes its objects a page at a time: use it for results
    /// of any number in bounded memory.
    ///
    /// The request counts as a whole: unsaved changes of this context and its parents are included as they are now, and
    /// offset and limit are cut from that. Prefetching, `returnsObjectsAsFaults` and `shouldRefreshRefetchedObjects`
    /// apply to each page as it is read.
    ///
    /// - Parameters:
    ///   - request: a request for objects. Its `fetchBatchSize` is the size of a page; 0 means 100.
    ///   - keptPages: how many pages are kept, those used last; at least 1.
    /// - Throws: as `fetch(_:)`; 134060 for a request for other results than objects.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement per store, for keys alone. With sort descriptors, records with unsaved changes look
    ///   for their places: a few rows are read for each. Where changes are many, or stores several, every record is
    ///   read once for each descriptor, and their values are held while they are sorted. Code in the predicate is asked
    ///   of every object, 500 at a time.
    public func fetchPaged<Element: NSManagedObject>(_ request: NSFetchRequest<Element>, keptPages: Int = 4) throws
        -> PagedResults<Element>
    {
        checkQueue()
        precondition(keptPages > 0, "A collection of pages keeps one of them at least, not \(keptPages).")
        ObjectClasses.register(Element.self)
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            return PagedResults(try FetchExecution(state, request).pages(of: Element.self, kept: keptPages))
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }
}

extension NSFetchRequest {
    /// Describes how `context.fetch` would answer this request, without fetching: the SQL, the types of its values, the
    /// plan of the database, and the work in memory, with the reason.
    ///
    /// Of prefetching and batches the first statement is given; `contextWork` names the others. A context with a
    /// parent asks the stores by way of its ancestors, whose unsaved changes count as well.
    ///
    /// - Returns: a value that holds on to nothing.
    /// - Throws: as `fetch(_:)`: names that the model lacks, and stores that cannot be asked.
    /// - Important: call on the context's queue.
    /// - Complexity: translates the request anew and asks each store for a plan. A SQLite store also goes through the
    ///   entity's table, to count rows that belong to no object.
    public func explain(in context: NSManagedObjectContext) throws -> FetchExplanation {
        context.checkQueue()
        do {
            return try FetchExecution(context.state, self).explanation(in: context)
        } catch {
            throw CoreDataError.request(error, entity: entityName)
        }
    }
}
