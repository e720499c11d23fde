// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The connections of a store: taken for one call, given back, and discarded together when the server goes down.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The connection pool. Thread-safe.
///
/// # States of a connection
///     made ──▶ taken ──given back──▶ idle ──▶ taken …
///                └──broken, or older than the last breakdown──▶ closed
final class Sessions: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// The connections of query generations.
        var held = 0
        var generations: [ObjectIdentifier: Weak] = [:]
        /// Incremented by each breakdown: connections from before it are closed when they are given back.
        var epoch = 0
        var isClosed = false
        var serverVersion = 0
        /// Reports the texts of statements in place of the observers, for tests.
        var onText: (@Sendable (String) -> StatementEnd?)?
        var onConnection: (@Sendable (Connection) throws -> Void)?
    }

    private struct Weak: Sendable {
        weak var reader: SnapshotReader?
        let began = ContinuousClock.now
    }

    let settings: StoreSettings
    private let state = Mutex(State())
    private let permits: ConnectionPermits
    private let limit: Int

    init(_ settings: StoreSettings) {
        self.settings = settings
        limit = settings.maximumConnections
        permits = ConnectionPermits(
            limit: settings.maximumConnections, timeout: settings.limits.timeout ?? settings.timeout,
            waitingLimit: settings.limits.waiting)
    }

    private static func begin(_ sql: String, _ observation: StoreObservation, _ database: ObservedDatabase)
        -> StatementEnd?
    {
        guard let running = observation.beginStatement(sql, database) else { return nil }
        return { rows, failure in
            running.report.rows = rows
            running.report.error = failure.map(StoreErrors.underlying)
            running.ends()
        }
    }

    /// Reports each text that is sent, for tests.
    func observe(_ body: (@Sendable (String) -> Void)?) {
        var hook: (@Sendable (String) -> StatementEnd?)?
        if let body {
            hook = { text in
                body(text)
                return nil
            }
        }
        let made = hook
        state.withLock { state in
            state.onText = made
            for connection in state.idle { connection.onStatement = made }
        }
    }

    /// Checks each new connection; refuses it by throwing an error.
    func onConnection(_ body: @escaping @Sendable (Connection) throws -> Void) {
        state.withLock { $0.onConnection = body }
    }

    var answerTimeout: Duration { settings.answerTimeout }
    var deadline: Deadline { Deadline(in: settings.answerTimeout) }
    /// For statements that take time in proportion to the size of tables.
    var unbounded: Deadline { Deadline(in: .seconds(7 * 86_400)) }

    /// Runs the body with an exclusive connection.
    ///
    /// - Parameter repeats: whether the body may run once more on a new connection after a lost connection (P-G2),
    ///   because it only reads, or its writes are rolled back.
    func with<T>(repeats: Bool, _ body: (Connection) throws -> T) throws -> T {
        guard repeats else { return try once(body) }
        return try repeating { try once(body) }
    }

    private func repeating<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgreSQLError where error.endsConnection && error.kind != .deadline {
            RunningOperation.current?.report.retries += 1
            return try body()
        }
    }

    private func once<T>(_ body: (Connection) throws -> T) throws -> T {
        let (connection, epoch) = try take()
        do {
            let result = try body(connection)
            giveBack(connection, epoch)
            return result
        } catch {
            breakDown(after: error, epoch)
            giveBack(connection, epoch)
            throw error
        }
    }

    /// - Throws: `StoreLimitReached` (Limits-L1 to L3), `PostgreSQLError`.
    private func take() throws -> (Connection, Int) {
        try permits.take()
        do {
            let (known, epoch) = try state.withLock { state -> (Connection?, Int) in
                if state.isClosed { throw PostgreSQLError(.unusable, "The store is not open.") }
                return (state.idle.popLast(), state.epoch)
            }
            return (try known ?? make(), epoch)
        } catch {
            permits.giveBack()
            throw error
        }
    }

    private func giveBack(_ connection: Connection, _ epoch: Int) {
        let isKept = state.withLock { keep(connection, epoch, &$0) }
        if !isKept { connection.close() }
        permits.giveBack()
    }

    var condition: StoreCondition {
        let (taken, waiting) = permits.counts
        let (held, oldest) = state.withLock { ($0.held, $0.generations.values.map(\.began).min()) }
        return StoreCondition(
            connectionLimit: limit, connectionsInUse: taken + held, callsWaiting: waiting,
            oldestReaderAge: oldest.map { .now - $0 })
    }

    /// Calls the body, whose statement the server cancels when the caller's task is cancelled. The body must not
    /// commit.
    static func stoppable<T>(_ connection: Connection, _ body: () throws -> T) throws -> T {
        guard let stop = StopSignal.current, let cancellation = connection.cancellation() else { return try body() }
        return try stop.stopping(by: { cancellation.send() }, body)
    }

    private func keep(_ connection: Connection, _ epoch: Int, _ state: inout State) -> Bool {
        guard !connection.isBroken, !connection.wasCancelled, !connection.isInTransaction, epoch == state.epoch,
            !state.isClosed, state.idle.count < limit
        else { return false }
        state.idle.append(connection)
        return true
    }

    /// Closes the idle connections.
    func closeIdle() {
        let idle = state.withLock { state -> [Connection] in
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.close() }
    }

    /// If a server process has died, all connections are closed.
    private func breakDown(after error: any Error, _ epoch: Int) {
        guard let failure = error as? PostgreSQLError, failure.endsConnection, failure.kind != .deadline else { return }
        closeAll(since: epoch)
    }

    /// Closes the idle connections, and those in use when they are given back.
    ///
    /// - Parameter epoch: does nothing if another epoch has begun; nil closes all.
    func closeAll(since epoch: Int? = nil) {
        let dead = state.withLock { state -> [Connection] in
            if let epoch, state.epoch != epoch { return [] }
            state.epoch += 1
            let dead = state.idle
            state.idle = []
            return dead
        }
        for connection in dead { connection.close() }
    }

    // MARK: Query generations

    /// Begins a query generation on a separate connection. Generations may use as many connections as calls do.
    ///
    /// - Parameters:
    ///   - table: the table to lock against migrations (PostgreSQL-G2).
    ///   - lifetime: nil for no limit.
    func beginGeneration(locking table: String, lifetime: Duration?) throws -> SnapshotReader {
        try repeating {
            let (connection, epoch) = try hold()
            do {
                let reader = try SnapshotReader(connection, self, epoch, locking: table, lifetime: lifetime)
                state.withLock { $0.generations[ObjectIdentifier(reader)] = Weak(reader: reader) }
                return reader
            } catch {
                connection.rollBack(deadline)
                breakDown(after: error, epoch)
                letGo(connection, epoch)
                throw error
            }
        }
    }

    private func hold() throws -> (Connection, Int) {
        let (known, epoch) = try state.withLock { state -> (Connection?, Int) in
            if state.isClosed { throw PostgreSQLError(.unusable, "The store is not open.") }
            guard state.held < limit else {
                throw PostgreSQLError(
                    .unusable,
                    "\(limit) query generations are in use, each with a connection. Let go of tokens, or raise "
                        + "NSPersistentStoreConnectionPoolMaxSizeKey.")
            }
            state.held += 1
            return (state.idle.popLast(), state.epoch)
        }
        if let known { return (known, epoch) }
        do {
            return (try make(), epoch)
        } catch {
            state.withLock { $0.held -= 1 }
            throw error
        }
    }

    /// Takes back the connection of a generation that has ended.
    func letGo(_ connection: Connection, _ epoch: Int, of reader: ObjectIdentifier? = nil) {
        let isKept = state.withLock { state -> Bool in
            state.held -= 1
            if let reader { state.generations[reader] = nil }
            return keep(connection, epoch, &state)
        }
        if !isKept { connection.close() }
    }

    private func endGenerations() {
        let readers = state.withLock { $0.generations.values.compactMap(\.reader) }
        for reader in readers { reader.end(.closed) }
    }

    // MARK: Creating and closing

    /// Reports the statements of a connection; nil without observers.
    private func observer(of connection: Connection) -> (@Sendable (String) -> StatementEnd?)? {
        if let onText = state.withLock({ state -> (@Sendable (String) -> StatementEnd?)? in state.onText }) {
            return onText
        }
        guard let observation = settings.observation else { return nil }
        let database = ObservedDatabase(
            "postgresql", namespace: "\(connection.databaseName ?? "")|\(settings.schema)", address: connection.host,
            port: connection.port)
        return { Self.begin($0, observation, database) }
    }

    func make() throws -> Connection {
        let connection = try connect()
        do {
            let milliseconds = Int64(settings.timeout / .milliseconds(1))
            try connection.run(
                Statement(
                    "SELECT set_config('lock_timeout', $1, false), set_config('TimeZone', 'UTC', false)",
                    [.text("\(milliseconds)ms")], isReused: false), deadline)
            try connection.identify(deadline)
            // Not before: the number of connections, and so of these two statements, differs from run to run.
            connection.onStatement = observer(of: connection)
            connection.preamble = settings.tenant.map {
                Statement("SELECT set_config('ocd.tenant', $1, true)", [.text($0)])
            }
            try state.withLock({ $0.onConnection })?(connection)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// libpq tries the next host after a refusal, but waits forever for one that does not answer. Then the list is
    /// rotated to begin with the next host.
    private func connect() throws -> Connection {
        var attempt = 0
        while true {
            do {
                return try Connection(
                    settings.connection.settings(beginningWith: attempt),
                    deadline: Deadline(in: settings.connectTimeout),
                    usesPreparedStatements: settings.preparesStatements)
            } catch let error as PostgreSQLError where error.kind == .deadline {
                attempt += 1
                guard attempt < settings.connection.hostCount else { throw error }
            }
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() {
        endGenerations()
        let idle = state.withLock { state -> [Connection] in
            state.isClosed = true
            let idle = state.idle
            state.idle = []
            return idle
        }
        for connection in idle { connection.close() }
    }
}

extension Connection {
    /// Rolls back a transaction. If that fails the connection is unusable, and closing it ends the transaction.
    func rollBack(_ deadline: Deadline) {
        if isBroken || !isInTransaction { return }
        _ = try? run(Statement("ROLLBACK", isReused: false), deadline)
    }
}
