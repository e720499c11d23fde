// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows the history in the file of an open store, which other processes create and remove.
// Documentation/Internals/History.md.

import Foundation
import SQLiteDriver
import Synchronization

/// # States
///     kept    ──another removes it──▶ absent      with the option on, the next transaction begins a new one
///     absent  ──another begins one──▶ kept        regardless of the option, because a history has no gaps
/// # Invariants
/// (1) A transaction records in the history that the file has when the transaction begins (History-17).
/// (2) `seen` is the state of the file when `current` was last compared with it; nil after a transaction that changed
///     the tables and was rolled back.
final class FollowedHistory: @unchecked Sendable {  // `seen` is guarded by the pool's write lock
    /// Opens the history of the file within a transaction; returns nil for a file without one.
    private let open: (Connection) throws -> SQLiteHistory?
    private let current: Mutex<SQLiteHistory?>
    private var seen: Moment?
    /// Whether other connections may write; false for a database in memory.
    private let isShared: Bool

    struct Moment: Equatable {
        /// Changes with every commit.
        var data: UInt32
        /// Changes when a table is created or dropped.
        let schema: Int64

        /// - Parameter schema: as read in the last transaction of the connection; nil to read it now.
        init(_ connection: Connection, schema: Int64? = nil) throws {
            self.schema = try schema ?? connection.schemaVersion()
            data = connection.fileVersion
        }
    }

    /// - Parameters:
    ///   - seen: the state of the file when the history was opened; nil if opening changed the file.
    ///   - isShared: whether other connections may write the file.
    init(
        _ history: SQLiteHistory?, seen: Moment?, isShared: Bool,
        open: @escaping (Connection) throws -> SQLiteHistory?
    ) {
        current = Mutex(history)
        self.seen = seen
        self.isShared = isShared
        self.open = open
    }

    /// nil if the store, as far as known, records no history.
    var value: SQLiteHistory? { current.withLock { $0 } }

    /// The current history of the file. Call it in a transaction of the writing connection.
    func updated(on connection: Connection) throws -> SQLiteHistory? {
        if try !isOutdated(on: connection) { return value }
        seen = nil
        let history = try open(connection)
        current.withLock { $0 = history }
        return history
    }

    /// Whether tables were created or dropped since the last check. Runs a statement only after another connection has
    /// written.
    func isOutdated(on connection: Connection) throws -> Bool {
        guard isShared else { return false }
        guard let seen else { return true }
        return try seen.data != connection.fileVersion && seen.schema != connection.schemaVersion()
    }

    /// Runs a transaction that records nothing. If no other connection has written before it, the next one need not
    /// check.
    func write<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
        var isCurrent = false
        let result = try connection.write {
            isCurrent = seen?.data == connection.fileVersion
            return try body()
        }
        if isCurrent { seen?.data = connection.fileVersion }
        return result
    }

    /// Called after the commit of a transaction that called `updated(on:)`.
    func didCommit(on connection: Connection) {
        if !isShared { return }
        if seen == nil { seen = try? Moment(connection) }
        seen?.data = connection.fileVersion
    }
}
