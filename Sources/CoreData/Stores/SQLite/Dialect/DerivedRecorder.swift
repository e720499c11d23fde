// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the rows that a store's triggers change during a save.

import Foundation

/// The rows with derived attributes that a trigger has set. Used only on the writing connection, under its lock.
final class DerivedRecorder: @unchecked Sendable {  // guarded by `lock`; triggers call their functions inside `step()`
    struct Row: Hashable {
        var entity: Int64
        var key: Int64
    }

    private let lock = NSLock()
    private var rows: Set<Row> = []

    func record(entity: Int64, key: Int64) {
        lock.withLock { _ = rows.insert(Row(entity: entity, key: key)) }
    }

    /// Returns the rows recorded since the last call.
    func take() -> Set<Row> {
        lock.withLock {
            defer { rows = [] }
            return rows
        }
    }
}
