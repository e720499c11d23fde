// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the forms of key lists in a save: lists for SQL, and the keys of insertions.

import Testing

@testable import CoreData

@Suite("Keys of a save") struct KeyListTests {
    @Test("a list of keys is written as JSON, the extremes included")
    func text() {
        #expect(KeyList.text([]) == "[]")
        #expect(KeyList.text([7]) == "[7]")
        #expect(KeyList.text([0, -1, 10, .max, .min]) == "[0,-1,10,9223372036854775807,-9223372036854775808]")
    }

    @Test("permanent keys are found under the temporary ones, wherever these lie")
    func assigned() {
        var random = SystemRandomNumberGenerator()
        var keys = AssignedKeys()
        var expected: [Int64: Int64] = [:]
        var temporary: Int64 = -1_000
        for permanent in Int64(1)...2_000 {
            // Usually the next one; now and then one far away, or one from before.
            temporary -= permanent % 50 == 0 ? .random(in: 2...100_000, using: &random) : 1
            let key = permanent % 77 == 0 ? -permanent / 77 : temporary
            keys.set(permanent, for: key)
            expected[key] = permanent
        }
        var wrong = 0
        for key in Int64(-10_000)...10 where keys[key] != expected[key] { wrong += 1 }
        for (key, permanent) in expected where keys[key] != permanent { wrong += 1 }
        #expect(wrong == 0)
        #expect(!keys.isEmpty)
        #expect(AssignedKeys().isEmpty)
        #expect(keys[5] == nil)
    }

    @Test("two sets of assigned keys are equal when they say the same")
    func equality() {
        let one: AssignedKeys = [-3: 1, -4: 2]
        #expect(one == [-4: 2, -3: 1])
        #expect(one != [-3: 1])
    }

    @Test("keys that only a damaged file gives are kept as well")
    func damaged() {
        let keys: AssignedKeys = [-1: 0, -2: -7, -3: .min]
        #expect(keys[-1] == 0)
        #expect(keys[-2] == -7)
        #expect(keys[-3] == .min)
    }
}
