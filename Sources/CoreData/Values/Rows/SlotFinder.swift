// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds a property in a block for predicates, and reads it without boxing.

import CoreDataFoundation
import Foundation

/// Caches the slot of a key for the most recent entity.
final class SlotFinder {
    private let key: String
    @exclusivity(unchecked) private var layout: EntityLayout?
    @exclusivity(unchecked) private var slot: Int?

    init(_ key: String) { self.key = key }

    @inline(__always) func slot(in layout: EntityLayout) -> Int? { layout === self.layout ? slot : find(layout) }

    private func find(_ layout: EntityLayout) -> Int? {
        self.layout = layout
        slot = layout.slot(key)
        return slot
    }
}

extension Snapshot {
    /// The value of an attribute for comparisons.
    @inline(__always) func comparable(_ slot: Int) -> ComparableValue {
        if isNull(slot) { return .null }
        switch layout[slot].kind {
        case .integer: return .integer(integer(slot))
        case .boolean: return .integer(boolean(slot) ? 1 : 0)
        case .float: return .double(Double(Float(double(slot))))
        case .double: return .double(double(slot))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(slot)))
        case .string: return .string(string(slot))
        case .box: return ComparableValue(box(slot)?.value)
        case .reference, .toMany, .fetched: return .null
        }
    }
}
