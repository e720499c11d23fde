// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the statements that a store runs while a test watches it.

import CoreData
import Synchronization

/// The statements of one container. Empty without a watch.
final class StatementLog: StoreObserver {
    private struct State {
        var listeners = 0
        var texts: [String] = []
    }

    private let state = Mutex(State())
    /// Statements of transactions, and those that settings need.
    private static let uncounted = ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "SET ", "LOCK"]

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        guard let sql = operation.statement else { return nil }
        state.withLock { state in
            guard state.listeners > 0, !Self.uncounted.contains(where: sql.hasPrefix) else { return }
            state.texts.append(sql)
        }
        return nil
    }

    /// - Returns: a mark for `end(_:)`.
    func begin() -> Int {
        state.withLock { state in
            state.listeners += 1
            return state.texts.count
        }
    }

    /// The statements since the mark.
    func end(_ mark: Int) -> [String] {
        state.withLock { state in
            state.listeners -= 1
            defer { if state.listeners == 0 { state.texts = [] } }
            return Array(state.texts[mark...])
        }
    }
}
