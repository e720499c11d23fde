// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order in which members of to-manys were assigned, for the next save. SwiftData-R4.

import CoreData

/// New members get their keys in the order in which they were assigned, not in that in which they were inserted.
struct AssignedMembers {
    private var all: [(row: ModelRow, slot: Int)] = []

    mutating func note(_ row: ModelRow, _ slot: Int) {
        if let last = all.last, last.row === row, last.slot == slot { return }
        all.append((row, slot))
    }

    /// Called before a save.
    func arrangeInsertions(in context: EngineContext) {
        if all.isEmpty { return }
        let lists = all.map { $0.row.unsavedMembers($0.slot) }.filter { $0.count > 1 }
        if !lists.isEmpty { context.arrangeInsertions(lists) }
    }
}
