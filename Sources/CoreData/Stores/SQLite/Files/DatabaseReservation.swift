// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes sure that a database is nobody's but ours before it is emptied or replaced.

import Foundation
import SQLiteDriver

/// Holds a store's database locked, without a write-ahead log, until it ends.
struct DatabaseReservation {
    /// nil: forced, or too damaged to be locked.
    private let connection: Connection?
    /// The files beside the database that its rows name; nil when they could not be read.
    let externalFiles: Set<String>?

    /// - Throws: 134090 when somebody has the database open, 259 when it is no store, 513 when it may not be written.
    init(_ url: URL, options: [AnyHashable: Any]?) throws {
        let isForced = StoreFlag.isSet(NSPersistentStoreForceDestroyOption, in: options)
        do {
            let connection = try Self.lock(url, timeout: SQLiteStoreOptions(options).timeout)
            externalFiles = try? ExternalReferences.names(in: connection)
            self.connection = connection
        } catch let error {
            // A damaged store is one all the same: whoever puts a backup in its place must be able to.
            let isDamaged = (error as? SQLiteError).map { $0.isCorrupt || $0.isIOError } ?? false
            guard isForced || isDamaged else { throw SQLiteStoreErrors.opening(error, url: url) }
            connection = nil
            externalFiles = nil
        }
    }

    private static func lock(_ url: URL, timeout: Duration) throws -> Connection {
        // First what cannot change the file: a database that is no store must stay as it is.
        let inspector = try SQLiteStoreFile(url: url).inspector(timeout: timeout)
        let isEmpty = try inspector.schema().isEmpty
        let isStore = try inspector.tableExists(SchemaNaming.metadataTable)
        try inspector.close()
        guard isEmpty || isStore else {
            throw CoreDataError.cannotOpenStore(
                url: url, .corrupt, reason: "It is a database, but not one of Core Data: there is no Z_METADATA.")
        }
        let connection = try Connection(url: url, options: .init(access: .readWrite, busyTimeout: timeout))
        do {
            // Refused as long as anybody else has a database in WAL mode open.
            try connection.setJournalMode(.delete)
            try connection.begin(.exclusive)
        } catch {
            try? connection.close()
            throw error
        }
        return connection
    }

    func end() {
        try? connection?.rollback()
        try? connection?.close()
    }
}
