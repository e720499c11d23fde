// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pins a context to a query generation. Documentation/Internals/QueryGenerations.md.

import Foundation

extension NSManagedObjectContext {
    /// The moment of the stores that the context reads; nil for a context that is not pinned.
    ///
    /// Equal to `NSQueryGenerationToken.current` between `setQueryGenerationFrom(.current)` and the first read or save.
    /// Always nil for a context with a parent: it reads from its parent.
    public var queryGenerationToken: NSQueryGenerationToken? { state.scope.token }

    /// Pins the context to a generation of the stores: fetches and faults see saves until then, and no newer ones.
    ///
    /// Use it where a screen or an export has to stay consistent while other contexts save.
    ///
    /// ```swift
    /// let context = container.newBackgroundContext()
    /// try await context.perform {
    ///     try context.setQueryGenerationFrom(.current)
    ///     _ = try context.count(for: Memo.fetchRequest())  // pins the state of now
    /// }
    /// try await container.performBackgroundTask { other in
    ///     Memo(context: other).title = "Garden"
    ///     try other.save()
    /// }
    /// let (pinned, present) = try await context.perform {
    ///     let pinned = try context.count(for: Memo.fetchRequest())  // 1: the state from before
    ///     try context.setQueryGenerationFrom(nil)
    ///     return (pinned, try context.count(for: Memo.fetchRequest()))  // 2
    /// }
    /// ```
    ///
    /// Objects with values keep them; use `refreshAllObjects()`. Saving compares with the present rows of the stores,
    /// as always. `save()` and merging changes pin the context again, to the moment of the call; `reset()` pins it
    /// again at the next read.
    ///
    /// - Parameter generation: `NSQueryGenerationToken.current` for the moment of the next read; a token of another
    ///   context for that context's generation; nil to see every save at once again, as it is unless set.
    /// - Throws: 134060 for a context that has a parent, or no coordinator, and for a token that concerns none of the
    ///   coordinator's stores.
    /// - Important: call on the context's queue. SQLite stores in WAL mode, stores in memory and stores in PostgreSQL
    ///   can be pinned; with others the context stays unpinned. Stores that are added afterwards are ignored until the
    ///   context is pinned anew. In PostgreSQL a generation ends after a time (`NSPostgreSQLGenerationTimeoutOption`);
    ///   then reads throw 134070.
    /// - Complexity: a pinned context keeps a connection to each SQLite or PostgreSQL store, and its rows apart from
    ///   the shared row cache.
    /// - SeeAlso: `queryGenerationToken`, `NSQueryGenerationToken`, `refreshAllObjects()`.
    public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        checkQueue()
        guard let generation else { return state.scope.token = nil }
        guard state.parent == nil else {
            throw CoreDataError.general(
                "A context with a parent reads what its parent reads: set the query generation of the topmost context.")
        }
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.general(
                "The context has no persistent store coordinator, so there is nothing it could be pinned to.")
        }
        if let known = generation.generation, !known.concerns(coordinator) {
            throw CoreDataError.general(
                "The query generation token is of another coordinator, or its stores have been removed: set `.current` instead."
            )
        }
        state.scope.token = generation
    }
}
