// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One standby: its connections, and how far it has come.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R2 to R4. Thread-safe.
///
/// # States
///     ready ──behind (100 ms), away or promoted (5 s)──▶ left out ──time over──▶ ready
final class Standby: Sendable {
    static let absence = Duration.seconds(5)
    static let pause = Duration.milliseconds(100)
    /// How long one that is behind is waited for, in milliseconds.
    private static let waits: [UInt32] = [1, 2, 4, 8]

    private struct State {
        /// What it has replayed at least.
        var replayed: Int64 = 0
        var server: ServerMark?
        var leftOutUntil: ContinuousClock.Instant?
    }

    /// It has not replayed the floor.
    struct Behind: Error {}

    /// It is of another cluster.
    struct Foreign: Error {
        let system: Int64
    }

    let sessions: Sessions
    private let state = Mutex(State())

    init(_ settings: StoreSettings, system: Int64) {
        sessions = Sessions(settings)
        sessions.onConnection { [weak self] connection in try self?.check(connection.server, system) }
    }

    /// A connection to another server than before is refused, as is one to a primary or to another cluster.
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

    /// Its connections are given up, and its position is unknown.
    func leaveOut() {
        state.withLock { $0 = State(leftOutUntil: .now + Self.absence) }
        sessions.closeIdle()
    }

    /// It goes on later, with the same connections.
    func rest() { state.withLock { $0.leftOutUntil = .now + Self.pause } }

    /// - Throws: `Behind`, and the body's errors.
    func read<T>(from floor: Int64, _ body: (Connection) throws -> T) throws -> T {
        try sessions.with(repeats: false) { connection in
            try catchUp(to: floor, connection)
            return try body(connection)
        }
    }

    private func catchUp(to floor: Int64, _ connection: Connection) throws {
        if state.withLock({ $0.replayed >= floor }) { return }
        for wait in Self.waits + [0] {
            guard let position = try connection.replayedPosition(sessions.deadline) else {
                throw PostgreSQLError(.connection, "The standby has been promoted.")
            }
            state.withLock { $0.replayed = max($0.replayed, position) }
            if position >= floor { return }
            if wait > 0 { usleep(wait * 1_000) }
        }
        throw Behind()
    }
}
