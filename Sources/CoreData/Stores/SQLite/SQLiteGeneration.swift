// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot of a SQLite store, for query generations.

import Foundation
import SQLiteDriver

/// Reads on a separate connection and has a separate row cache, because the store's rows may be newer. Thread-safe.
final class SQLiteGeneration: RelationalSource {
    let rowCache = RowCache()
    let store: NSPersistentStore
    let opened: OpenDatabase
    private let reader: GenerationReader

    init(_ store: NSPersistentStore, _ opened: OpenDatabase, _ reader: GenerationReader) {
        self.store = store
        self.opened = opened
        self.reader = reader
    }

    func read<T>(in sharedRead: SharedReadTransaction?, _ body: (RowReader) throws -> T) throws -> T {
        do {
            return try reader.read { connection in
                try ConnectionPool.stoppable(connection) {
                    try body(RowReader(opened: opened, connection: $0, cache: CacheFillPermit(rowCache)))
                }
            }
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
