// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether a context reads stores as they are, or as they were. Documentation/QueryGenerations.md.

import Foundation

/// # States
///     unpinned ──set(.current)──▶ to be pinned ──first read, save──▶ pinned ──save, merge──▶ pinned anew
///     pinned ──reset──▶ to be pinned                any ──set(token)──▶ pinned      any ──set(nil)──▶ unpinned
/// `generationToken` tells them apart: nil, `.current`, a token with a generation.
extension NSManagedObjectContext {
    /// The moment of the stores that the context reads; nil unless it is pinned.
    ///
    /// Equal to `NSQueryGenerationToken.current` between `setQueryGenerationFrom(.current)` and the first read or save. A
    /// context with a parent has none: it reads what its parent reads.
    public var queryGenerationToken: NSQueryGenerationToken? { generationToken }

    /// Pins the context to a moment of the stores: fetches and faults see what was saved until then, and nothing newer.
    ///
    /// Objects that have their values keep them; use `refreshAllObjects()`. Saving compares with what the stores hold
    /// by then, as always. `save()` and merging changes pin the context anew, to what is there then; `reset()` pins it
    /// anew at the next read.
    ///
    /// - Parameter generation: `NSQueryGenerationToken.current` for the moment of the next read; a token of another
    ///   context for that one's; nil to see every save at once again, as it is unless set.
    /// - Throws: 134060 for a context that has a parent, or no coordinator, and for a token that concerns none of the
    ///   coordinator's stores.
    /// - Important: call on the context's queue. SQLite stores in WAL mode and stores in memory can be pinned; with
    ///   others the context stays unpinned. Stores that are added afterwards are ignored until the context is pinned
    ///   anew.
    /// - Complexity: a pinned context keeps a connection to each SQLite store, and rows of its own beside the shared
    ///   row cache.
    public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        checkQueue()
        guard let generation else { return generationToken = nil }
        guard storedParent == nil else {
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
        generationToken = generation
    }

    // MARK: Reading

    /// Whether the context reads stores as they were, or will from its next read on.
    @inline(__always) var isPinned: Bool { generationToken != nil }

    /// Where the rows of a store are read; nil for a store that the context's generation does not know.
    @inline(__always) func records(of store: any RecordStore) throws -> (any RecordSource)? {
        isPinned ? try pinnedRecords(of: store) : store
    }

    private func pinnedRecords(of store: any RecordStore) throws -> (any RecordSource)? {
        guard let generation = try pinnedGeneration() else { return store }
        return generation.view(of: store)
    }

    /// Those of several stores that are read.
    @inline(__always) func readable(_ stores: [any RecordStore]) throws -> [any RecordStore] {
        isPinned ? try stores.filter { try pinnedRecords(of: $0) != nil } : stores
    }

    /// A row that the context's generation has read already.
    func pinnedRow(root: Int, key: Int64, in store: any RecordStore) -> Snapshot? {
        generationToken?.generation?.view(of: store)?.rowCache.row(root: root, key: key)
    }

    // MARK: Moving on

    /// nil: there is nothing that could be pinned.
    @discardableResult
    private func pinnedGeneration() throws -> QueryGeneration? {
        if let generation = generationToken?.generation { return generation }
        guard isPinned, let coordinator = persistentStoreCoordinator, !coordinator.persistentStores.isEmpty else {
            return nil
        }
        let generation = try QueryGeneration(coordinator)
        generationToken = generation.map { NSQueryGenerationToken($0) }
        return generation
    }

    /// After a save, and before changes are merged: the context sees what is there now.
    func advanceGeneration() {
        if generationToken?.generation != nil { pinAnew() }
    }

    /// A context that was to be pinned is pinned by its save, so that the did-save notification has its token.
    func pinAnew() {
        guard isPinned else { return }
        generationToken = .current
        // A store that cannot be read now is asked again by the next read, which can throw.
        _ = try? pinnedGeneration()
    }

    /// The next read decides what the context sees.
    func forgetGeneration() {
        if isPinned { generationToken = .current }
    }
}
