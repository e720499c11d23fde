// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An open database as the parts of its store use it: schema, connections, statements and large data.

import Foundation
import SQLiteDriver

/// The state of a SQLite store while it is open.
final class OpenDatabase {
    let schema: Schema
    let pool: ConnectionPool
    let planner: SavePlanner
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
    /// The newest first; guarded by the pool's write lock.
    private(set) var doubtfulCommits: [DoubtfulCommit] = []

    init(
        schema: Schema, pool: ConnectionPool, externalFolder: URL?, removals: ExternalRemovals?, isReadOnly: Bool,
        recorder: DerivedRecorder, derived: DerivedColumns, history: FollowedHistory, use: DatabaseUse?
    ) {
        self.schema = schema
        self.pool = pool
        planner = SavePlanner(schema: schema)
        self.externalFolder = externalFolder
        self.removals = removals
        self.isReadOnly = isReadOnly
        self.recorder = recorder
        plans = PlanCache(schema: schema)
        self.derived = derived
        self.history = history
        self.use = use
    }

    /// Removes large data that no state needs any more, and closes all connections.
    func close() throws {
        defer { use = nil }
        try pool.close { connection in
            removals?.run { try connection.flushCommits() }
            removals?.close()
        }
    }

    /// Remembers a commit with an unknown end.
    func doubt(_ commit: DoubtfulCommit) {
        doubtfulCommits.insert(commit, at: 0)
        doubtfulCommits = Array(doubtfulCommits.prefix(DoubtfulCommit.maximumCount))
    }

    /// Ends a transaction that has committed: its large data, and the look at the history.
    func didCommit(_ files: ExternalFiles?, on writer: Connection) {
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
