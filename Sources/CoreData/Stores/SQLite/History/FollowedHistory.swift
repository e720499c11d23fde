// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of an open store as its file has it, which other processes begin and remove.
// Documentation/Internals/History.md.

import Foundation
import SQLiteDriver
import Synchronization

/// # States
///     kept    ──another removes it──▶ absent      the option was true: the next transaction begins a new one
///     absent  ──another begins one──▶ kept        whatever the option was: a history has no gaps
/// # Invariants
/// (1) A transaction records in the history that the file has when the transaction begins (History-17).
/// (2) `seen` is the file as it was when `current` was last compared with it. A transaction that changes the tables
///     and is rolled back leaves nil.
final class FollowedHistory: @unchecked Sendable {  // `seen` is guarded by the pool's write lock
    /// How the history of the file is opened within a transaction; nil for a file without one.
    private let open: (Connection) throws -> SQLiteHistory?
    private let current: Mutex<SQLiteHistory?>
    private var seen: Moment?
    /// A database in memory has one connection.
    private let isShared: Bool

    struct Moment: Equatable {
        /// Differs after any commit.
        var data: UInt32
        /// Differs after a table came or went.
        let schema: Int64

        /// - Parameter schema: read in the last transaction of the connection; nil reads it.
        init(_ connection: Connection, schema: Int64? = nil) throws {
            self.schema = try schema ?? connection.schemaVersion()
            data = connection.fileVersion
        }
    }

    /// - Parameters:
    ///   - seen: the file when the history was opened; nil if opening has changed it.
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

    /// nil for a store that records nothing, as far as known.
    var value: SQLiteHistory? { current.withLock { $0 } }

    /// The history as the file has it now. In a transaction of the writing connection.
    func updated(on connection: Connection) throws -> SQLiteHistory? {
        if try !isOutdated(on: connection) { return value }
        seen = nil
        let history = try open(connection)
        current.withLock { $0 = history }
        return history
    }

    /// Whether tables came or went since the last look. Costs a statement only after another connection has written.
    func isOutdated(on connection: Connection) throws -> Bool {
        guard isShared else { return false }
        guard let seen else { return true }
        return try seen.data != connection.fileVersion && seen.schema != connection.schemaVersion()
    }

    /// A transaction that records nothing. If nobody else has written before it, the next one need not ask.
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
