// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An open store as its parts use it: schema, connections, keys and plans.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The state of a PostgreSQL store while it is open.
final class OpenServer: @unchecked Sendable {  // its parts are immutable or have locks
    let schema: Schema
    let dialect: PostgreSQLDialect
    let sessions: Sessions
    let planner: SavePlanner
    let isReadOnly: Bool
    let keys: KeyBlocks
    let derived: DerivedValues
    /// nil without tables of a history, in a store that is read-only.
    let history: ServerHistory?
    let news: CommitNotices
    /// Whether commits are announced to other processes without a history, too.
    let tellsOthers: Bool
    /// The version of the model that the store had when it was opened (PostgreSQL-M5).
    let version: Data
    /// nil where all reads go to the primary.
    let standbys: Standbys?
    private let server: Mutex<ServerMark?>
    private let plans = Mutex<[Int: RowPlan]>([:])
    let lookUps = LookUpTexts()
    let placed = PlacedRows()
    /// Saves with an end that is not known yet, the newest first; see `TokenDecision`.
    let undecided = Mutex<[IndeterminateSave]>([])

    init(
        schema: Schema, dialect: PostgreSQLDialect, sessions: Sessions, isReadOnly: Bool, keys: KeyBlocks,
        derived: DerivedValues, history: ServerHistory?, news: CommitNotices, tellsOthers: Bool,
        version: Data, standbys: Standbys? = nil, server: ServerMark? = nil
    ) {
        self.schema = schema
        self.dialect = dialect
        self.sessions = sessions
        self.isReadOnly = isReadOnly
        self.keys = keys
        self.derived = derived
        self.history = history
        self.news = news
        self.tellsOthers = tellsOthers
        self.version = version
        self.standbys = standbys
        self.server = Mutex(server)
        planner = SavePlanner(schema: schema)
    }

    // MARK: Servers

    /// Reads from a standby, where one will do, or from the primary.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        if let result = try standbys?.read(body) { return result }
        return try readPrimary(body)
    }

    /// Reads the newest rows. Standbys are not read before they have them, too (PostgreSQL-R1).
    func readPrimary<T>(_ body: (Connection) throws -> T) throws -> T {
        try sessions.with(repeats: true) { connection in
            let result = try body(connection)
            try standbys?.note(connection)
            return result
        }
    }

    /// Calls the body when a connection leads to another server than those before (PostgreSQL-F2).
    func onOtherServer(_ body: @escaping @Sendable () -> Void) {
        sessions.onConnection { [weak self] connection in
            guard let self, let mark = connection.server else { return }
            let isOther = server.withLock { server in
                defer { server = mark }
                return server.map { $0.name != mark.name } ?? false
            }
            guard isOther else { return }
            standbys?.position.beginAnew()
            body()
        }
    }

    func close() {
        sessions.close()
        standbys?.close()
    }

    /// Whether the rows of an entity are in a table that is not the store's own.
    func isMapped(_ layout: EntityLayout) -> Bool {
        schema.mapping(layout).map { dialect.mapped[$0.table.name] != nil } ?? false
    }

    /// Asks whether the store still has the version that it had when it was opened; of mapped tables the version does
    /// not count (MappedTables-T3).
    var versionQuestion: Statement {
        if dialect.isWhole { return Statement("SELECT true") }
        return Statement(
            "SELECT model_hashes IS NULL OR model_hashes = $1 FROM \(dialect.qualified("ocd_store"))",
            [.bytes(version)])
    }

    /// The plan for rows of an entity and, if asked for, its subentities.
    func rows(_ layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        let key = layout.index * 2 + (includesSubentities ? 1 : 0)
        if let plan = plans.withLock({ $0[key] }) { return plan }
        let layouts = includesSubentities ? layout.familyIndexes.map { schema.model.layouts[$0] } : [layout]
        let plan = RowPlan(schema: schema, layouts: layouts)
        plans.withLock { $0[key] = plan }
        return plan
    }
}
