// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of results: the values that determine an object's position, and their comparison.

import CoreDataFoundation
import Foundation

/// The values that determine the position of an object.
struct ResultPlacement {
    /// One for each sort descriptor.
    var values: [ComparableValue]
    /// For objects with equal values: position of the store, then magnitude of the key (`TieBreaking`).
    var tie: ResultTie
    /// "" without a section key path.
    var sectionName: String
}

/// The order of a record among those with equal sort values.
struct ResultTie: Comparable {
    let store: Int
    let key: UInt64

    static func < (one: ResultTie, other: ResultTie) -> Bool {
        one.store == other.store ? one.key < other.key : one.store < other.store
    }
}

/// Compares placements by the sort descriptors of a request.
struct ResultOrder {
    struct Column {
        let comparison: SortComparison
        let isAscending: Bool
    }

    let columns: [Column]
    /// Whether objects with equal values are in ascending order of their ties.
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

    /// Whether two lists of values have the same place in the order.
    func isSame(_ one: [ComparableValue], _ other: [ComparableValue]) -> Bool {
        columns.indices.allSatisfy { columns[$0].comparison.order(one[$0], other[$0]) == .orderedSame }
    }

    /// Whether two lists of values are equal.
    static func isSame(_ one: [ComparableValue], _ other: [ComparableValue]) -> Bool {
        one.count == other.count
            && one.indices.allSatisfy { SortComparison.standard.order(one[$0], other[$0]) == .orderedSame }
    }
}
