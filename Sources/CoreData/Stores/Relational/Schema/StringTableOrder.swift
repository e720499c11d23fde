// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of names in the hash tables of Apple's Foundation, which determines names in Apple's files.

/// An order that the published sources of CoreFoundation define: a polynomial hash of the UTF-16 units, four at a time,
/// and a table of a prime size with linear probing.
enum StringTableOrder {
    /// CoreFoundation hashes only parts of longer names.
    static let longestName = 96
    private static let sizes: [UInt64] = [3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723]
    private static let capacities = [3, 6, 11, 19, 32, 52, 85, 118, 155, 237, 390, 672, 1065]

    static func hash(_ name: String) -> UInt64 {
        let units = name.utf16.map(UInt64.init)
        var sum = UInt64(units.count)
        let whole = units.count & ~3
        for first in stride(from: 0, to: whole, by: 4) {
            let four = units[first..<first + 4].reduce(0) { $0 &* 257 &+ $1 }
            sum = sum &* 67_503_105 &+ four
        }
        for unit in units[whole...] { sum = sum &* 257 &+ unit }
        return sum &+ (sum << UInt64(units.count & 31))
    }

    /// Returns names in the order of a table into which they were inserted one after another.
    ///
    /// - Parameter capacity: the number of names for which the table was made; at least their count.
    static func order(_ names: [String], capacity: Int) -> [String] {
        let position = capacities.firstIndex { $0 >= capacity } ?? sizes.count - 1
        let size = max(sizes[position], UInt64(names.count))
        var table: [String?] = Array(repeating: nil, count: Int(size))
        for name in names {
            var place = Int(hash(name) % size)
            while table[place] != nil { place = (place + 1) % Int(size) }
            table[place] = name
        }
        return table.compactMap { $0 }
    }
}
