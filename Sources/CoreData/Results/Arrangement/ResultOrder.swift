// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of results: the values that decide an object's place, and their comparison.

import CoreDataFoundation
import Foundation

/// The values that decide where an object stands.
struct ResultPlacement {
    /// One for each sort descriptor.
    var values: [ComparableValue]
    /// For objects that the values leave equal: position of the store, then magnitude of the key (`TieBreaking`).
    var tie: ResultTie
    /// "" without a section key path.
    var sectionName: String
}

/// The place of a record among those that the sort descriptors leave equal.
struct ResultTie: Comparable {
    let store: Int
    let key: UInt64

    static func < (one: ResultTie, other: ResultTie) -> Bool {
        one.store == other.store ? one.key < other.key : one.store < other.store
    }
}

/// Compares placements as the sort descriptors of a request do.
struct ResultOrder {
    struct Column {
        let comparison: SortComparison
        let isAscending: Bool
    }

    let columns: [Column]
    /// Whether equal objects stand in ascending order of their ties.
    let isTieAscending: Bool

    func precedes(_ one: ResultPlacement, _ other: ResultPlacement) -> Bool {
        for (position, column) in columns.enumerated() {
            switch column.comparison.order(one.values[position], other.values[position]) {
            case .orderedSame: continue
            case .orderedAscending: return column.isAscending
            case .orderedDescending: return !column.isAscending
            }
        }
        return isTieAscending ? one.tie < other.tie : other.tie < one.tie
    }

    /// Whether two lists of values stand at the same place.
    func isSame(_ one: [ComparableValue], _ other: [ComparableValue]) -> Bool {
        columns.indices.allSatisfy { columns[$0].comparison.order(one[$0], other[$0]) == .orderedSame }
    }

    /// Whether two lists of values are equal.
    static func isSame(_ one: [ComparableValue], _ other: [ComparableValue]) -> Bool {
        one.count == other.count
            && one.indices.allSatisfy { SortComparison.standard.order(one[$0], other[$0]) == .orderedSame }
    }
}
