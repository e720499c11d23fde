// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which server a store reads: one of its standbys if it is recent enough, otherwise the primary.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-R1 to R7. Thread-safe.
final class Standbys: Sendable {
    /// The server's errors when the replay on a standby cancels a read.
    private static let conflicts: Set<String> = ["40001", "40P01", "25P03", "57014"]

    let position: ReadPosition
    private let standbys: [Standby]
    private let primary: Sessions
    private let current = Mutex<Standby?>(nil)

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
        guard let standby = choose(), let floor = floor() else { return nil }
        do {
            let result = try standby.read(from: floor, body)
            // Another thread has left this standby, and the next one may not have these rows yet (PostgreSQL-R3).
            if current.withLock({ $0 !== standby }) { position.forget() }
            return result
        } catch is Standby.Behind {
            leave(standby)
            standby.rest()
        } catch let error as PostgreSQLError where Self.conflicts.contains(error.code) {
        } catch let error where error is Standby.Foreign || (error as? PostgreSQLError)?.endsConnection == true {
            leave(standby)
            standby.leaveOut()
        } catch let error as PostgreSQLError where error.kind == .unusable {
            // All its connections are in use.
        }
        return nil
    }

    private func choose() -> Standby? {
        current.withLock { current in
            if let current, current.isReady { return current }
            guard let next = standbys.first(where: \.isReady) else { return nil }
            if next !== current { position.forget() }
            current = next
            return next
        }
    }

    /// No other standby is read before the primary has reported its position.
    private func leave(_ standby: Standby) {
        current.withLock { if $0 === standby { $0 = nil } }
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
        let found = try connection.run(Connection.positionQuestion, primary.deadline).first(\.integer)
        guard let found else { throw PostgreSQLError(.unusable, "The server gives no position in its log.") }
        position.raise(to: found)
        return found
    }
}
