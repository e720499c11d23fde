// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of an open store: schema, connections, keys and plans.

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
    /// nil for a read-only store without history tables.
    let history: ServerHistory?
    let news: CommitNotices
    let searches: ServerSearches
    /// Whether commits are announced to other processes even without a history.
    let tellsOthers: Bool
    /// The version of the model when the store was opened (PostgreSQL-M5).
    let version: Data
    /// nil if all reads go to the primary.
    let standbys: Standbys?
    private let server: Mutex<ServerMark?>
    let plans: RowPlans
    let lookUps = LookUpTexts()
    let placed = PlacedRows()
    let indeterminate = Mutex(IndeterminateCommits<TokenDecision>())

    init(
        schema: Schema, dialect: PostgreSQLDialect, sessions: Sessions, isReadOnly: Bool, keys: KeyBlocks,
        derived: DerivedValues, history: ServerHistory?, news: CommitNotices, tellsOthers: Bool,
        version: Data, standbys: Standbys? = nil, server: ServerMark? = nil, searches: ServerSearches = ServerSearches()
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
        self.searches = searches
        self.standbys = standbys
        self.server = Mutex(server)
        planner = SavePlanner(schema: schema)
        plans = RowPlans(schema: schema)
    }

    // MARK: Servers

    /// Reads from a standby if one is recent enough, otherwise from the primary.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        let stoppable: (Connection) throws -> T = { connection in
            try Sessions.stoppable(connection) { try body(connection) }
        }
        if let result = try standbys?.read(stoppable) { return result }
        return try readPrimary(body)
    }

    /// Reads the newest rows. Afterwards a standby is read only if it has these rows (PostgreSQL-R1).
    func readPrimary<T>(_ body: (Connection) throws -> T) throws -> T {
        try sessions.with(repeats: true) { connection in
            let result = try Sessions.stoppable(connection) { try body(connection) }
            try standbys?.note(connection)
            return result
        }
    }

    /// Calls the body when a new connection reaches a different server than earlier connections (PostgreSQL-F2).
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

    // MARK: Commits with an unknown end

    /// Finds out which commits are durable (PostgreSQL-S2), and forgets the others. Call it before each transaction.
    ///
    /// - Throws: 08007 if the server gives no answer.
    func settleIndeterminate() throws {
        for decision in indeterminate.withLock({ $0.unsettled }) {
            let answer = decision.run()
            if case .unknown = answer {
                throw PostgreSQLError(
                    .connection, code: "08007", "Whether an earlier save is in the database is not known yet.")
            }
            indeterminate.withLock { $0.settle(decision, isDurable: answer == .committed) }
        }
    }

    func close() {
        sessions.close()
        standbys?.close()
    }

    /// Whether the rows of an entity are in a mapped table.
    func isMapped(_ layout: EntityLayout) -> Bool {
        schema.mapping(layout).map { dialect.mapped[$0.table.name] != nil } ?? false
    }

    /// Queries whether the store still has the version that it had when it was opened; the version of mapped tables is
    /// ignored (MappedTables-T3).
    var versionQuestion: Statement {
        if dialect.isWhole { return Statement("SELECT true") }
        return Statement(
            "SELECT model_hashes IS NULL OR model_hashes = $1 FROM \(dialect.qualified("ocd_store"))",
            [.bytes(version)])
    }
}
