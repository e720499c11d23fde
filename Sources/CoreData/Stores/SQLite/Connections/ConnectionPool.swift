// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns connections to reads and writes: one writer, several readers, and the length of read transactions.

import Foundation
import SQLiteDriver
import Synchronization

/// The connections of one store.
///
/// # States of a reader
///     idle ──lease──▶ leased ──first read──▶ in transaction ──next read after a commit──▶ in transaction
///      ▲ ▲                                        │
///      │ └────write, sweep──── idle, in transaction ◀──release, end of a read without a lease
///      └──release after an error
/// # Invariants
/// (1) One thread at a time uses a connection: the writer under `writeLock`, a reader through its lease.
/// (2) A read transaction ends with its generation, or at most 20 ms after the last read that used it, and before this
/// pool writes. A longer one would prevent the WAL from being emptied.
/// (3) Outside WAL mode no read transaction stays open between calls. It would lock out the writer, perhaps on
/// the same thread.
/// (4) A database in memory has a single connection; every call then takes `writeLock`.
/// (5) The reader of a generation is not in the pool and is returned when the generation ends (`GenerationReaders`).
/// (6) The WAL is emptied when it exceeds its limit and a reader has ended (`LogBound`).
/// (7) At most `limits.readers` readers are taken; a call that would exceed it waits (Limits-L1 to L3).
/// (8) A closed pool provides no connection: a migration may have changed the tables since (Migration-M13).
final class ConnectionPool: @unchecked Sendable {  // (1)
    static let keptReaders = 4
    /// The time between two sweeps of idle transactions, in milliseconds.
    private static let sweepInterval = 10

    private let writer: Connection
    private let writeLock = NSRecursiveLock()
    private let makeReader: (() throws -> Connection)?
    /// Whether a reader sees an unchanging state while the writer writes.
    let isWAL: Bool
    private struct Readers {
        var idle: [PooledReader] = []
        /// When the transaction of each lease began.
        var leases: [ObjectIdentifier: ContinuousClock.Instant] = [:]
        /// The readers in use by a read, a lease or a generation.
        var taken = 0
        var isClosed = false
        /// The number of sweeps of idle transactions.
        var turn = 0
        var isSweepDue = false
    }

    private let readers = Mutex(Readers())
    /// The number of nested calls of `write(_:)`; guarded by `writeLock`.
    private var writes = 0
    let generationReaders = GenerationReaders()
    private let permits: ConnectionPermits
    private let limits: PoolLimits
    private let waitingWriters = Atomic<Int>(0)
    private let maximumIdle: Int
    /// nil for a database without a WAL, and if the program empties the WAL itself.
    private let logBound: LogBound?
    /// nil unless statements are logged, or observed.
    private let log: SQLLog?
    /// nil unless statements are logged. Observers need no remarks about fetches.
    var writtenLog: SQLLog? { if let log, log.isWritten { log } else { nil } }

    /// - Parameters:
    ///   - keptReaders: the number of idle readers to keep.
    ///   - limits: the number of readers, and the times to wait.
    ///   - logBound: nil for a database without a WAL, and if the program empties the WAL itself.
    ///   - makeReader: nil for a database in memory, which only the writer sees.
    init(
        writer: Connection, isWAL: Bool, log: SQLLog? = nil, keptReaders: Int = ConnectionPool.keptReaders,
        limits: PoolLimits, logBound: LogBound? = nil, makeReader: (() throws -> Connection)?
    ) {
        self.writer = writer
        self.isWAL = isWAL
        self.makeReader = makeReader
        self.log = log
        maximumIdle = keptReaders
        self.logBound = logBound
        self.limits = limits
        permits = ConnectionPermits(
            limit: limits.readers, timeout: limits.readerTimeout, waitingLimit: limits.waiting)
        log?.attach(to: writer)
    }

