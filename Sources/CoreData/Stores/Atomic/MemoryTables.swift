// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows, links and unique values of a store in memory, as one value.

import Foundation

/// The whole contents of a store in memory.
struct MemoryTables {
    /// The rows below one root entity, in the order of their keys.
    struct Table {
        private(set) var rows: [Int64: Snapshot] = [:]
        /// Ascending.
        private(set) var keys: [Int64] = []

        subscript(key: Int64) -> Snapshot? { rows[key] }

        mutating func set(_ key: Int64, _ row: Snapshot) {
            if rows.updateValue(row, forKey: key) == nil {
                if let last = keys.last, last > key {
                    keys.insert(key, at: keys.partitioningIndex(above: key))
                } else {
                    keys.append(key)
                }
            }
        }

        /// Adds rows in any order of keys, and sorts once.
        mutating func addAll(_ added: [(key: Int64, row: Snapshot)]) {
            rows.reserveCapacity(rows.count + added.count)
            for (key, row) in added where rows.updateValue(row, forKey: key) == nil { keys.append(key) }
            keys.sort()
        }

        mutating func remove(_ gone: Set<Int64>) {
            for key in gone { rows[key] = nil }
            keys.removeAll { gone.contains($0) }
        }
    }

    /// One end of a relationship. It omits the entity, because a slot has the same meaning in all subentities of
    /// a root's branch.
    struct LinkKey: Hashable {
        let relationship: ObjectIdentifier
        let owner: Int64
    }

    /// Shared by all tables of a store, whether or not a save succeeds.
    let keys: KeyCounter
    /// By the index of the root entity.
    var tables: [Int: Table] = [:]
    /// The members of to-many relationships that are many-to-many, one-way, or ordered; in order.
    var links: [LinkKey: [Reference]] = [:]
    /// The row that has the given values of a uniqueness constraint.
    var unique: [UniquenessRule: [UniqueValues: Int64]] = [:]

    init(keys: KeyCounter) { self.keys = keys }
}

extension [Int64] {
    /// In ascending numbers, the position of the first one above `key`.
    func partitioningIndex(above key: Int64) -> Int {
        BinarySearch.first(of: count) { self[$0] > key }
    }
}
