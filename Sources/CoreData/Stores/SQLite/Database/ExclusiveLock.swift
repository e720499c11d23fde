// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Waits until no other connection uses a database, and locks it.

import Foundation
import SQLiteDriver

/// For a migration, and before a database is emptied or replaced.
///
/// Several openers may try to migrate one store. One gets the lock; the others find a migrated store
/// (Migration-M21).
struct ExclusiveLock {
    let url: URL
    let timeout: Duration
    /// Whether stores of this process close their connections first, as for a migration.
    var asksOwnStores = false
    /// Called before each attempt; ends the wait if it throws.
    var beforeAttempt: () throws -> Void = {}

    /// - Parameter isNeeded: whether the lock is still needed: another opener may have migrated the store. Called while
    ///   other openers hold the lock.
    /// - Returns: a connection within an exclusive transaction, without a WAL, and the previous journal mode; nil if
    ///   the lock is no longer needed.
    /// - Throws: 134090 if other connections use the store for longer than the timeout.
    func acquire(while isNeeded: () throws -> Bool) throws -> (connection: Connection, mode: JournalMode)? {
        let clock = ContinuousClock()
        let end = clock.now + timeout
        while true {
            try beforeAttempt()
            do {
                return try attempt()
            } catch let error as SQLiteError where error.isBusy {
                // A busy error of this check means nothing.
                if (try? isNeeded()) == false { return nil }
                let isOurs = OpenStores.hold(url)
                if isOurs, asksOwnStores {
                    OpenStores.stepAside(for: url)
                    if !OpenStores.hold(url), clock.now < end { continue }
                }
                guard clock.now < end else {
                    throw isOurs ? heldByThisProcess(error) : SQLiteStoreErrors.opening(error, url: url)
                }
                Thread.sleep(forTimeInterval: .random(in: 0.005...0.03))
            }
        }
    }

    private func heldByThisProcess(_ error: SQLiteError) -> NSError {
        let advice =
            asksOwnStores
            ? "which reads or writes, or has a query generation. Let it end, or remove the store from that coordinator."
            : "Remove the store from that coordinator first."
        return CoreDataError.cannotOpenStore(
            url: url, .timeout,
            reason: "This process has the file open by another coordinator\(asksOwnStores ? ", " : ". ")\(advice)",
            underlying: SQLiteStoreErrors.underlying(error))
    }

    private func attempt() throws -> (Connection, JournalMode) {
        try DatabaseUse.requireNone(url)
        let connection = try Connection(
            url: url, options: .init(access: .readWrite, busyTimeout: min(timeout, .milliseconds(50))))
        do {
            let mode = try connection.journalMode() ?? .delete
            // SQLite refuses this while another connection has a database in WAL mode open. A rollback journal contains
            // only old pages, so new tables are written once.
            try connection.setJournalMode(.delete)
            try connection.begin(.exclusive)
            // Later openers read the version of the store only after this transaction.
            try DatabaseUse.requireNone(url)
            return (connection, mode)
        } catch {
            try? connection.close()
            throw error
        }
    }
}
