// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot of a SQLite store, for query generations.

import Foundation
import SQLiteDriver

/// Reads on a separate connection and has a separate row cache, because the store's rows may be newer. Thread-safe.
final class SQLiteGeneration: RecordSource {
    let rowCache = RowCache()
    private let store: SQLiteStore
    private let opened: OpenDatabase
    private let reader: GenerationReader

    init(_ store: SQLiteStore, _ opened: OpenDatabase, _ reader: GenerationReader) {
        self.store = store
        self.opened = opened
        self.reader = reader
    }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try read { try opened.outcome(of: fetch, $0, CacheFillPermit(rowCache)) }
    }

    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        try read {
            try FetchRun(opened: opened, connection: $0, cache: CacheFillPermit(rowCache), fetch: fetch).explanation(
                of: store)
        }
    }

    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow] {
        if keys.isEmpty { return [] }
        return try read {
            try RowReader(opened: opened, connection: $0, cache: CacheFillPermit(rowCache)).rows(keys, root: root)
        }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read {
            try RowReader(opened: opened, connection: $0, cache: CacheFillPermit(rowCache))
                .members(of: slot, layout: layout, owners: owners)
        }
    }

    private func read<T>(_ body: (Connection) throws -> T) throws -> T {
        do {
            return try reader.read(body)
        } catch is GenerationLost {
            throw CoreDataError.storeOperation(
                "The query generation of the store \(CoreDataError.place(store.url)) is not there any more: the store was "
                    + "closed, or could not be read. Set another one.", store: store)
        } catch {
            throw SQLiteStoreErrors.operation(error, store: store)
        }
    }
}

extension SQLiteStore {
    func generation() throws -> (any RecordSource)? {
        let opened = try opened()
        do {
            return try opened.pool.generationReader().map { SQLiteGeneration(self, opened, $0) }
        } catch {
            throw SQLiteStoreErrors.operation(error, store: self)
        }
    }
}