    /// Calls the body with the writing connection. Other writers wait.
    ///
    /// - Throws: 134070 when the pool has been closed, `StoreLimitReached`, 3072 if the caller's task was cancelled
    ///   while it waited.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        if !writeLock.try() { try waitForWriter() }
        defer { writeLock.unlock() }
        guard writer.isOpen else { throw closed }
        writes += 1
        if writes == 1 { endIdleTransactions(before: .max) }
        defer {
            writes -= 1
            logBound?.didWrite(writer)
        }
        return try body(writer)
    }

    /// Takes the write lock that another thread holds.
    private func waitForWriter() throws {
        let start = ContinuousClock.now
        defer {
            waitingWriters.subtract(1, ordering: .relaxed)
            RunningOperation.current?.report.lockWait += .now - start
        }
        let before = waitingWriters.add(1, ordering: .relaxed).oldValue
        if let most = limits.waiting, before >= most {
            throw StoreLimitReached(
                reason: "Another save runs, and \(before) calls wait already (NSStoreWaitingLimitOption).")
        }
        let stop = StopSignal.current
        if limits.writerTimeout == nil, stop == nil { return writeLock.lock() }
        while true {
            try stop?.check()
            let rest = limits.writerTimeout.map { $0 - (.now - start) } ?? .seconds(1)
            guard rest > .zero else {
                throw StoreLimitReached(
                    reason: "Another save runs longer than \(limits.writerTimeout ?? .zero) "
                        + "(NSStoreConnectionTimeoutOption).")
            }
            // A cancelled call looks for its signal now and then.
            let turn = stop == nil ? rest : min(rest, .milliseconds(20))
            if writeLock.lock(before: Date(timeIntervalSinceNow: turn / .seconds(1))) { return }
        }
    }

    var condition: StoreCondition {
        let counts = permits.counts
        let leases = readers.withLock { $0.leases.values.min() }
        let oldest = [leases, generationReaders.oldest].compactMap(\.self).min()
        return StoreCondition(
            connectionLimit: limits.readers, connectionsInUse: counts.taken,
            callsWaiting: counts.waiting + waitingWriters.load(ordering: .relaxed),
            logLength: isWAL ? writer.path.flatMap { Self.length(of: $0 + "-wal") } : nil,
            oldestReaderAge: oldest.map { .now - $0 })
    }

    private static func length(of path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
    }

    private var closed: NSError {
        CoreDataError.storeOperation("The store \(writer.path ?? "in memory") was closed meanwhile.")
    }

    /// Empties a WAL that grew too long while a reader used it.
    private func readerDidEnd() {
        guard let logBound, logBound.isLong else { return }
        // Not on this thread, which may be the main thread: copying the pages takes as long as writing them did.
        DispatchQueue.global(qos: .utility).async { [self] in
            writeLock.withLock { if writer.isOpen { logBound.readerDidEnd(writer) } }
        }
    }

    /// - Parameters:
    ///   - moment: the moment of the row cache. A reader with an older transaction begins a new one.
    ///   - body: called with a connection. Its transaction begins after that moment.
    func read<T>(in sharedRead: SharedReadTransaction?, since moment: Int, _ body: (Connection) throws -> T) throws -> T
    {
        if let reader = try leased(in: sharedRead, since: moment) { return try Self.stoppable(reader, body) }
        guard let reader = try reader(since: moment) else { return try write { try Self.stoppable($0, body) } }
        do {
            let result = try Self.stoppable(reader.connection, body)
            giveBack(reader)
            return result
        } catch {
            endAndGiveBack(reader)
            throw error
        }
    }

    /// A reader for one read outside of a shared read: `giveBack(_:)` ends the read, `endAndGiveBack(_:)` one that
    /// failed.
    ///
    /// - Parameter moment: as for `read(in:since:_:)`.
    /// - Returns: nil for a database in memory.
    func reader(since moment: Int) throws -> PooledReader? {
        guard let makeReader else { return nil }
        let reader = try takeReader(makeReader)
        guard isWAL else { return reader }
        do {
            _ = try reader.update(since: moment)
            return reader
        } catch {
            endAndGiveBack(reader)
            throw error
        }
    }

    /// Calls the body, whose statements end when the caller's task is cancelled. The body must not commit.
    static func stoppable<T>(_ connection: Connection, _ body: (Connection) throws -> T) throws -> T {
        guard let stop = StopSignal.current else { return try body(connection) }
        return try stop.stopping(by: { connection.interrupt() }) { try body(connection) }
    }

    /// The connection of a shared read, for one read; nil for a read outside of a shared read.
    ///
    /// - Parameter moment: as for `read(in:since:_:)`.
    func leased(in sharedRead: SharedReadTransaction?, since moment: Int) throws -> Connection? {
        guard isWAL, let sharedRead, makeReader != nil else { return nil }
        return try sharedRead.lease(of: self) { Lease(pool: self) }.connection(since: moment)
    }

    /// A reader that keeps seeing the current state; nil outside WAL mode.
    func generationReader() throws -> GenerationReader? {
        guard isWAL, let makeReader else { return nil }
        let reader = try takeReader(makeReader)
        do {
            try reader.connection.rollback()
            try reader.connection.begin(.deferred)
            // A read begins the transaction.
            try reader.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        } catch {
            giveBack(nil)
            throw error
        }
        return generationReaders.add(reader.connection) { [weak self] in self?.giveBack($0.map(PooledReader.init)) }
    }

    /// Closes all idle connections and those of generations. In WAL mode, closing the last connection moves the WAL
    /// into the database.
    ///
    /// - Parameter finish: called last, with the writing connection.
    func close(_ finish: (Connection) -> Void = { _ in }) throws {
        readers.withLock { $0.isClosed = true }
        generationReaders.endAll()
        log?.close()
        for reader in readers.withLock({ readers in
            defer { readers.idle = [] }
            return readers.idle
        }) { try reader.connection.close() }
        try writeLock.withLock {
            if writer.isOpen { finish(writer) }
            try writer.close()
        }
    }

    /// Closes all connections if none is in use: no write, read, shared read or generation.
    ///
    /// - Returns: false if a connection is in use; the pool is then unchanged.
    func closeIfUnused(_ finish: (Connection) -> Void) -> Bool {
        guard writeLock.try() else { return false }
        defer { writeLock.unlock() }
        guard writes == 0, writer.isOpen, !writer.inTransaction else { return false }
        let isUnused = readers.withLock { readers in
            if readers.taken == 0 { readers.isClosed = true }
            return readers.isClosed
        }
        // A connection that cannot be closed is closed with its last reference.
        if isUnused { try? close(finish) }
        return isUnused
    }

    private func takeReader(_ make: () throws -> Connection) throws -> PooledReader {
        try permits.take()
        do {
            let known = try readers.withLock { readers in
                if readers.isClosed { throw closed }
                readers.taken += 1
                return readers.idle.popLast()
            }
            if let known { return known }
        } catch {
            permits.giveBack()
            throw error
        }
        do {
            let reader = try make()
            log?.attach(to: reader)
            return PooledReader(reader)
        } catch {
            giveBack(nil)
            throw error
        }
    }

    /// Gives a reader back, whose transaction may stay open for the next read.
    ///
    /// - Parameter reader: nil for an unusable reader, which closes when it is released.
    func giveBack(_ reader: PooledReader?) {
        guard let reader, reader.connection.inTransaction else { return accept(reader, inTransaction: false) }
        guard reader.mayKeepTransaction, logBound?.isLong != true,
            IdleTransactions.areKept.load(ordering: .relaxed)
        else { return endAndGiveBack(reader) }
        accept(reader, inTransaction: true)
    }

    /// Gives a reader back without a transaction.
    func endAndGiveBack(_ reader: PooledReader) {
        do {
            try reader.connection.rollback()
            accept(reader, inTransaction: false)
        } catch {
            // A connection that cannot end its transaction is unusable.
            accept(nil, inTransaction: false)
        }
    }

    private func accept(_ reader: PooledReader?, inTransaction: Bool) {
        var beginsSweeps = false
        let isSurplus = readers.withLock { readers in
            readers.taken -= 1
            guard let reader, readers.idle.count < maximumIdle, !readers.isClosed else { return true }
            reader.turn = readers.turn
            readers.idle.append(reader)
            beginsSweeps = inTransaction && !readers.isSweepDue
            if beginsSweeps { readers.isSweepDue = true }
            return false
        }
        permits.giveBack()
        if isSurplus { try? reader?.connection.close() }  // releasing the connection closes it too
        if beginsSweeps { sweepLater() }
        if reader != nil, isSurplus || !inTransaction { readerDidEnd() }
    }

    // MARK: Idle transactions

    private func sweepLater() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Self.sweepInterval)) {
            [weak self] in self?.sweep()
        }
    }

    /// Ends the transactions that no read has used since the last sweep.
    private func sweep() {
        let turn = readers.withLock { readers in
            readers.turn += 1
            return readers.turn
        }
        endIdleTransactions(before: turn - 1)
        let isDue = readers.withLock { readers in
            readers.isSweepDue = readers.idle.contains { $0.connection.inTransaction }
            return readers.isSweepDue
        }
        if isDue { sweepLater() }
        readerDidEnd()
    }

    /// Ends the transactions of readers that became idle before a turn.
    private func endIdleTransactions(before turn: Int) {
        let unusable = readers.withLock { readers in
            var unusable: [PooledReader] = []
            for reader in readers.idle where reader.turn < turn && reader.connection.inTransaction {
                do { try reader.connection.rollback() } catch { unusable.append(reader) }
            }
            if !unusable.isEmpty { readers.idle.removeAll { reader in unusable.contains { $0 === reader } } }
            return unusable
        }
        for reader in unusable { try? reader.connection.close() }
    }

    /// A reader during one shared read.
    private final class Lease: ReadLease {
        private let pool: ConnectionPool
        private var reader: PooledReader?

        init(pool: ConnectionPool) { self.pool = pool }

        func connection(since moment: Int) throws -> Connection? {
            let isNew = reader == nil
            if isNew, let make = pool.makeReader { reader = try pool.takeReader(make) }
            guard let reader else { return nil }
            let began = try reader.update(since: moment)
            if began { pool.readerDidEnd() }
            if began || isNew { pool.readers.withLock { $0.leases[ObjectIdentifier(self)] = .now } }
            return reader.connection
        }

        func release() {
            guard let reader else { return }
            self.reader = nil
            pool.readers.withLock { _ = $0.leases.removeValue(forKey: ObjectIdentifier(self)) }
            pool.giveBack(reader)
        }

        deinit { release() }
    }
}
