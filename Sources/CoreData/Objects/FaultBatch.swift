// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Faults whose rows are read together.

/// Objects whose rows are read together when the first of them is touched (`fetchBatchSize`).
final class FaultBatch {
    let keys: ArraySlice<ObjectKey>
    /// The rows have been asked for: those of its objects that are faults still have theirs, if there was one.
    var isRead = false

    init(keys: ArraySlice<ObjectKey>) { self.keys = keys }
}
