// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Read transactions that outlive a burst.

import Foundation
import SQLiteDriver
import Synchronization

/// A reader that stays in one transaction, so that it sees the database as it was at one moment (WAL mode alone can do
/// that).
///
/// While there is one, the write-ahead log grows: what came after it cannot be moved into the database.
final class PinnedReader: @unchecked Sendable {  // `connection` is guarded by `lock`
    /// Recursive: a comparator or transformer of the user's may read again.
    private let lock = NSRecursiveLock()
    private var connection: Connection?
    private let end: (Connection?) -> Void

    /// - Parameters:
    ///   - connection: in a transaction that has read something.
    ///   - end: called once, with the connection; with nil when it is of no use any more.
    init(_ connection: Connection, end: @escaping (Connection?) -> Void) {
        self.connection = connection
        self.end = end
    }

    deinit { release() }

    /// - Throws: `PinLost` when the transaction is gone: the store was closed, or SQLite had to end it.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try lock.withLock {
            // Outside of its transaction the connection would see the database as it is now.
            guard let connection, connection.inTransaction else { throw PinLost() }
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
                // A connection that cannot end its transaction is let go, which closes it.
                end(nil)
            }
        }
    }
}

/// What was pinned cannot be read any more.
struct PinLost: Error {}

/// The pinned readers of one store, in the order in which they were made.
final class PinList: Sendable {
    private struct State {
        var next = 0
        var live: [Int: Weak] = [:]
    }

    private struct Weak: Sendable {
        weak var reader: PinnedReader?
    }

    private let state = Mutex(State())

    /// - Parameter giveBack: takes the connection when the pin ends.
    func add(_ connection: Connection, giveBack: @escaping @Sendable (Connection) -> Void) -> PinnedReader {
        state.withLock { state in
            let number = state.next
            state.next += 1
            let reader = PinnedReader(connection) { [self] connection in
                if let connection { giveBack(connection) }
                remove(number)
            }
            state.live[number] = Weak(reader: reader)
            return reader
        }
    }

    private func remove(_ number: Int) { state.withLock { $0.live[number] = nil } }

    func endAll() {
        let readers = state.withLock { $0.live.values.compactMap(\.reader) }
        for reader in readers { reader.release() }
    }
}
