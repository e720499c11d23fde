// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value for each relationship of an entity.

/// Values by the ordinals of relationships, nil until set; takes memory from the first one on.
struct OrdinalValues<Value> {
    let count: Int
    private var values: ContiguousArray<Value?> = []

    init(count: Int) { self.count = count }

    /// Of the values that may be there: none before the first is set.
    var indices: Range<Int> { values.indices }

    /// Whether there is a value, without a copy of it: a copy of a to-many counts six references up and down.
    @inline(__always) func isSet(_ ordinal: Int) -> Bool {
        !values.isEmpty && values.withUnsafeBufferPointer { $0[ordinal] != nil }
    }

    @inline(__always) subscript(ordinal: Int) -> Value? {
        get { values.isEmpty ? nil : values[ordinal] }
        _modify {
            if values.isEmpty { values = ContiguousArray(repeating: nil, count: count) }
            yield &values[ordinal]
        }
    }
}
