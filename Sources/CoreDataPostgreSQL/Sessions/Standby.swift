// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One standby: its connections, and how far it has replayed the WAL.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R2 to R4 and R9. Thread-safe.
///
/// # States
///     ready ──lagging (100 ms), unreachable or promoted (5 s)──▶ left out ──time over──▶ ready
final class Standby: Sendable {
    static let absence = Duration.seconds(5)
    static let pause = Duration.milliseconds(100)
    /// The times to wait for a lagging standby, in milliseconds.
    private static let waits: [UInt32] = [1, 2, 4, 8]

    private struct State {
        /// A position that `server` has replayed at least.
        var replayed: Int64 = 0
        /// The start of the standby that is read. Connections from before it was left out may have another.
        var server: ServerMark?
        var leftOutUntil: ContinuousClock.Instant?
    }

    /// The standby has not replayed the floor.
    struct Behind: Error {}

    /// The server belongs to another cluster.
    struct Foreign: Error {
        let system: Int64
    }

    let sessions: Sessions
    private let state = Mutex(State())

    init(_ settings: StoreSettings, system: Int64) {
        sessions = Sessions(settings)
        sessions.onConnection { [weak self] connection in try self?.check(connection.server, system) }
    }

    /// Refuses a connection to another server than before, to a primary, or to another cluster.
    private func check(_ mark: ServerMark?, _ system: Int64) throws {
        if let mark, mark.system != system { throw Foreign(system: mark.system) }
        guard let mark, mark.isStandby else {
            throw PostgreSQLError(.connection, "The server is no standby of the store's primary.")
        }
        try state.withLock { state in
            if let known = state.server, known != mark {
                throw PostgreSQLError(.connection, "The standby has been started again, or is another one.")
            }
            state.server = mark
        }
    }

    var isReady: Bool { state.withLock { state in state.leftOutUntil.map { $0 <= .now } ?? true } }

    /// Forgets its position. The caller closes its connections.
    func leaveOut() { state.withLock { $0 = State(leftOutUntil: .now + Self.absence) } }

    /// Leaves the standby out for a short time, but keeps its connections.
    func rest() { state.withLock { $0.leftOutUntil = .now + Self.pause } }

    /// - Throws: `Behind`, and the body's errors.
    func read<T>(from floor: Int64, _ body: (Connection) throws -> T) throws -> T {
        try sessions.with(repeats: false) { connection in
            try catchUp(to: floor, connection)
            return try body(connection)
        }
    }

    private func catchUp(to floor: Int64, _ connection: Connection) throws {
        if state.withLock({ $0.server == connection.server && $0.replayed >= floor }) { return }
        for wait in Self.waits + [0] {
            guard let position = try connection.replayedPosition(sessions.deadline) else {
                throw PostgreSQLError(.connection, "The standby has been promoted.")
            }
            state.withLock { if $0.server == connection.server { $0.replayed = max($0.replayed, position) } }
            if position >= floor { return }
            if wait > 0 { usleep(wait * 1_000) }
        }
        throw Behind()
    }
}
