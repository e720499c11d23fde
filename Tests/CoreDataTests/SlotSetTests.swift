// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sets of slots of entities of any size.

import Testing

@testable import CoreData

@Suite("Sets of slots") struct SlotSetTests {
    private func set(_ slots: [Int]) -> SlotSet {
        var result = SlotSet()
        for slot in slots { result.insert(slot) }
        return result
    }

    @Test(
        "a condition is evaluated for every slot, in one word or in several",
        arguments: [[], [0], [63], [64], [3, 63, 64, 65, 127, 128, 200]])
    func asked(_ slots: [Int]) {
        let set = set(slots)
        var asked: [Int] = []
        let found = set.contains { slot in
            asked.append(slot)
            return false
        }
        #expect(!found)
        #expect(asked == slots)
        for slot in slots {
            let isFound = set.contains { $0 == slot }
            #expect(isFound)
        }
        let isStrangerFound = set.contains { !slots.contains($0) }
        #expect(!isStrangerFound)
    }

    @Test("those that a condition holds for", arguments: [[], [0, 1], [62, 63, 64, 65], [1, 2, 130, 131]])
    func filtered(_ slots: [Int]) {
        let even: SlotSet = set(slots).filter { $0 % 2 == 0 }
        #expect(even.slots == slots.filter { $0 % 2 == 0 })
        #expect(even == set(slots.filter { $0 % 2 == 0 }) || even.isEmpty)
    }
}
