// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Faults that are read together.

/// Objects that are read together when the first of them is accessed (`fetchBatchSize`).
final class FaultBatch {
    let keys: ArraySlice<ObjectKey>
    /// The rows have been read: objects of the batch that are still faults keep their row, if the store had one.
    var isRead = false

    init(keys: ArraySlice<ObjectKey>) { self.keys = keys }
}
