// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a transaction of a save or a batch request with its files, its number and its confirmation.

import SQLiteDriver

extension OpenDatabase {
    private struct Unconfirmed: Error {}

    /// Calls the body in a transaction on the writing connection, and commits it.
    ///
    /// - Parameters:
    ///   - confirm: called when only the commit is left; `false` rolls back.
    ///   - body: writes the rows. It gets nil if the store writes no external files.
    func write(on connection: Connection, _ confirm: () throws -> Bool, _ body: (ExternalFiles?) throws -> Void) throws
        -> CommitEnd<Int64>
    {
        let files = removals.map { ExternalFiles($0) }
        _ = recorder.take()
        /// Set when only the commit is left to do.
        var isPrepared = false
        var number: Int64?
        do {
            try StopSignal.current?.check()
            try connection.write(.immediate) {
                // Not the commit: whether it is durable must stay certain (Limits-C3).
                try ConnectionPool.stoppable(connection) { _ in try body(files) }
                try files?.willCommit()
                number = try numberCommit(on: connection)
                guard try confirm() else { throw Unconfirmed() }
                isPrepared = true
            }
        } catch is Unconfirmed {
            files?.rollback()
            return .rolledBack
        } catch let error as SQLiteError where isPrepared && error.leavesCommitInDoubt {
            // With a rollback journal the transaction may be durable although its last sync failed.
            let isDurable = isDurable(number, on: connection)
            if isDurable != true {
                files?.commitFailed(isRolledBack: isDurable == false)
                guard let number, isDurable == nil else { throw error }
                return .unknown(number, error)
            }
        } catch {
            files?.rollback()
            throw error
        }
        didCommit(files, on: connection)
        return .committed
    }
}
