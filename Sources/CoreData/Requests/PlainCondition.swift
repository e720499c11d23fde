// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The predicate of most fetches: attributes of the entity compared with values, all of which have to hold.

import CoreDataFoundation
import Foundation

/// Attributes compared with values, joined by AND. Two conditions of one shape differ in their values alone, so that
/// what was found out about the first (that it may be asked, how it is written in SQL) holds for the second.
struct PlainCondition {
    struct Comparison {
        /// The slot, the operator and the kind of value.
        let shape: Int
        /// A number, text or a date.
        let value: ComparableValue
    }

    private(set) var comparisons: [Comparison] = []

    /// nil for any other predicate.
    init?(_ predicate: NSPredicate, of layout: EntityLayout) {
        guard predicate.lookAtComparison({ add($0, layout) }) ?? add(predicate.syntax, layout), !comparisons.isEmpty
        else { return nil }
    }

    init?(_ predicate: PredicateSyntax, of layout: EntityLayout) {
        guard add(predicate, layout), !comparisons.isEmpty else { return nil }
    }

    var shape: [Int] { comparisons.map(\.shape) }

    private mutating func add(_ predicate: PredicateSyntax, _ layout: EntityLayout) -> Bool {
        switch predicate {
        case .and(let members):
            for member in members where !add(member, layout) { return false }
            return !members.isEmpty
        case .comparison(let comparison): return add(comparison, layout)
        default: return false
        }
    }

    private mutating func add(_ comparison: ComparisonSyntax, _ layout: EntityLayout) -> Bool {
        guard case .keyPath(let path) = comparison.left, case .constant(let constant?) = comparison.right,
            comparison.modifier == .direct, comparison.options.rawValue == 0, comparison.operation.rawValue <= 5,
            // A key path with dots or operators is no name of a slot.
            let slot = layout.slot(path), layout[slot].isColumn
        else { return false }
        let value = ComparableValue(constant)
        guard let kind = Self.kind(of: value) else { return false }
        // Text compared with a number has to be read as one first.
        if case .string = value, layout[slot].kind != .string { return false }
        comparisons.append(.init(shape: slot << 8 | Int(comparison.operation.rawValue) << 4 | kind, value: value))
        return true
    }

    private static func kind(of value: ComparableValue) -> Int? {
        switch value {
        case .integer: 0
        case .double(let number): number.isNaN ? nil : 1
        case .string: 2
        case .date: 3
        default: nil
        }
    }
}

/// A fetch of rows by such a condition, in no order.
struct PlainQuestion {
    let layout: EntityLayout
    let includesSubentities: Bool
    let condition: PlainCondition
    /// 0: no limit.
    let limit: Int
}

extension SlotPlace {
    /// Whether it is an attribute that every store keeps as a plain value.
    fileprivate var isColumn: Bool {
        switch kind {
        case .integer, .boolean, .float, .double, .date, .string: !isTransient
        case .box, .reference, .toMany, .fetched: false
        }
    }
}
