// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The position in the primary's WAL that a standby must have replayed before it is read.

import CoreData
import Foundation
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R1, R5, R6 and R8. Thread-safe.
///
/// # States of the floor
///     unknown ──primary queried──▶ known ──older than the limit──▶ due ──primary queried──▶ known
///        └◀── standby left, commit without an answer, another server ──┘
final class ReadPosition: Sendable {
    enum Floor: Equatable {
        case unknown
        /// The primary must be queried, if it can be reached.
        case due(Int64)
        case known(Int64)
    }

    /// Taken before the primary is queried. The answer does not count if the floor became unknown in between.
    struct Ticket: Sendable {
        fileprivate let forgettings: Int
    }

    private struct State {
        var floor: Int64 = 0
        /// How often the floor has become unknown.
        var forgettings = 0
        /// The time when the primary reported the floor; nil while it is unknown.
        var asked: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    private struct Weak: Sendable { weak var position: ReadPosition? }

    private static let known = Mutex<[String: Weak]>([:])

    /// The position shared by all stores of this process with the identifier.
    static func of(_ identifier: String) -> ReadPosition {
        known.withLock { known in
            if let position = known[identifier]?.position { return position }
            let position = ReadPosition()
            known = known.filter { $0.value.position != nil }
            known[identifier] = Weak(position: position)
            return position
        }
    }

    /// - Parameter limit: the maximum age of the floor.
    func floor(within limit: Duration) -> Floor {
        state.withLock { state in
            guard let asked = state.asked else { return .unknown }
            return asked.duration(to: .now) > limit ? .due(state.floor) : .known(state.floor)
        }
    }

    var ticket: Ticket { state.withLock { Ticket(forgettings: $0.forgettings) } }

    /// Called with a position of the primary that is later than all rows read before the ticket was taken.
    func raise(to position: Int64, _ ticket: Ticket) {
        state.withLock { state in
            guard ticket.forgettings == state.forgettings else { return }
            state.floor = max(state.floor, position)
            state.asked = .now
        }
    }

    /// Called when the primary cannot be reached; it is queried again after the limit.
    func postpone() { state.withLock { if $0.asked != nil { $0.asked = .now } } }

    func forget() { state.withLock { $0 = State(floor: $0.floor, forgettings: $0.forgettings + 1) } }

    /// Positions of different servers are not comparable.
    func beginAnew() { state.withLock { $0 = State(forgettings: $0.forgettings + 1) } }
}
