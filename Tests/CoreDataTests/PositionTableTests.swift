// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The table of positions, compared with a dictionary.

import Testing

@testable import CoreData

@Suite("Positions by address") struct PositionTableTests {
    @Test("equal those of a dictionary, through additions and removals", arguments: [0, 1, 16, 40, 1_000])
    func dictionary(capacity: Int) {
        var table = PositionTable(capacity: capacity)
        var expected: [UInt: Int] = [:]
        var wrong = 0
        for step in 0..<20_000 {
            // Few addresses, so that they recur; adjacent ones, as those of objects, so that places collide.
            let address = UInt.random(in: 1...700) * 16
            if step % 3 == 0 {
                table.remove(address)
                expected[address] = nil
            } else {
                table.set(step, for: address)
                expected[address] = step
            }
            if table[address] != expected[address] { wrong += 1 }
        }
        for address in (0...800).map({ UInt($0) * 16 + 16 }) where table[address] != expected[address] { wrong += 1 }
        #expect(wrong == 0)
        #expect(!expected.isEmpty)
    }
}
