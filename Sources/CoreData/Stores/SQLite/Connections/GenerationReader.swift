// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Read transactions that outlive a shared read, for query generations.

import Foundation
import SQLiteDriver
import Synchronization

/// A reader that stays in one transaction and therefore sees an unchanging state of the database. Requires WAL mode.
///
/// While it exists, the WAL grows: later pages cannot move into the database.
final class GenerationReader: @unchecked Sendable {  // `connection` is guarded by `lock`
    /// Recursive: a comparator or transformer of the program may read again.
    private let lock = NSRecursiveLock()
    private var connection: Connection?
    private let end: (Connection?) -> Void

    /// - Parameters:
    ///   - connection: a connection that has already read something in its transaction.
    ///   - end: called once, with the connection; with nil if the connection is unusable.
    init(_ connection: Connection, end: @escaping (Connection?) -> Void) {
        self.connection = connection
        self.end = end
    }

    deinit { release() }

    /// - Throws: `GenerationLost` when the transaction has ended, because the store was closed or SQLite ended it.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try lock.withLock {
            // Outside its transaction the connection would see the current state.
            guard let connection, connection.inTransaction else { throw GenerationLost() }
            return try body(connection)
        }
    }

    func release() {
        lock.withLock {
            guard let connection else { return }
            self.connection = nil
            do {
                try connection.rollback()
                end(connection)
            } catch {
                // A connection that cannot end its transaction is released, which closes it.
                end(nil)
            }
        }
    }
}

/// The state of the generation is no longer readable.
struct GenerationLost: Error {}

/// The readers of the generations of one store, in the order of their creation.
final class GenerationReaders: Sendable {
    private struct State {
        var next = 0
        var live: [Int: Weak] = [:]
    }

    private struct Weak: Sendable {
        weak var reader: GenerationReader?
        let began = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// - Parameter giveBack: receives the connection when the generation ends; nil for an unusable one.
    func add(_ connection: Connection, giveBack: @escaping @Sendable (Connection?) -> Void) -> GenerationReader {
        state.withLock { state in
            let number = state.next
            state.next += 1
            let reader = GenerationReader(connection) { [self] connection in
                giveBack(connection)
                remove(number)
            }
            state.live[number] = Weak(reader: reader)
            return reader
        }
    }

    /// When the oldest of them began; nil without generations.
    var oldest: ContinuousClock.Instant? { state.withLock { $0.live.values.map(\.began).min() } }

    private func remove(_ number: Int) { state.withLock { $0.live[number] = nil } }

    func endAll() {
        let readers = state.withLock { $0.live.values.compactMap(\.reader) }
        for reader in readers { reader.release() }
    }
}
