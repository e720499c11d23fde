// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which server a store reads: one of its standbys if it is recent enough, otherwise the primary.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R1 to R9. Thread-safe.
final class Standbys: Sendable {
    /// The server's errors when the replay on a standby cancels a read.
    private static let conflicts: Set<String> = ["40001", "40P01", "25P03", "57014"]

    /// A standby that is read until it is left. It may be chosen again later, with another number.
    private struct Choice {
        let standby: Standby
        let number: Int
    }

    private struct State {
        var current: Choice?
        var choices = 0
    }

    let position: ReadPosition
    private let standbys: [Standby]
    private let primary: Sessions
    private let state = Mutex(State())

    init(_ standbys: [Standby], primary: Sessions, position: ReadPosition) {
        // Shuffled, so that the stores of a fleet start with different standbys.
        self.standbys = standbys.shuffled()
        self.primary = primary
        self.position = position
    }

    func close() {
        for standby in standbys { standby.sessions.close() }
    }

    /// - Returns: nil if the primary must be read.
    func read<T>(_ body: (Connection) throws -> T) throws -> T? {
        guard let choice = choose(), let floor = floor() else { return nil }
        let standby = choice.standby
        do {
            let result = try standby.read(from: floor, body)
            // If another thread has left this standby, the rows may be those of a new start that has replayed less
            // (PostgreSQL-R3).
            return state.withLock { $0.current?.number == choice.number } ? result : nil
        } catch is Standby.Behind {
            leave(standby) { $0.rest() }
        } catch let error as PostgreSQLError where Self.conflicts.contains(error.code) {
        } catch let error where error is Standby.Foreign || (error as? PostgreSQLError)?.endsConnection == true {
            leave(standby) { $0.leaveOut() }
            standby.sessions.closeAll()
        } catch let error where error is StoreLimitReached || (error as? PostgreSQLError)?.kind == .unusable {
            // All its connections are in use.
        }
        return nil
    }

    private func choose() -> Choice? {
        state.withLock { state in
            if let current = state.current, current.standby.isReady { return current }
            guard let next = standbys.first(where: \.isReady) else { return nil }
            position.forget()
            state.choices += 1
            state.current = Choice(standby: next, number: state.choices)
            return state.current
        }
    }

    /// No other standby is read before the primary has reported its position.
    /// The lock makes this one step with the end of the choice: a reader whose choice is unchanged has not read a new
    /// start of the standby.
    private func leave(_ standby: Standby, _ body: (Standby) -> Void) {
        state.withLock { state in
            if state.current?.standby === standby { state.current = nil }
            body(standby)
        }
        position.forget()
    }

    /// nil if the floor is unknown and the primary cannot be reached.
    private func floor() -> Int64? {
        let known = position.floor(within: primary.settings.readDelay)
        if case .known(let floor) = known { return floor }
        do {
            return try primary.with(repeats: true) { try note($0) }
        } catch {
            guard case .due(let floor) = known else { return nil }
            position.postpone()
            return floor
        }
    }

    /// Raises the floor to the primary's position.
    @discardableResult
    func note(_ connection: Connection) throws -> Int64 {
        let ticket = position.ticket
        let found = try connection.run(Connection.positionQuestion, primary.deadline).first(\.integer)
        guard let found else { throw PostgreSQLError(.unusable, "The server gives no position in its log.") }
        position.raise(to: found, ticket)
        return found
    }
}
