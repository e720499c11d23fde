// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fractional keys.
import CoreDataSyncModel
import Foundation
import Testing

@Suite("Fractional keys") struct SyncOrderTests {
    @Test("a key between two is between them, for ever")
    func between() {
        var random = SystemRandomNumberGenerator()
        var keys = [SyncOrder.between(nil, nil)]
        for _ in 0..<2_000 {
            let index = Int.random(in: 0...keys.count, using: &random)
            let lower = index > 0 ? keys[index - 1] : nil
            let upper = index < keys.count ? keys[index] : nil
            let key = SyncOrder.between(lower, upper)
            #expect(lower.map { $0 < key } ?? true)
            #expect(upper.map { key < $0 } ?? true)
            #expect(key.last != "0")
            keys.insert(key, at: index)
        }
    }

    @Test("always inserting at the beginning and at the end finds keys")
    func ends() {
        var (first, last) = (SyncOrder.between(nil, nil), SyncOrder.between(nil, nil))
        for _ in 0..<300 {
            let (before, after) = (SyncOrder.between(nil, first), SyncOrder.between(last, nil))
            #expect(before < first)
            #expect(after > last)
            (first, last) = (before, after)
        }
    }

    @Test("one move changes one key")
    func move() {
        let names = (0..<100).map { _ in UUID() }
        var keys = SyncOrder.changes(for: names, keys: [:])
        #expect(keys.count == 100)
        #expect(names == names.sorted { (keys[$0] ?? "") < (keys[$1] ?? "") })
        var moved = names
        moved.insert(moved.remove(at: 70), at: 3)
        let changes = SyncOrder.changes(for: moved, keys: keys)
        #expect(changes.count == 1)
        keys.merge(changes) { $1 }
        #expect(moved == moved.sorted { (keys[$0] ?? "") < (keys[$1] ?? "") })
    }
}
