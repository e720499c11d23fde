// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rows, links and unique values of a store in memory, as one value.

import Foundation

/// Everything that a store in memory holds.
struct MemoryTables {
    /// Rows below one root entity, in the order of their keys.
    struct Table {
        private(set) var rows: [Int64: Snapshot] = [:]
        /// Ascending.
        private(set) var keys: [Int64] = []
        /// The greatest key that was ever given.
        var lastKey: Int64 = 0

        subscript(key: Int64) -> Snapshot? { rows[key] }

        mutating func set(_ key: Int64, _ row: Snapshot) {
            if rows.updateValue(row, forKey: key) == nil {
                if let last = keys.last, last > key {
                    keys.insert(key, at: keys.firstIndex { $0 > key } ?? keys.count)
                } else {
                    keys.append(key)
                }
            }
            lastKey = max(lastKey, key)
        }

        mutating func remove(_ gone: Set<Int64>) {
            for key in gone { rows[key] = nil }
            keys.removeAll { gone.contains($0) }
        }
    }

    /// A relationship's end: its declaring entity is left out, for a slot means the same in all subentities of a root's
    /// branch.
    struct LinkKey: Hashable {
        let relationship: ObjectIdentifier
        let owner: Int64
    }

    /// By the index of the root entity.
    var tables: [Int: Table] = [:]
    /// Members of to-manys in order: those of many-to-many and one-way relationships, and of ordered ones.
    var links: [LinkKey: [Reference]] = [:]
    /// Which row has the values of a uniqueness constraint.
    var unique: [UniqueConstraint: [UniqueValues: Int64]] = [:]
}
