// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in memory, with the behaviour of a store on disk. Its rows are lost with its coordinator.

import CoreDataFoundation
import Foundation

final class InMemoryStore: NSPersistentStore, RecordStore, SearchCounting {
    let rowCache = RowCache()
    private let state = LockedReference<MemoryContents>()
    private(set) var history: MemoryHistory?  // set when the store is opened
    let ownTransactions = OwnTransactions()

    static var addressing: StoreAddressing { .none }
    override var type: String { NSInMemoryStoreType }

    /// - Throws: 134070 when the store is not open.
    private func contents() throws -> MemoryContents {
        guard let contents = state.current else {
            throw CoreDataError.storeOperation("The store in memory is not open.", store: self)
        }
        return contents
    }

    func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        let derived = try DerivedRows(model, entities, url)
        if case .on = HistoryTrackingOption(options) {
            history = MemoryHistory(retention: PersistentHistoryRetention(options))
        }
        state.current = MemoryContents(MemoryTables(keys: KeyCounter()), model, derived: derived, history: history)
        var hashes: [String: Data] = [:]
        for entity in entities { if let name = entity.name { hashes[name] = entity.versionHash } }
        metadataValues.adopt([
            NSStoreTypeKey: type, NSStoreUUIDKey: identity.identifier, NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": 3,
        ])
    }

    func close() throws {
        state.current = nil
        rowCache.forgetAll()
    }

    // MARK: Reading

    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow] {
        try contents().reader.rows(keys, root: root)
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
    {
        try contents().reader.occupied(slot, layout: layout, owners: owners)
    }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try contents().fetch(fetch)
    }

    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        FetchExplanation.Store(
            identifier: identity.identifier, type: type, sql: nil, valueTypes: [], queryPlan: [],
            inMemory: fetch.doneOnRows)
    }

    func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics? {
        try contents().statistics(of: search, layout)
    }

    /// The next save copies the tables that it changes.
    func generation() throws -> (any RecordSource)? {
        MemoryView(try contents().reader, identifier: identity.identifier, type: type)
    }

    // MARK: Writing

    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        try contents().reserveKeys(count, for: layout)
    }

    func lastKey(below root: EntityLayout) throws -> Int64 {
        try contents().current.keys.greatest(root: root.rootIndex)
    }

    var guaranteesCommit: Bool { true }

    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        let commit = CommitNotifier.shared.begin(commitPlace, by: self)
        let outcome = try contents().save(changes, confirm: confirm) { [self] number in
            if commit?.isFollowed == true, let number { ownTransactions.insert(number) }
            if let number, number % 1_000 == 0 { try? purgeHistory() }
            commit?.announce(number, by: self)
        }
        if outcome.isWritten, let metadata = metadataValues.unsaved { metadataValues.didSave(metadata) }
        return outcome
    }
}
