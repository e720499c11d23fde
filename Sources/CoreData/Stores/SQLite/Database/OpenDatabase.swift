// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The open database of a store: schema, connections, statements and large data.

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
    /// nil if the store writes no external files.
    let removals: ExternalRemovals?
    let isReadOnly: Bool
    let recorder: DerivedRecorder
    let plans: PlanCache
    let derived: DerivedColumns
    let history: FollowedHistory
    let fullText: SideIndexes<FullTextTable>
    let values: SideIndexes<ValueTable>
    let spatial: SpatialIndexes
    /// nil for a database whose locks show that it is open.
    private var use: DatabaseUse?
    /// The version of the data at the last check for commits of other connections; guarded by the pool's write lock.
    var seenVersion: Int64?
    /// nil if a failed commit is never durable: for a database with a WAL, or in memory.
    private let commits: CommitNumbers?
    /// Guarded by the pool's write lock.
    private(set) var indeterminate = IndeterminateCommits<Int64>()

    init(
        schema: Schema, pool: ConnectionPool, file: String?, externalFolder: URL?, removals: ExternalRemovals?,
        isReadOnly: Bool, recorder: DerivedRecorder, derived: DerivedColumns, history: FollowedHistory,
        fullText: SideIndexes<FullTextTable>, values: SideIndexes<ValueTable>, use: DatabaseUse?, numbersCommits: Bool
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
        self.fullText = fullText
        self.values = values
        spatial = SpatialIndexes(schema: schema)
        self.use = use
        commits = numbersCommits ? CommitNumbers() : nil
    }

    /// Removes large data that no reader needs any more, and closes all connections.
    func close() throws {
        defer { use = nil }
        try pool.close { connection in
            removals?.run { try connection.flushCommits() }
            removals?.close()
        }
    }

    /// Closes as `close()` does if no connection is in use; otherwise returns false.
    func closeIfUnused() -> Bool {
        let isClosed = pool.closeIfUnused { connection in
            removals?.run { try connection.flushCommits() }
            removals?.close()
        }
        if isClosed { use = nil }
        return isClosed
    }

    // MARK: Indeterminate commits

    /// Called before a transaction begins (IndeterminateCommits-D3).
    func settleDoubts(on writer: Connection) throws {
        guard let commits else { return }
        for number in indeterminate.unsettled {
            indeterminate.settle(number, isDurable: try commits.isDurable(number, on: writer))
        }
    }

    /// Writes the number of a transaction into it; nil if the number is never needed.
    func numberCommit(on writer: Connection) throws -> Int64? { try commits?.write(on: writer) }

    /// Whether the transaction whose commit failed is durable nevertheless; nil if the database cannot be read.
    func isDurable(_ number: Int64?, on writer: Connection) -> Bool? {
        guard let number, let commits else { return false }
        return try? commits.isDurable(number, on: writer)
    }

    func remember(_ number: Int64, _ work: IndeterminateCommits<Int64>.Work) { indeterminate.add(number, work) }

    /// Called when a repeated batch request has received the result of its first attempt.
    func forgetIndeterminate(of batch: StoreBatch) { indeterminate.forget(batch) }

    /// Ends a committed transaction: updates the obsolete files of large data and the followed history.
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
