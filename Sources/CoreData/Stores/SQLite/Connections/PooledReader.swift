// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reader of the pool and its read transaction.

import SQLiteDriver
package import Synchronization

/// Settings of read transactions between reads.
package enum IdleTransactions {
    /// Whether they stay open for a moment after a read. False in simulations: there each call to the file has its
    /// place in an order, and the end of these transactions would have none.
    package static let areKept = Atomic<Bool>(true)
}

/// A connection for reads, and the moment that its open transaction shows.
final class PooledReader: @unchecked Sendable {  // one thread at a time uses it, ConnectionPool (1)
    let connection: Connection
    /// The newest commit when the transaction began; nil if the connection cannot know about commits.
    private var seen: CommitMark?
    /// The moment of the row cache when the transaction began.
    private var moment = -1
    /// The turn of the pool's sweeps in which the reader became idle.
    var turn = 0

    init(_ connection: Connection) { self.connection = connection }

    /// Begins a transaction, unless the open one shows the newest commit of whichever process.
    ///
    /// - Parameter moment: the moment of the row cache. An older transaction would fill it with old rows.
    /// - Returns: whether another transaction began.
    func update(since moment: Int) throws -> Bool {
        let newest = connection.commitMark
        if newest != nil, newest == seen, moment == self.moment, connection.inTransaction { return false }
        try connection.rollback()
        try connection.begin(.deferred)
        seen = newest
        self.moment = moment
        return true
    }

    /// Whether a transaction is open that the next read may use.
    var mayKeepTransaction: Bool {
        guard connection.inTransaction else { return false }
        // A connection learns about commits in its first transaction, which began without that knowledge.
        if seen == nil { _ = connection.commitMark }
        return seen != nil
    }
}
