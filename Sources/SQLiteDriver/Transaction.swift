// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Transactions and savepoints: all or nothing, and the first error is the one that is thrown.

/// When a transaction takes its locks.
package enum TransactionKind: String, Sendable {
    /// At the first read or write. A later write may then fail as busy at once, without waiting.
    case deferred = "BEGIN DEFERRED"
    /// The write lock at once; readers go on.
    case immediate = "BEGIN IMMEDIATE"
    /// In WAL mode the same as immediate; else readers are shut out too.
    case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
    package func begin(_ kind: TransactionKind = .deferred) throws(SQLiteError) {
        try step(kind.rawValue)
    }

    /// - Throws: `isBusy`, `isFull`, `isIOError` …; the transaction may still be open then: ask `inTransaction`.
    package func commit() throws(SQLiteError) {
        try step("COMMIT")
    }

    /// Undoes the transaction; does nothing outside of one, since some failures have rolled back already.
    package func rollback() throws(SQLiteError) {
        if inTransaction { try step("ROLLBACK") }
    }

    /// Runs the body in a transaction: committed when it returns, rolled back when it or the commit throws.
    ///
    /// - Throws: the first error. A failing roll-back says nothing new and is not reported.
    @discardableResult
    package func write<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Runs the body on one unchanging state of the database, inside the current transaction if there is one.
    @discardableResult
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        inTransaction ? try body() : try write(.deferred, body)
    }

    /// Runs the body so that its changes alone are undone when it throws. Savepoints nest; outside of a transaction the
    /// outermost one is a transaction.
    @discardableResult
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // One name serves all depths: SQLite takes the innermost one.
        try step("SAVEPOINT scope")
        do {
            let result = try body()
            try step("RELEASE scope")
            return result
        } catch {
            // Some failures (OR ROLLBACK, a full disk) have ended the whole transaction, and the savepoint with it.
            if inTransaction {
                try? step("ROLLBACK TO scope")
                try? step("RELEASE scope")
            }
            throw error
        }
    }

    private func step(_ sql: String) throws(SQLiteError) {
        _ = try statement(for: sql).step()
    }
}
