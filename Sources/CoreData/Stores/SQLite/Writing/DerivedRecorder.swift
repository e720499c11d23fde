// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hears from a store's triggers which rows they changed while a save was written.

import Foundation

/// The rows whose derived attributes a trigger has set. Used on the writing connection alone, under its lock.
final class DerivedRecorder: @unchecked Sendable {  // guarded by `lock`; the functions of triggers run inside `step()`
    struct Row: Hashable {
        var entity: Int64
        var key: Int64
    }

    private let lock = NSLock()
    private var rows: Set<Row> = []

    func record(entity: Int64, key: Int64) {
        lock.withLock { _ = rows.insert(Row(entity: entity, key: key)) }
    }

    /// What was recorded since the last call.
    func take() -> Set<Row> {
        lock.withLock {
            defer { rows = [] }
            return rows
        }
    }
}
