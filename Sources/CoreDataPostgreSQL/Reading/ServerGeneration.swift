// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot of a store in PostgreSQL, for query generations and for copies.

package import CoreData
import Foundation
import PostgreSQLDriver

/// Reads one snapshot, and has a separate row cache, because the store's rows may be newer. Thread-safe.
final class ServerGeneration: RecordSource {
    let rowCache = RowCache()
    private let store: PostgreSQLStore
    private let opened: OpenServer
    private let reader: SnapshotReader

    init(_ store: PostgreSQLStore, _ opened: OpenServer, _ reader: SnapshotReader) {
        (self.store, self.opened, self.reader) = (store, opened, reader)
    }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try read { try ServerFetch(opened: opened, connection: $0, cache: $1, fetch: fetch).outcome() }
    }

    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        try read { try ServerFetch(opened: opened, connection: $0, cache: $1, fetch: fetch).explanation(of: store) }
    }

    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow] {
        if keys.isEmpty { return [] }
        return try read { try ServerReader(opened: opened, connection: $0, cache: $1).rows(keys, root: root) }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read {
            try ServerReader(opened: opened, connection: $0, cache: $1)
                .members(of: slot, layout: layout, owners: owners)
        }
    }

    private func read<T>(_ body: (Connection, CacheFillPermit) throws -> T) throws -> T {
        let permit = CacheFillPermit(rowCache)
        do {
            return try reader.read { try body($0, permit) }
        } catch let lost as SnapshotLost {
            throw StoreErrors.lost(lost, store)
        } catch let error as PostgreSQLError where StoreErrors.missesTables(error) {
            throw try store.migratedMeanwhile(opened, error)
        } catch {
            throw StoreErrors.reading(error, store)
        }
    }
}

extension PostgreSQLStore {
    package func generation() throws -> (any RecordSource)? {
        let opened = try opened()
        return try generation(opened, lifetime: opened.sessions.settings.generationTimeout)
    }

    /// Without a time limit: a copy takes time in proportion to the size of the store (PostgreSQL-G5).
    package func copySource() throws -> any RecordSource { try generation(opened(), lifetime: nil) }

    private func generation(_ opened: OpenServer, lifetime: Duration?) throws -> ServerGeneration {
        do {
            let table = opened.dialect.qualified("ocd_transaction")
            let reader = try opened.sessions.beginGeneration(locking: table, lifetime: lifetime)
            if let standbys = opened.standbys { try reader.read { _ = try standbys.note($0) } }
            return ServerGeneration(self, opened, reader)
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }
}
