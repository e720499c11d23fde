// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the statements that a SQLite store runs.

import SQLiteDriver
import Synchronization

@testable import CoreData

/// Counts every statement from its creation on, on all connections of one store; but not the beginnings and ends of
/// read transactions, which depend on the time between reads (Stores-G7).
final class StatementCounter: Sendable {
    private let texts = Mutex<[String]>([])

    init(_ store: NSPersistentStore) throws {
        guard let opened = try (store as? SQLiteStore)?.opened() else { return }
        try opened.pool.write { $0.setTrace(hook) }
        try traceReaders(ConnectionPool.keptReaders, opened.pool)
    }

    var statements: [String] { texts.withLock { $0 } }

    private var hook: @Sendable (StatementTrace) -> Void {
        { [self] trace in texts.withLock { $0.append(trace.sql) } }
    }

    private var readerHook: @Sendable (StatementTrace) -> Void {
        let hook = hook
        return { trace in
            if !["BEGIN DEFERRED", "ROLLBACK"].contains(trace.sql) { hook(trace) }
        }
    }

    /// Takes all readers at once, so that each is a different one.
    private func traceReaders(_ count: Int, _ pool: ConnectionPool) throws {
        if count == 0 { return }
        try pool.read(in: nil, since: 0) { connection in
            connection.setTrace(readerHook)
            try traceReaders(count - 1, pool)
        }
    }
}
