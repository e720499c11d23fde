// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out a request of which only the base class is known.

import Foundation

/// A request that a context knows what to do with.
protocol ExecutableRequest: NSPersistentStoreRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSManagedObjectContext {
    /// Carries out a request.
    ///
    /// - Parameter request: an `NSFetchRequest`, whose results are in the `finalResult` of the
    ///   `NSAsynchronousFetchResult` that is given; or an `NSAsynchronousFetchRequest`, whose results come later.
    /// - Throws: as `fetch(_:)`; for an asynchronous request what is wrong with the names in it, while errors of stores
    ///   come as the result's `operationError`. 134060 for an asynchronous request in a context of the confinement
    ///   type, which has no queue for the results to arrive on. 134091 (`persistentStoreUnsupportedRequestType`) for
    ///   requests of other classes, unless there are incremental stores: those get them, and the first one answers
    ///   whose class knows them.
    /// - Important: call on the context's queue. On the main queue, asynchronous results arrive only where it is
    ///   drained.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
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
        let stores = (request.affectedStores ?? persistentStoreCoordinator?.persistentStores ?? []).compactMap {
            $0 as? NSIncrementalStore
        }
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
        result.finalResult = try context.fetch(self)
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
        let fetch = try AsynchronousFetch(self, context)
        fetch.start()
        return fetch.result
    }
}
