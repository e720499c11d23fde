// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A snapshot of a store in PostgreSQL, for query generations and for copies.

package import CoreData
import Foundation
import PostgreSQLDriver

/// Reads one snapshot, and has a separate row cache, because the store's rows may be newer. Thread-safe.
final class ServerGeneration: RelationalSource {
    let rowCache = RowCache()
    private let server: PostgreSQLStore
    var store: NSPersistentStore { server }
    private let opened: OpenServer
    private let reader: SnapshotReader

    init(_ store: PostgreSQLStore, _ opened: OpenServer, _ reader: SnapshotReader) {
        (server, self.opened, self.reader) = (store, opened, reader)
    }

    func read<T>(in sharedRead: SharedReadTransaction?, _ body: (ServerReader) throws -> T) throws -> T {
        let permit = CacheFillPermit(rowCache)
        do {
            return try reader.read { try body(ServerReader(opened: opened, connection: $0, cache: permit)) }
        } catch let lost as SnapshotLost {
            throw StoreErrors.lost(lost, server)
        } catch let error as PostgreSQLError where StoreErrors.missesTables(error) {
            throw try server.migratedMeanwhile(opened, error)
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
