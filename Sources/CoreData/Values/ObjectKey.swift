// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The identity of a row inside one store: its entity and its key.

import Synchronization

/// A row of one store: the index of its concrete entity in the model's layout, and its key below the root of that
/// entity.
struct ObjectKey: Hashable, Sendable {
    var entityIndex: Int
    var key: Int64

    init(_ entityIndex: Int, _ key: Int64) {
        self.entityIndex = entityIndex
        self.key = key
    }
}

/// Keys of objects that have no row yet: negative, and never the same twice in a process.
enum TemporaryKey {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 { -last.add(1, ordering: .relaxed).newValue }
}

/// A row with its key.
struct FetchedRow {
    var key: Int64
    var snapshot: Snapshot
}
