// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random numbers that a seed repeats, on every platform and with every version of Swift.

/// SplitMix64. The standard library may change how it makes numbers of random bits, so this type makes them itself.
struct FixtureNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// A number below a limit, which is positive.
    mutating func below(_ limit: Int) -> Int { Int(next() >> 1) % max(limit, 1) }

    /// A number of the range.
    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        let offset = span == .max ? next() : next() % (span + 1)
        return range.lowerBound &+ Int64(bitPattern: offset)
    }

    /// From 0 to less than 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
