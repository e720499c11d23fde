// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The moment at which a context reads its stores: the read transaction of a block, and the query generation.

import Foundation

/// A context without a parent reads every store through its scope. Documentation/Internals/QueryGenerations.md.
///
/// # States
///     none ──set(.current)──▶ due ──first read, save──▶ begun ──save, merge──▶ another one begun
///     begun ──reset──▶ due            any ──set(token)──▶ begun            any ──set(nil)──▶ none
/// `token` distinguishes them: nil, `.current`, a token with a generation.
final class ReadScope {
    /// The read transactions of the block that runs on the context's queue; nil outside blocks.
    @exclusivity(unchecked) private(set) var sharedRead: SharedReadTransaction?
    @exclusivity(unchecked) var token: NSQueryGenerationToken?
    /// Counts saves, merges and resets: an answer that a store gave before the last of them may be older than the
    /// context.
    @exclusivity(unchecked) private(set) var epoch = 0
    /// The coordinator of a context without a parent.
    @exclusivity(unchecked) var coordinator: NSPersistentStoreCoordinator?

    // MARK: Read transactions

    /// - Returns: whether this call began the shared read; if so, its caller ends it.
    func beginSharedRead() -> Bool {
        guard sharedRead == nil else { return false }
        sharedRead = SharedReadTransaction()
        return true
    }

    func endSharedRead() {
        sharedRead?.end()
        sharedRead = nil
    }

    /// Called before a write: the context's own read transaction would prevent the WAL from being reset.
    func endReads() { sharedRead?.end() }

    // MARK: Generations

    @inline(__always) var readsGeneration: Bool { token != nil }

    /// The source of a store's rows; nil for a store that the generation does not include.
    @inline(__always) func records(of store: any RecordStore) throws -> (any RecordSource)? {
        readsGeneration ? try generationRecords(of: store) : store
    }

    private func generationRecords(of store: any RecordStore) throws -> (any RecordSource)? {
        guard let generation = try generation() else { return store }
        return generation.records(of: store)
    }

    /// The stores that the generation includes.
    ///
    /// - Parameter areNamed: whether the request names its stores.
    /// - Throws: 134060 if the generation includes a store of the entity that was removed from the coordinator since:
    ///   its rows can no longer be read, and an answer without them would be wrong.
    @inline(__always) func readable(
        _ stores: [any RecordStore], of layout: EntityLayout, areNamed: Bool
    ) throws -> [any RecordStore] {
        readsGeneration ? try generationStores(stores, layout, areNamed) : stores
    }

    private func generationStores(
        _ stores: [any RecordStore], _ layout: EntityLayout, _ areNamed: Bool
    ) throws -> [any RecordStore] {
        guard let generation = try generation() else { return stores }
        if let coordinator, !areNamed, let removed = generation.removedStore(of: layout, coordinator) {
            throw CoreDataError.general(
                "The context is pinned to a query generation that includes the store \(removed.url?.path ?? "in memory") "
                    + "with '\(layout.name)', which was removed since. Pin it anew with `setQueryGenerationFrom(.current)`."
            )
        }
        return stores.filter { generation.records(of: $0) != nil }
    }

    /// A row that the generation has read already.
    func generationRow(root: Int, key: Int64, in store: any RecordStore) -> Snapshot? {
        token?.generation?.records(of: store)?.rowCache.row(root: root, key: key)
    }

    /// The generation; the first read begins it. nil if no store can preserve one.
    @discardableResult
    private func generation() throws -> QueryGeneration? {
        if let generation = token?.generation { return generation }
        guard readsGeneration, let coordinator, !coordinator.attachedStores.isEmpty else { return nil }
        let generation = try QueryGeneration(coordinator)
        token = generation.map { NSQueryGenerationToken($0) }
        return generation
    }

    // MARK: Moving on

    /// After a save: advances, so that the next read sees the save. The did-save notification has the new token.
    func advanceAfterSave() {
        epoch += 1
        beginGeneration()
    }

    /// Before changes of other contexts are merged: advances, so that the refreshes see them.
    func advanceBeforeMerge() {
        epoch += 1
        advanceGeneration()
    }

    /// Begins a generation at the present moment, if another one has begun before.
    func advanceGeneration() {
        if token?.generation != nil { beginGeneration() }
    }

    /// After `reset()`, and for other stores: the next read determines the moment.
    func restart() {
        epoch += 1
        forgetGeneration()
    }

    func forgetGeneration() {
        if readsGeneration { token = .current }
    }

    private func beginGeneration() {
        guard readsGeneration else { return }
        token = .current
        // If a store cannot be read now, the next read, which can throw, tries again.
        _ = try? generation()
    }
}
