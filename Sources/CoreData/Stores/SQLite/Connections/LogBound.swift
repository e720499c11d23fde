// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits the length of a store's WAL.

import Foundation
import SQLiteDriver
import Synchronization

/// Empties the WAL of one store when it becomes too long. Stores-G1 to G5.
///
/// # States
///     short ──a write exceeds the limit while readers use the log──▶ long ──the log is emptied──▶ short
///
/// All calls except `isLong` require the pool's write lock.
final class LogBound: @unchecked Sendable {  // `waitsAt` is guarded by the pool's write lock
    /// In bytes: four times the length at which SQLite begins to empty the log.
    private static let usual: Int64 = 16 << 20
    /// The time that a write waits for readers to leave the log.
    private static let checkpointTimeout = Duration.milliseconds(100)

    let limit: Int64
    /// The length at which a write next waits for readers. It doubles while readers keep the WAL in use.
    private var waitsAt: Int64
    private let needsEmptying = Atomic<Bool>(false)

    /// - Returns: nil if the options leave the WAL to the program.
    init?(_ connection: Connection, options: SQLiteStoreOptions) throws {
        let pages = try connection.pragma("wal_autocheckpoint")?.integerValue ?? 0
        guard pages > 0 else { return nil }
        let least = try pages * Int64(connection.pageSize())
        switch options.pragmas["journal_size_limit"] {
        case .integer(let bytes) where bytes < 0: return nil
        case .integer(let bytes): limit = max(bytes, least)
        default: limit = max(Self.usual, least)
        }
        waitsAt = limit
    }

    /// Whether the next reader that ends should empty the WAL. Thread-safe.
    var isLong: Bool { needsEmptying.load(ordering: .relaxed) }

    /// Empties the WAL if a write has exceeded the limit.
    func didWrite(_ writer: Connection) {
        guard !writer.inTransaction else { return }
        let length = writer.logLength
        guard length > limit else { return }
        if length < waitsAt { return needsEmptying.store(true, ordering: .relaxed) }
        waitsAt = length * 2
        empty(writer, waiting: Self.checkpointTimeout)
    }

    /// Empties the WAL after a reader has left it, without waiting for other readers.
    func readerDidEnd(_ writer: Connection) {
        guard isLong, !writer.inTransaction else { return }
        empty(writer, waiting: .zero)
    }

    /// Failure is harmless: the next write or the end of the next reader tries again.
    private func empty(_ writer: Connection, waiting: Duration) {
        do {
            try writer.checkpoint(.truncate, waiting: waiting)
            waitsAt = limit
            needsEmptying.store(false, ordering: .relaxed)
        } catch {
            needsEmptying.store(true, ordering: .relaxed)
        }
    }
}
