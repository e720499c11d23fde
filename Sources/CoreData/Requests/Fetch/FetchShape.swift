// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The shape of a fetch request: requests that differ only in values have the same one.

import CoreDataFoundation
import Foundation

/// Entity, options, order, and the attributes that the predicate compares with values. The values are not part of the
/// shape (Fetching-R2).
///
/// Most requests of a program have a shape: attributes of the entity compared with values, joined by AND.
package struct FetchShape: Hashable, Sendable {
    /// An attribute compared with a value.
    package struct Comparison: @unchecked Sendable {  // its value is a number, text or a date
        /// The slot, the operator and the kind of the value.
        package let shape: Int
        /// A number, text or a date.
        package let value: ComparableValue
    }

    private struct Order: Hashable {
        let key: String
        let isAscending: Bool
        let comparison: SortComparison
    }

    /// The parts that look-ups by one attribute do not need. A separate object, so that shapes of look-ups are compared
    /// and copied without reference counting.
    private final class Rest: Hashable, Sendable {
        let comparisons: [Int]
        let order: [Order]
        let prefetchedKeyPaths: [String]?

        init(_ comparisons: [Int], _ order: [Order], _ prefetchedKeyPaths: [String]?) {
            self.comparisons = comparisons
            self.order = order
            self.prefetchedKeyPaths = prefetchedKeyPaths
        }

        static func == (one: Rest, other: Rest) -> Bool {
            one.comparisons == other.comparisons && one.order == other.order
                && one.prefetchedKeyPaths == other.prefetchedKeyPaths
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(comparisons)
            hasher.combine(order)
            hasher.combine(prefetchedKeyPaths)
        }
    }

    /// The entity and the options.
    private let head: Int
    private let resultType: UInt
    /// The shape of the first comparison; -1 without one.
    private let comparison: Int
    private let rest: Rest?

    /// nil if a comparator or a descriptor from an archive sorts, and for dictionaries, whose columns may be any
    /// expressions.
    package init?(
        _ layout: EntityLayout, _ options: FetchOptions, _ resultType: NSFetchRequestResultType,
        _ comparisons: [Comparison], sorting: [NSSortDescriptor]?, prefetching: [String]?
    ) {
        guard resultType != .dictionaryResultType else { return nil }
        var order: [Order] = []
        if let sorting {
            for descriptor in sorting {
                guard let (key, isAscending, comparison) = descriptor.sortKey, !descriptor.needsPermission else {
                    return nil
                }
                order.append(Order(key: key, isAscending: isAscending, comparison: comparison))
            }
        }
        head = layout.index << 8 | options.rawValue
        self.resultType = resultType.rawValue
        comparison = comparisons.first?.shape ?? -1
        let isPlain = comparisons.count <= 1 && order.isEmpty && prefetching == nil
        rest = isPlain ? nil : Rest(comparisons.dropFirst().map(\.shape), order, prefetching)
    }

    // MARK: Comparisons

    /// The comparisons that a predicate consists of; nil for any other predicate.
    package static func comparisons(_ predicate: NSPredicate, _ layout: EntityLayout) -> [Comparison]? {
        var found: [Comparison] = []
        let isPlain =
            predicate.lookAtComparison { add($0, layout, to: &found) } ?? add(predicate.syntax, layout, to: &found)
        return isPlain ? found : nil
    }

    private static func add(_ predicate: PredicateSyntax, _ layout: EntityLayout, to found: inout [Comparison]) -> Bool
    {
        switch predicate {
        case .and(let members):
            for member in members where !add(member, layout, to: &found) { return false }
            return !members.isEmpty
        case .comparison(let comparison): return add(comparison, layout, to: &found)
        default: return false
        }
    }

    private static func add(_ comparison: ComparisonSyntax, _ layout: EntityLayout, to found: inout [Comparison])
        -> Bool
    {
        guard case .keyPath(let path) = comparison.left, case .constant(let constant?) = comparison.right,
            comparison.modifier == .direct, comparison.options.rawValue == 0,
            // No slot has a name with dots or operators.
            let slot = layout.slot(path),
            let added = Self.comparison(slot, comparison.operation, ComparableValue(constant), layout)
        else { return false }
        // A list that begins with a member costs less than one that grows from nothing.
        if found.isEmpty { found = [added] } else { found.append(added) }
        return true
    }

    /// An attribute compared with a value; nil if no shape has such a comparison.
    package static func comparison(
        _ slot: Int, _ operation: ComparisonSyntax.Operator, _ value: ComparableValue, _ layout: EntityLayout
    ) -> Comparison? {
        guard operation.rawValue <= 5, layout[slot].isColumn, let kind = kind(of: value) else { return nil }
        // A string compared with a number means the number that it spells, and vice versa (`ConstantConversion`).
        guard (kind == Self.text) == (layout[slot].kind == .string) else { return nil }
        return Comparison(shape: slot << 8 | Int(operation.rawValue) << 4 | kind, value: value)
    }

    /// The predicate that consists of comparisons; nil without any.
    static func predicate(_ comparisons: [Comparison], _ layout: EntityLayout) -> PredicateSyntax? {
        let parts = comparisons.compactMap { comparison -> PredicateSyntax? in
            guard let operation = ComparisonSyntax.Operator(rawValue: UInt(comparison.shape >> 4 & 15)) else {
                return nil
            }
            let path = ExpressionSyntax.keyPath(layout.properties[comparison.shape >> 8].name)
            return .comparison(ComparisonSyntax(path, operation, .constant(comparison.value.original)))
        }
        return parts.count > 1 ? .and(parts) : parts.first
    }

    private static let text = 2

    private static func kind(of value: ComparableValue) -> Int? {
        switch value {
        case .integer: 0
        case .double(let number): number.isNaN ? nil : 1
        case .string: text
        case .date: 3
        default: nil
        }
    }
}

extension SlotDescriptor {
    /// Whether it is an attribute that every store keeps as a plain value.
    fileprivate var isColumn: Bool {
        switch kind {
        case .integer, .boolean, .float, .double, .date, .string: !isTransient
        case .box, .reference, .toMany, .fetched: false
        }
    }
}
