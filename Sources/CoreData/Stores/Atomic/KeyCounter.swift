// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives keys to rows in memory: none twice, whatever became of the row.

import Foundation

/// Any thread may ask. A save that fails leaves gaps.
final class KeyCounter: @unchecked Sendable {  // `last` is guarded by `lock`
    /// Whether all entities count together, as in files where an object's number says nothing of its entity.
    let isShared: Bool
    private let lock = NSLock()
    /// The greatest keys that were ever given, by the index of the root entity.
    private var last: [Int: Int64]

    /// - Parameter last: the greatest key so far, for a counter that is shared.
    init(isShared: Bool = false, last: Int64 = 0) {
        self.isShared = isShared
        self.last = isShared ? [0: last] : [:]
    }

    /// The first of `count` consecutive keys.
    func take(_ count: Int, root: Int) -> Int64 {
        lock.withLock {
            let first = last[isShared ? 0 : root, default: 0] + 1
            last[isShared ? 0 : root] = first - 1 + Int64(count)
            return first
        }
    }

    /// A key that a row has: later ones are greater.
    func note(_ key: Int64, root: Int) {
        lock.withLock { last[isShared ? 0 : root] = max(last[isShared ? 0 : root, default: 0], key) }
    }

    /// The greatest key so far below a root entity.
    func greatest(root: Int) -> Int64 { lock.withLock { last[isShared ? 0 : root] ?? 0 } }

    /// The greatest key so far of a counter that is shared.
    var greatest: Int64 { lock.withLock { last[0] ?? 0 } }
}
