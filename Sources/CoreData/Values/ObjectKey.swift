// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The identity of a row within one store: its entity and its key.

import Synchronization

/// A row of one store: the index of its concrete entity in the model's layout, and its key below the root of that
/// entity.
package struct ObjectKey: Hashable, Sendable {
    package var entityIndex: Int
    package var key: Int64

    package init(_ entityIndex: Int, _ key: Int64) {
        self.entityIndex = entityIndex
        self.key = key
    }
}

/// Keys of objects without a row: negative, and never reused in a process.
package enum TemporaryKey {
    private static let last = Atomic<Int64>(0)

    package static func next() -> Int64 { -last.add(1, ordering: .relaxed).newValue }
}

/// A row with its key.
package struct FetchedRow {
    package var key: Int64
    package var snapshot: Snapshot

    @inline(__always) package init(key: Int64, snapshot: Snapshot) {
        self.key = key
        self.snapshot = snapshot
    }
}
