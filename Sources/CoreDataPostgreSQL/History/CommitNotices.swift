// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Announces commits to other processes by NOTIFY, several at once, and listens to theirs on a separate connection.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The commit notifications of one store. Thread-safe.
///
/// # States of an announcement
///     quiet ──commit──▶ announced ──pause over──▶ quiet
///                           └──another commit──▶ announced again after the pause
final class CommitNotices: Sendable {
    /// A notification takes a lock on the whole database, so at most 20 are sent per second.
    private static let pause = 0.05

    private struct State {
        var isTelling = false
        var isTellingDue = false
        /// Whether another process has announced a commit since the last check.
        var isNoticed = false
        /// The greatest transaction number known to this store.
        var seen: Int64 = 0
    }

    private let state = Mutex(State())
    private let sessions: Sessions
    /// At most 63 bytes, regardless of the names in the database.
    let channel: String
    /// Other stores of this process are notified without the server.
    static let process = UUID().uuidString

    init(_ sessions: Sessions, identifier: String) {
        self.sessions = sessions
        channel = "ocd_" + identifier.lowercased().filter { $0.isHexDigit }
    }

    // MARK: Announcing

    /// Called after a commit.
    func tell() {
        let begins = state.withLock { state -> Bool in
            state.isTellingDue = state.isTelling
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if begins { DispatchQueue.global(qos: .utility).async { self.notify() } }
    }

    private func notify() {
        // A lost notification delays listeners by one interval.
        try? sessions.with(repeats: true) { connection in
            _ = try connection.run(
                Statement("SELECT pg_notify($1, $2)", [.text(channel), .text(Self.process)]), sessions.deadline)
        }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.pause) {
            let isDue = self.state.withLock { state -> Bool in
                defer { state.isTellingDue = false }
                if !state.isTellingDue { state.isTelling = false }
                return state.isTellingDue
            }
            if isDue { self.notify() }
        }
    }

    // MARK: Listening

    /// Calls the body after commits of other processes, until the listener ends.
    func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener {
        let listener = CommitListener(channel: channel, sessions) { [weak self] in
            self?.notice()
            body()
        } look: {
            body()
        }
        listener.start()
        return listener
    }

    /// Makes the next check find a commit of another process.
    func notice() { state.withLock { $0.isNoticed = true } }

    func takeNotice() -> Bool {
        state.withLock { state in
            defer { state.isNoticed = false }
            return state.isNoticed
        }
    }

    /// - Returns: whether the number is new.
    func see(_ number: Int64) -> Bool {
        state.withLock { state in
            defer { state.seen = max(state.seen, number) }
            return number > state.seen
        }
    }
}

/// A thread that waits for notifications on a separate connection.
///
/// # States
///     away ──connected, LISTEN──▶ waiting ──notification──▶ notifies ──▶ waiting
///       ▲                            └──line cut──┐
///       └────────── a second later ───────────────┘ (notifies: it may have missed some)
final class CommitListener: Sendable {
    /// The number of waits without a notification after which the store is checked.
    private static let waitsPerLook = 10
    private static let wait = Duration.milliseconds(500)

    private let isEnded = Atomic<Bool>(false)
    private let channel: String
    private let sessions: Sessions
    private let tell: @Sendable () -> Void
    private let look: @Sendable () -> Void

    init(
        channel: String, _ sessions: Sessions, tell: @escaping @Sendable () -> Void,
        look: @escaping @Sendable () -> Void
    ) {
        (self.channel, self.sessions, self.tell, self.look) = (channel, sessions, tell, look)
    }

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "OpenCoreData.CommitListener"
        thread.start()
    }

    func end() { isEnded.store(true, ordering: .releasing) }

    private var isOver: Bool { isEnded.load(ordering: .acquiring) || sessions.isClosed }

    private func run() {
        var wasConnected = false
        while !isOver {
            if let connection = try? sessions.make() {
                defer { connection.close() }
                // Announcements between the two connections were not received.
                if (try? listen(connection)) != nil {
                    if wasConnected { tell() } else { look() }
                    wasConnected = true
                    hear(connection)
                }
            }
            if !isOver { usleep(500_000) }
        }
    }

    private func listen(_ connection: Connection) throws {
        // The name has only hexadecimal digits.
        try connection.run(Statement("LISTEN \"\(channel)\"", isReused: false), sessions.deadline)
    }

    private func hear(_ connection: Connection) {
        var waits = 0
        while !isOver {
            guard let notices = try? connection.notices(Deadline(in: Self.wait)) else { return }
            if notices.contains(where: { $0.payload != CommitNotices.process }) { tell() }
            waits += 1
            if waits % Self.waitsPerLook == 0 { look() }
        }
    }
}
