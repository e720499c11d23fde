// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs code in transactions and savepoints that take effect completely or not at all.

/// The time at which a transaction acquires its locks.
package enum TransactionKind: String, Sendable {
    /// At the first read or write. A later write may then fail as busy immediately, without waiting.
    case deferred = "BEGIN DEFERRED"
    /// The write lock at once; readers continue.
    case immediate = "BEGIN IMMEDIATE"
    /// In WAL mode the same as immediate; otherwise readers are locked out, too.
    case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
    package func begin(_ kind: TransactionKind = .deferred) throws(SQLiteError) {
        try endFailedTransaction()
        try step(kind.rawValue)
    }

    /// - Throws: `isBusy`, `isFull`, `isIOError` …; the transaction may then still be open: check `inTransaction`.
    package func commit() throws(SQLiteError) {
        try step("COMMIT")
    }

    /// Rolls the transaction back. Does nothing without one, because some failures have already rolled back.
    package func rollback() throws(SQLiteError) {
        if inTransaction { try step("ROLLBACK") }
    }

    /// Runs the body in a transaction, which is committed when the body returns, and rolled back when it or
    /// the commit throws.
    ///
    /// - Throws: the first error. An error of the rollback is not reported; the next transaction begins with it.
    @discardableResult
    package func write<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            do { try rollback() } catch { hasFailedTransaction = true }
            if let error = error as? SQLiteError, error.leavesCommitInDoubt || error.isCorrupt { forgetSchema() }
            throw error
        }
    }

    /// Reads the schema anew before the next statement, which makes virtual tables anew. FTS5 keeps state in memory
    /// when the disk fails in a transaction, and reports the next one's rows as damaged.
    private func forgetSchema() {
        // If this fails as well, the next transaction ends with an error, and with the next attempt.
        try? execute("PRAGMA writable_schema = RESET")
    }

    /// Rolls back a transaction whose rollback has failed, for example for lack of memory. Until then this connection
    /// sees its changes.
    package func endFailedTransaction() throws(SQLiteError) {
        guard hasFailedTransaction else { return }
        try rollback()
        hasFailedTransaction = false
    }

    /// Runs the body on one unchanging state of the database, within the current transaction if there is one.
    @discardableResult
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        try endFailedTransaction()
        return inTransaction ? try body() : try write(.deferred, body)
    }

    /// Runs the body so that only its changes are rolled back when it throws. Savepoints nest; outside of a transaction
    /// the outermost one is a transaction.
    @discardableResult
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // One name serves all depths: SQLite uses the innermost one.
        try step("SAVEPOINT scope")
        do {
            let result = try body()
            try step("RELEASE scope")
            return result
        } catch {
            // Some failures (OR ROLLBACK, a full disk) have already ended the whole transaction,
            // including the savepoint.
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
