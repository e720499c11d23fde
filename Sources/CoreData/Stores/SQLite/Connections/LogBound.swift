// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The limit of a store's write-ahead log, and the moments at which the log is emptied.

import Foundation
import SQLiteDriver
import Synchronization

/// Keeps the write-ahead log of one store short. Stores-G1 to G5.
///
/// # States
///     short ──a write makes it longer than the limit, and readers stay in it──▶ long ──it is emptied──▶ short
/// All calls but `isLong` hold the pool's write lock.
final class LogBound: @unchecked Sendable {  // `waitsAt` is guarded by the pool's write lock
    /// In bytes: four times the length at which SQLite begins to empty the log.
    private static let usual: Int64 = 16 << 20
    /// For how long a write waits for readers to leave the log.
    private static let patience = Duration.milliseconds(100)

    let limit: Int64
    /// The length at which a write waits for readers next. It doubles while they stay.
    private var waitsAt: Int64
    private let needsEmptying = Atomic<Bool>(false)

    /// - Returns: nil where the options leave the log to the program.
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

    /// Whether the log is to be emptied when a reader has gone. Any thread.
    var isLong: Bool { needsEmptying.load(ordering: .relaxed) }

    /// Empties a log that a write has made too long.
    func didWrite(_ writer: Connection) {
        guard !writer.inTransaction else { return }
        let length = writer.logLength
        guard length > limit else { return }
        if length < waitsAt { return needsEmptying.store(true, ordering: .relaxed) }
        waitsAt = length * 2
        empty(writer, waiting: Self.patience)
    }

    /// Empties a log that a reader has left. Waits for nobody.
    func readerDidEnd(_ writer: Connection) {
        guard isLong, !writer.inTransaction else { return }
        empty(writer, waiting: .zero)
    }

    /// A log that cannot be emptied now harms nobody: the next reader that goes, or the next write, tries again.
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
