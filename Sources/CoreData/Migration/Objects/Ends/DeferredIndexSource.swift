// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source of a migration's destination context: makes the indexes before the first query that needs them.

import Foundation

/// Reading rows by key needs no index; fetches and the members of a to-many relationship do. Migration-M57.
final class DeferredIndexSource: ContextSource {
    private let source: any ContextSource
    private let indexes: DeferredIndexes

    init(_ source: any ContextSource, _ indexes: DeferredIndexes) {
        self.source = source
        self.indexes = indexes
    }

    var coordinator: NSPersistentStoreCoordinator? { source.coordinator }
    var parent: NSManagedObjectContext? { source.parent }
    var followers: ContextList { source.followers }

    // MARK: Requests that need the indexes

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64: [Member]]
    {
        try indexes.make()
        return try source.members(of: slot, layout: layout, owners: owners, home: home)
    }

    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try indexes.make()
        return try source.answer(fetch, result, windowed: windowed)
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int {
        try indexes.make()
        return try source.count(fetch, windowed: windowed)
    }

    // MARK: Requests that need no index

    func rows(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, maxAge: TimeInterval) throws -> [FetchedRow] {
        try source.rows(keys, root: root, home: home, maxAge: maxAge)
    }

    func currentRow(_ key: Int64, root: EntityLayout, home: StoreIdentity?) throws -> FetchedRow? {
        try source.currentRow(key, root: root, home: home)
    }

    func home(of reference: Reference) -> StoreIdentity? { source.home(of: reference) }

    func assignPermanentIDs(to keys: [ObjectKey]) throws { try source.assignPermanentIDs(to: keys) }

    func save(_ changes: [StoreChanges]) throws -> SourceSave { try source.save(changes) }
}
