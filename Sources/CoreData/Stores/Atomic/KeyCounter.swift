// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns keys to rows in memory and never reuses one.

import Foundation

/// Thread-safe. A failed save leaves gaps.
final class KeyCounter: @unchecked Sendable {  // `last` is guarded by `lock`
    /// Whether all entities share one sequence, as in files where an object's number does not identify its entity.
    let isShared: Bool
    private let lock = NSLock()
    /// The greatest keys ever assigned, by the index of the root entity.
    private var last: [Int: Int64]

    /// - Parameter last: the greatest key so far, for a shared counter.
    init(isShared: Bool = false, last: Int64 = 0) {
        self.isShared = isShared
        self.last = isShared ? [0: last] : [:]
    }

    /// Returns the first of `count` consecutive keys.
    func take(_ count: Int, root: Int) -> Int64 {
        lock.withLock {
            let first = last[isShared ? 0 : root, default: 0] + 1
            last[isShared ? 0 : root] = first - 1 + Int64(count)
            return first
        }
    }

    /// Registers an existing key; later keys are greater.
    func note(_ key: Int64, root: Int) {
        lock.withLock { last[isShared ? 0 : root] = max(last[isShared ? 0 : root, default: 0], key) }
    }

    /// The greatest key so far below a root entity.
    func greatest(root: Int) -> Int64 { lock.withLock { last[isShared ? 0 : root] ?? 0 } }

    /// The greatest key so far of a shared counter.
    var greatest: Int64 { lock.withLock { last[0] ?? 0 } }
}
