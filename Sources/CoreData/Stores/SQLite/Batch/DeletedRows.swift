// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows that a batch deletion has deleted, by entity.

/// Deleted rows, and the destinations that are needed after the deletion.
struct DeletedRows {
    /// Deleted rows of one entity.
    struct Group {
        var keys: [Int64] = []
        /// The destinations of to-ones, by slot.
        var destinations: [Int: [Int64]] = [:]
    }

    /// By the index of the entity.
    private var groups: [Int: Group] = [:]

    var count: Int { groups.values.reduce(0) { $0 + $1.keys.count } }

    /// The indexes of the entities.
    var entities: Dictionary<Int, Group>.Keys { groups.keys }

    /// The groups in the order of the entities' indexes.
    var sorted: [(index: Int, group: Group)] { groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    mutating func add(_ keys: [Int64], of entity: Int) { groups[entity, default: Group()].keys += keys }

    mutating func add(destination: Int64, of entity: Int, slot: Int) {
        groups[entity, default: Group()].destinations[slot, default: []].append(destination)
    }

    mutating func add(_ others: DeletedRows) {
        for (index, group) in others.groups {
            groups[index, default: Group()].keys += group.keys
            for (slot, keys) in group.destinations {
                groups[index, default: Group()].destinations[slot, default: []] += keys
            }
        }
    }
}
