// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The position in the primary's log that a standby must have replayed before it is read.

import CoreData
import Foundation
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R1, R5 and R6. Thread-safe.
///
/// # States of the floor
///     unknown ──primary asked──▶ known ──older than the limit──▶ due ──primary asked──▶ known
///        └◀── standby left, commit without an answer, another server ──┘
final class ReadPosition: Sendable {
    enum Floor: Equatable {
        case unknown
        /// The primary has to be asked, if it can be.
        case due(Int64)
        case known(Int64)
    }

    private struct State {
        var floor: Int64 = 0
        /// When the primary has named the floor; nil while it is unknown.
        var asked: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    private struct Weak: Sendable { weak var position: ReadPosition? }

    private static let known = Mutex<[String: Weak]>([:])

    /// That of all stores of this process with the identifier.
    static func of(_ identifier: String) -> ReadPosition {
        known.withLock { known in
            if let position = known[identifier]?.position { return position }
            let position = ReadPosition()
            known = known.filter { $0.value.position != nil }
            known[identifier] = Weak(position: position)
            return position
        }
    }

    /// - Parameter limit: how old the floor may be.
    func floor(within limit: Duration) -> Floor {
        state.withLock { state in
            guard let asked = state.asked else { return .unknown }
            return asked.duration(to: .now) > limit ? .due(state.floor) : .known(state.floor)
        }
    }

    /// The primary was here after what has been seen of it.
    func raise(to position: Int64) {
        state.withLock { state in
            state.floor = max(state.floor, position)
            state.asked = .now
        }
    }

    /// The primary cannot be asked; it is asked again after the limit.
    func postpone() { state.withLock { if $0.asked != nil { $0.asked = .now } } }

    func forget() { state.withLock { $0.asked = nil } }

    /// Positions of another server are others.
    func beginAnew() { state.withLock { $0 = State() } }
}
