// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads from the stores of a coordinator, at the moment of the context's scope, and saves to them.

import Foundation

/// The source of a context without a parent.
final class CoordinatorSource: ContextSource {
    private let stores: NSPersistentStoreCoordinator
    private let scope: ReadScope

    init(_ coordinator: NSPersistentStoreCoordinator, _ scope: ReadScope) {
        stores = coordinator
        self.scope = scope
    }

    var coordinator: NSPersistentStoreCoordinator? { stores }
    var parent: NSManagedObjectContext? { nil }
    var followers: ContextList { stores.followers }

    // MARK: Rows

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow] {
        guard let home, let store = home.store as? any RecordStore, let records = try scope.records(of: store) else {
            return []
        }
        // Rows of a generation do not become stale.
        let maxAge = scope.readsGeneration ? -1 : maxAge
        var rows: [FetchedRow] = []
        var unknown: [Int64] = []
        for key in keys {
            if let row = records.rowCache.row(root: root.index, key: key), !RowClock.isStale(row.stamp, after: maxAge) {
                rows.append(FetchedRow(key: key, snapshot: row))
            } else {
                unknown.append(key)
            }
        }
        if unknown.isEmpty { return rows }
        let sharedRead = scope.sharedRead
        return try rows
            + observing(root, unknown.count, hits: rows.count) {
                try unlessRemoved(home, []) { try records.rows(unknown, root: root, in: sharedRead) }
            }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        guard let home, let store = home.store as? any RecordStore, let records = try scope.records(of: store) else {
            return [:]
        }
        let sharedRead = scope.sharedRead
        let members = try observing(layout, owners.count) {
            try unlessRemoved(home, [:]) {
                try records.members(of: slot, layout: layout, owners: owners, in: sharedRead)
            }
        }
        return members.mapValues { references in
            references.map { Member(key: ObjectKey($0.entityIndex, $0.key), home: home) }
        }
    }

    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow? {
        guard key > 0, let store = home?.store as? any RecordStore, let records = try scope.records(of: store) else {
            return nil
        }
        return try observing(root, 1) { try records.rows([key], root: root, in: scope.sharedRead) }.first
    }

    /// Reads rows or members as an operation for observers.
    @inline(__always) private func observing<Answer: Collection>(
        _ layout: EntityLayout, _ objects: Int, hits: Int = 0, _ read: () throws -> Answer
    ) throws -> Answer {
        guard stores.observation.isActive else { return try read() }
        return try stores.observation.run(
            .faults,
            {
                $0.entityName = layout.name
                $0.objectCount = objects
            }, rows: { $0.count }
        ) {
            RunningOperation.current?.report.cacheHits += hits
            return try read()
        }
    }

    /// Objects of a store that is removed during the read have no record, as if the read had come later (Stores-K4).
    private func unlessRemoved<Answer>(_ home: StoreIdentity, _ none: Answer, _ read: () throws -> Answer) throws
        -> Answer
    {
        do {
            return try read()
        } catch  where !home.hasStore {
            return none
        }
    }

    // MARK: Fetches

    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try fetch.answer(result, in: scope, windowed: windowed)
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int {
        fetch.number(try answer(fetch, .count, windowed: windowed), windowed: windowed)
    }

    // MARK: Ids and saves

    func home(of reference: Reference) -> StoreIdentity? {
        stores.store(forInserting: stores.model.layouts[reference.entityIndex])?.identity
    }

    func assignPermanentIDs(to keys: [ObjectKey]) throws {}

    func save(_ changes: [StoreChanges]) throws -> SourceSave {
        for batch in changes where batch.store.isReadOnly {
            throw CoreDataError.readOnlyStore(batch.store.url, store: batch.store)
        }
        scope.endReads()
        let written = stores.save(changes.map { ($0.store, $0.set) })
        return SourceSave(outcomes: written.outcomes, failure: written.failure, unwritten: written.unwritten)
    }
}
