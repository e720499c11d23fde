// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The merge of two orders that were derived from a third one.

import Testing

@testable import CoreData

@Suite("Merging orders") struct OrderMergeTests {
    @Test(
        "both sides' members, in the order of the side that moved some",
        arguments: [
            // Ancestor, local, stored; the result if the store wins, and if it does not.
            ["abc", "abc", "abc", "abc", "abc"],
            ["abc", "cab", "abc", "cab", "cab"],
            ["abc", "abc", "cab", "cab", "cab"],
            ["abc", "cab", "bca", "bca", "cab"],
            ["abc", "abxc", "abyc", "abxyc", "abyxc"],
            ["abc", "xabc", "abcy", "xabcy", "xabcy"],
            ["abc", "ac", "ab", "a", "a"],
            ["abc", "", "abcd", "d", "d"],
            ["", "xy", "yx", "yx", "xy"],
            ["abc", "cba", "", "", ""],
            ["abcd", "bacdx", "dabcy", "dxabcy", "bacydx"],
        ])
    func merging(row: [String]) {
        let merge = OrderMerge(ancestor: Array(row[0]), local: Array(row[1]), stored: Array(row[2]))
        #expect(String(merge.merged(storeWins: true)) == row[3], "the store wins")
        #expect(String(merge.merged(storeWins: false)) == row[4], "the object wins")
    }

    @Test("of two sides, the result has exactly the members that both want", arguments: 0..<40) func membership(
        seed: Int
    ) {
        var random = SplitMix(seed: UInt64(seed))
        let ancestor = Array("abcdefgh").shuffled(using: &random)
        func side(_ new: String) -> [Character] {
            var result = ancestor.filter { _ in Bool.random(using: &random) }
            if Bool.random(using: &random) { result.shuffle(using: &random) }
            for character in new { result.insert(character, at: Int.random(in: 0...result.count, using: &random)) }
            return result
        }
        let (local, stored) = (side("xy"), side("yz"))
        let expected = Set(ancestor).intersection(local).intersection(stored).union("xyz")
        for storeWins in [true, false] {
            let merged = OrderMerge(ancestor: ancestor, local: local, stored: stored).merged(storeWins: storeWins)
            #expect(merged.count == expected.count)
            #expect(Set(merged) == expected)
        }
    }
}

/// Random numbers that a seed repeats.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
