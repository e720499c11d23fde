// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Locks a database exclusively before it is emptied or replaced.

import Foundation
import SQLiteDriver

/// Holds the exclusive lock on a database, without a WAL, until it is released.
struct DatabaseReservation {
    /// nil if forced, or if the database is too damaged to be locked.
    private let connection: Connection?
    /// The large-data files of the database's rows; nil if unreadable.
    let externalFiles: Set<String>?

    /// - Parameter isMigrating: whether stores of this process close their connections first (Migration-M13).
    /// - Throws: 134090 when the database is open elsewhere, 259 when it is not a store, 513 when it is not writable.
    init(_ url: URL, options: [AnyHashable: Any]?, isMigrating: Bool = false) throws {
        let isForced = StoreFlag.isSet(NSPersistentStoreForceDestroyOption, in: options)
        do {
            // With force, other openers need not be waited for.
            let timeout = isForced ? .zero : try SQLiteStoreOptions(options).timeout
            let connection = try Self.lock(url, timeout: timeout, isMigrating: isMigrating)
            externalFiles = connection.flatMap { try? ExternalReferences.names(in: $0) }
            self.connection = connection
        } catch let error {
            // A damaged store is still a store, so that it can be replaced by a backup. Another disk failure may be
            // temporary, and does not show whether the database is open elsewhere.
            let isDamaged = (error as? SQLiteError).map { $0.isCorrupt || $0.isShortRead } ?? false
            guard isForced || isDamaged else { throw SQLiteStoreErrors.opening(error, url: url) }
            connection = nil
            externalFiles = nil
        }
    }

    private static func lock(_ url: URL, timeout: Duration, isMigrating: Bool) throws -> Connection? {
        // Inspect read-only first: a database that is not a store must stay unchanged.
        let isFit = try SQLiteStoreFile(url: url).inspect(timeout: timeout) { inspector in
            try inspector.schema().isEmpty || inspector.tableExists(SchemaNaming.metadataTable)
        }
        guard isFit else {
            throw CoreDataError.cannotOpenStore(
                url: url, .corrupt, reason: "It is a database, but not one of Core Data: there is no Z_METADATA.")
        }
        return try ExclusiveLock(url: url, timeout: timeout, asksOwnStores: isMigrating).acquire { true }?.connection
    }

    /// Part of the state of the store (`StoreState`).
    var transactions: UInt32? { connection?.transactionCounter }

    func end() {
        try? connection?.rollback()
        try? connection?.close()
    }
}
