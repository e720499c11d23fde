// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An open database as the parts of its store use it: schema, connections, statements and large data.

import Foundation
import SQLiteDriver

/// The state of a SQLite store while it is open.
final class OpenDatabase {
    let schema: Schema
    let pool: ConnectionPool
    let planner: SavePlanner
    /// The path of the database without symbolic links; nil for one in memory.
    let file: String?
    let externalFolder: URL?
    /// nil when nothing is written beside the database.
    let removals: ExternalRemovals?
    let isReadOnly: Bool
    let recorder: DerivedRecorder
    let plans: PlanCache
    let derived: DerivedColumns
    let history: FollowedHistory
    /// nil for a database whose locks show that it is open.
    private var use: DatabaseUse?
    /// The version of the data when commits of others were last looked for; guarded by the pool's write lock.
    var seenVersion: Int64?
    /// nil for a database in which a commit that fails never stands: one with a write-ahead log, or in memory.
    private let commits: CommitNumbers?
    /// Guarded by the pool's write lock.
    private(set) var indeterminate = IndeterminateCommits()

    init(
        schema: Schema, pool: ConnectionPool, file: String?, externalFolder: URL?, removals: ExternalRemovals?,
        isReadOnly: Bool, recorder: DerivedRecorder, derived: DerivedColumns, history: FollowedHistory,
        use: DatabaseUse?,
        numbersCommits: Bool
    ) {
        self.schema = schema
        self.pool = pool
        planner = SavePlanner(schema: schema)
        self.file = file
        self.externalFolder = externalFolder
        self.removals = removals
        self.isReadOnly = isReadOnly
        self.recorder = recorder
        plans = PlanCache(schema: schema)
        self.derived = derived
        self.history = history
        self.use = use
        commits = numbersCommits ? CommitNumbers() : nil
    }

    /// Removes large data that no state needs any more, and closes all connections.
    func close() throws {
        defer { use = nil }
        try pool.close { connection in
            removals?.run { try connection.flushCommits() }
            removals?.close()
        }
    }

    /// The same, if no connection is in use; false otherwise.
    func closeIfUnused() -> Bool {
        let isClosed = pool.closeIfUnused { connection in
            removals?.run { try connection.flushCommits() }
            removals?.close()
        }
        if isClosed { use = nil }
        return isClosed
    }

    // MARK: Doubtful commits

    /// Called before a transaction begins (IndeterminateCommits-D3).
    func settleDoubts(on writer: Connection) throws {
        if let commits, !indeterminate.isEmpty { try indeterminate.settle(commits, on: writer) }
    }

    /// The number of a transaction, which is written into it; nil where nobody will ask.
    func numberCommit(on writer: Connection) throws -> Int64? { try commits?.write(on: writer) }

    /// Whether the transaction whose commit failed is in the database all the same; nil if the database cannot be read,
    /// which is remembered.
    func stands(_ number: Int64?, on writer: Connection, _ work: @autoclosure () -> IndeterminateCommits.Work) -> Bool?
    {
        guard let number, let commits else { return false }
        do {
            return try commits.stands(number, on: writer)
        } catch {
            indeterminate.add(number, work())
            return nil
        }
    }

    /// The batch request was answered with the result of its first attempt.
    func forgetIndeterminate(of batch: StoreBatch) { indeterminate.forget(batch) }

    /// Ends a transaction that has committed: its large data, and the look at the history.
    func didCommit(_ files: ExternalFiles?, on writer: Connection) {
        indeterminate.didCommit()
        history.didCommit(on: writer)
        files?.didCommit()
        removals?.runIfDue { try writer.flushCommits() }
    }

    /// Whether another connection has committed since the last call; false at the first call. Under the pool's write
    /// lock.
    func seesForeignCommit(_ writer: Connection) throws -> Bool {
        let version = try writer.dataVersion()
        defer { seenVersion = version }
        return seenVersion.map { $0 != version } ?? false
    }
}
