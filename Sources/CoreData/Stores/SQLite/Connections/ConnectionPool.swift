// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Who may use which connection: one writer, readers for bursts of reading, and how long a read transaction lives.

import Foundation
import SQLiteDriver
import Synchronization

/// The connections of one store.
///
/// # States of a reader
///     idle ──lease──▶ leased ──first read──▶ in transaction ──a save was committed, or told to the row cache: at the next read──▶ in transaction
///       ▲                │                        │
///       └───release──────┴────────release─────────┘
/// # Invariants
/// (1) A connection is used by one thread at a time: the writer under `writeLock`, a reader by the holder of its lease.
/// (2) A read transaction never outlives its lease, or its pin: it would keep the write-ahead log from being emptied.
/// (3) Outside of WAL mode no read transaction is kept between calls: it would lock out the writer, perhaps of the same thread.
/// (4) A database in memory has one connection for all; then every call takes `writeLock`.
/// (5) A pinned reader is none of these: it has left the pool, and comes back when its pin ends (`PinList`).
/// (6) The write-ahead log is emptied when it is longer than its bound allows and a reader has gone (`LogBound`).
final class ConnectionPool: @unchecked Sendable {  // (1)
    static let keptReaders = 4

    private let writer: Connection
    private let writeLock = NSRecursiveLock()
    private let makeReader: (() throws -> Connection)?
    /// Whether readers see an unchanging state while the writer writes.
    let isWAL: Bool
    /// Saves committed through this pool.
    private let generation = Atomic<Int>(0)
    private let idle = Mutex<[Connection]>([])
    let pins = PinList()
    private let mostIdle: Int
    /// nil for a database without a write-ahead log, and where the program empties it.
    private let logBound: LogBound?
    /// nil unless statements are logged.
    let log: SQLLog?

    /// - Parameters:
    ///   - keptReaders: how many readers wait for the next burst.
    ///   - logBound: nil for a database without a write-ahead log, and where the program empties it.
    ///   - makeReader: nil for a database in memory, which only the writer sees.
    init(
        writer: Connection, isWAL: Bool, log: SQLLog? = nil, keptReaders: Int = ConnectionPool.keptReaders,
        logBound: LogBound? = nil, makeReader: (() throws -> Connection)?
    ) {
        self.writer = writer
        self.isWAL = isWAL
        self.makeReader = makeReader
        self.log = log
        mostIdle = keptReaders
        self.logBound = logBound
        log?.attach(to: writer)
    }

    /// Runs the body on the writing connection; others wait.
    ///
    /// - Throws: 134070 when the pool was closed meanwhile.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        try writeLock.withLock {
            guard writer.isOpen else {
                throw CoreDataError.storeOperation("The store \(writer.path ?? "in memory") was closed meanwhile.")
            }
            defer { logBound?.didWrite(writer) }
            return try body(writer)
        }
    }

    /// Empties a log that became too long while somebody read in it.
    private func readerDidEnd() {
        guard let logBound, logBound.isLong else { return }
        // Not on this thread: it may be the main one, and moving the pages takes as long as writing them did.
        DispatchQueue.global(qos: .utility).async { [self] in
            writeLock.withLock { if writer.isOpen { logBound.readerDidEnd(writer) } }
        }
    }

    /// Told after a commit, so that readers begin anew at their next read.
    func didCommit() { generation.add(1, ordering: .releasing) }

    /// - Parameters:
    ///   - moment: the row cache's. Another one makes a read transaction that was kept begin anew.
    ///   - body: called with a connection whose transaction began, or will begin, after that moment.
    func read<T>(in burst: ReadBurst?, since moment: Int, _ body: (Connection) throws -> T) throws -> T {
        if let reader = try leased(in: burst, since: moment) { return try body(reader) }
        guard let makeReader else { return try write(body) }
        let reader = try takeReader(makeReader)
        defer { giveBack(reader) }
        return try body(reader)
    }

    /// The connection that a burst has, for one read; nil where reads do not belong together.
    ///
    /// - Parameter moment: as for `read(in:since:_:)`.
    func leased(in burst: ReadBurst?, since moment: Int) throws -> Connection? {
        guard isWAL, let burst, makeReader != nil else { return nil }
        return try burst.lease(of: self) { Lease(pool: self) }.connection(since: moment)
    }

    /// A reader that goes on to see what is there now; nil where there is none that could, because the database is not
    /// in WAL mode.
    func pin() throws -> PinnedReader? {
        guard isWAL, let makeReader else { return nil }
        let reader = try takeReader(makeReader)
        try reader.begin(.deferred)
        // The transaction begins with the first read.
        try reader.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        return pins.add(reader) { [weak self] in self?.giveBack($0) }
    }

    /// Closes all connections that nobody holds, pinned ones included. The last one of a file in WAL mode empties the
    /// log into the database.
    ///
    /// - Parameter finish: called with the writing connection, last of all.
    func close(_ finish: (Connection) -> Void = { _ in }) throws {
        pins.endAll()
        log?.close()
        for reader in idle.withLock({ idle in
            defer { idle = [] }
            return idle
        }) { try reader.close() }
        try writeLock.withLock {
            if writer.isOpen { finish(writer) }
            try writer.close()
        }
    }

    private func takeReader(_ make: () throws -> Connection) throws -> Connection {
        if let reader = idle.withLock({ $0.popLast() }) { return reader }
        let reader = try make()
        log?.attach(to: reader)
        return reader
    }

    private func giveBack(_ reader: Connection) {
        defer { readerDidEnd() }
        let isSurplus = idle.withLock { idle in
            guard idle.count < mostIdle else { return true }
            idle.append(reader)
            return false
        }
        if isSurplus { try? reader.close() }  // its end closes it too
    }

    /// A reader for the time of a burst.
    private final class Lease: ReadLease {
        private let pool: ConnectionPool
        private var reader: Connection?
        private var seen = -1
        /// Of the row cache, when the transaction began.
        private var moment = -1

        init(pool: ConnectionPool) { self.pool = pool }

        func connection(since moment: Int) throws -> Connection? {
            if reader == nil, let make = pool.makeReader { reader = try pool.takeReader(make) }
            guard let reader else { return nil }
            let current = pool.generation.load(ordering: .acquiring)
            if current != seen || moment != self.moment || !reader.inTransaction {
                try reader.rollback()
                pool.readerDidEnd()
                try reader.begin(.deferred)
                seen = current
                self.moment = moment
            }
            return reader
        }

        func renew() { seen = -1 }

        func release() {
            guard let reader else { return }
            self.reader = nil
            do {
                try reader.rollback()
                pool.giveBack(reader)
            } catch {
                // A connection that cannot end its transaction is of no use to anybody: it is let go, which closes it.
            }
        }

        deinit { release() }
    }
}
