// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value for each relationship of an entity.

/// Values by the ordinals of relationships, nil until set; allocates memory for the first one.
struct OrdinalValues<Value> {
    let count: Int
    private var values: ContiguousArray<Value?> = []

    init(count: Int) { self.count = count }

    /// The valid indices: empty before the first value is set.
    var indices: Range<Int> { values.indices }

    /// Whether there is a value, without copying it: a copy of a to-many value retains and releases six references.
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
