// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A set of slot numbers, one word for entities of up to 64 properties.

/// A set of slots of one entity.
package struct SlotSet: Equatable, Sendable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inline(__always) package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    @inline(__always) package mutating func insert(_ slot: Int) {
        if slot < 64 { low |= 1 << UInt64(slot) } else { insertHigh(slot) }
    }

    private mutating func insertHigh(_ slot: Int) {
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot % 64)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < high.count {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
        }
    }

    package mutating func formUnion(_ other: SlotSet) {
        low |= other.low
        for (word, bits) in other.high.enumerated() {
            if word < high.count { high[word] |= bits } else { high.append(bits) }
        }
    }

    /// Ascending.
    package var slots: [Int] { Array(self) }

    /// Whether a condition holds for one of them. If all are in the first word, this needs no reference counting.
    @inline(__always) package func contains(where condition: (Int) -> Bool) -> Bool {
        var bits = low
        while bits != 0 {
            if condition(bits.trailingZeroBitCount) { return true }
            bits &= bits - 1
        }
        return !high.isEmpty && Array(self).contains { $0 >= 64 && condition($0) }
    }

    /// The slots for which a condition holds.
    @inline(__always) package func filter(_ isWanted: (Int) -> Bool) -> SlotSet {
        var result = SlotSet()
        _ = contains {
            if isWanted($0) { result.insert($0) }
            return false
        }
        return result
    }
}

extension SlotSet: Hashable {}

extension SlotSet: Sequence {
    /// Ascending, like `slots`, without an allocation.
    package struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64
        fileprivate var word = 0
        fileprivate let high: [UInt64]

        @inline(__always) package mutating func next() -> Int? {
            while bits == 0 {
                if word == high.count { return nil }
                bits = high[word]
                word += 1
            }
            defer { bits &= bits - 1 }
            return word * 64 + bits.trailingZeroBitCount
        }
    }

    @inline(__always) package func makeIterator() -> Iterator { Iterator(bits: low, high: high) }
}
