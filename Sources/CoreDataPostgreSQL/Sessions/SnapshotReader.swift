// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A long read transaction for a query generation: it sees one snapshot, which other connections can share.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-G1 to G5. Thread-safe.
///
/// # States
///     reading ──last token released, store closed, timeout, lost connection──▶ ended
final class SnapshotReader: @unchecked Sendable {  // `connection` is guarded by `lock`
    /// The reason why a generation has ended.
    enum End: Sendable {
        case released, closed, overdue
        case failed(PostgreSQLError)
    }

    private static let savepoint = "ocd_generation"
    private static let beginning = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    /// The server's errors for a snapshot after the end of its transaction.
    private static let unknownSnapshot: Set<String> = ["22023", "42704", "55000"]

    private let sessions: Sessions
    private let epoch: Int
    private let table: String
    /// The server's identifier of the snapshot.
    private let name: String
    private let lock = NSLock()
    private var connection: Connection?
    private let ending = Mutex<End?>(nil)
    private var timer: (any DispatchSourceTimer)?

    /// - Parameter connection: an idle connection, which the reader owns unless this throws.
    init(_ connection: Connection, _ sessions: Sessions, _ epoch: Int, locking table: String, lifetime: Duration?)
        throws
    {
        (self.sessions, self.epoch, self.table) = (sessions, epoch, table)
        // The lock comes before the snapshot, so the snapshot is newer than a migration for which the lock waited.
        let answers = try connection.run(
            [
                Statement(Self.beginning), Self.lock(table), Statement("SELECT pg_export_snapshot()"),
                Statement("SAVEPOINT \(Self.savepoint)"),
            ], sessions.deadline)
        let name = answers[2].first(\.text) ?? ""
        guard !name.isEmpty, name.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            throw PostgreSQLError(.unusable, "The server gives no name for its snapshot.")
        }
        self.name = name
        self.connection = connection
        if let lifetime { end(after: lifetime) }
    }

    deinit { end(.released) }

    private static func lock(_ table: String) -> Statement { Statement("LOCK TABLE \(table) IN ACCESS SHARE MODE") }

    private func end(after lifetime: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + lifetime / .seconds(1))
        timer.setEventHandler { [weak self] in self?.end(.overdue) }
        self.timer = timer
        timer.resume()
    }

    /// - Throws: `SnapshotLost` when the transaction has ended.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        // Another thread is reading, or a transformer of the program called by this read.
        guard lock.try() else { return try joined(body) }
        defer { lock.unlock() }
        guard let connection else { throw SnapshotLost(end: ending.withLock { $0 }) }
        do {
            return try body(connection)
        } catch let error as PostgreSQLError {
            do {
                if error.endsConnection { throw error }
                try Self.recover(connection, sessions.deadline)
            } catch let failure as PostgreSQLError {
                letGo(.failed(failure))
                throw SnapshotLost(end: .failed(failure))
            }
            throw error
        }
    }

    /// Reads on a connection of the pool, in a transaction with the same snapshot and lock.
    private func joined<T>(_ body: (Connection) throws -> T) throws -> T {
        try sessions.with(repeats: true) { connection in
            defer { connection.rollBack(sessions.deadline) }
            do {
                // Lock first: after that, an existing snapshot protects its tables.
                _ = try connection.run(
                    [
                        Statement(Self.beginning), Self.lock(table),
                        Statement("SET TRANSACTION SNAPSHOT '\(name)'", isReused: false),
                        Statement("SAVEPOINT \(Self.savepoint)"),
                    ], sessions.deadline)
            } catch let error as PostgreSQLError where Self.unknownSnapshot.contains(error.code) {
                throw SnapshotLost(end: ending.withLock { $0 } ?? .failed(error))
            }
            return try body(connection)
        }
    }

    /// Makes the transaction of a generation usable after the server refused a statement. Does nothing outside a
    /// transaction.
    static func recover(_ connection: Connection, _ deadline: Deadline) throws {
        guard connection.isInTransaction else { return }
        try connection.run(Statement("ROLLBACK TO SAVEPOINT \(savepoint)"), deadline)
    }

    /// Ends the generation. Waits for a read on its connection.
    func end(_ end: End) { lock.withLock { letGo(end) } }

    private func letGo(_ end: End) {
        guard let connection else { return }
        self.connection = nil
        ending.withLock { $0 = end }
        timer?.cancel()
        connection.rollBack(Deadline(in: min(.seconds(1), sessions.answerTimeout)))
        sessions.letGo(connection, epoch, of: ObjectIdentifier(self))
    }
}

/// The state of the generation is no longer readable.
struct SnapshotLost: Error {
    let end: SnapshotReader.End?
}
