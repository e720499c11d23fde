// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the boxes that a predicate limits attributes to, for the spatial index of a database. Geography-6.

import CoreDataFoundation
import Foundation

/// Reads boxes from the conditions that all results meet.
struct SpatialBoxes {
    /// More boxes than a box across the 180th meridian with both poles has are not worth a look-up each.
    private static let mostBoxes = 8

    let schema: Schema
    let layout: EntityLayout

    /// nil if the conditions limit no column of numbers.
    func boxes(_ conditions: [PredicateSyntax]) -> [SpatialBox]? {
        let boxes = boxes(all: conditions)
        return boxes.isEmpty || boxes.contains { $0.ranges.count < 2 } ? nil : boxes
    }

    private func boxes(all conditions: [PredicateSyntax]) -> [SpatialBox] {
        var result = [SpatialBox()]
        for condition in conditions {
            guard let parts = boxes(condition), parts.count * result.count <= Self.mostBoxes else { continue }
            result = result.flatMap { box in parts.map { box.intersection($0) } }
        }
        return result
    }

    /// nil for a condition that says nothing about such columns.
    private func boxes(_ condition: PredicateSyntax) -> [SpatialBox]? {
        switch condition {
        case .and(let members): return boxes(all: members)
        case .or(let members):
            var result: [SpatialBox] = []
            for member in members {
                guard let parts = boxes(member) else { return nil }
                result += parts
            }
            return result
        case .comparison(let comparison): return box(comparison).map { [$0] }
        case .constant, .not, .block: return nil
        }
    }

    private func box(_ comparison: ComparisonSyntax) -> SpatialBox? {
        guard comparison.modifier == .direct else { return nil }
        if comparison.operation == .between, case .keyPath(let path) = comparison.left,
            let bounds = comparison.right.listElements, bounds.count == 2, case .constant(let least) = bounds[0],
            case .constant(let greatest) = bounds[1], let above = box(path, .greaterThanOrEqualTo, least),
            let below = box(path, .lessThanOrEqualTo, greatest)
        {
            return above.intersection(below)
        }
        switch (comparison.left, comparison.right) {
        case (.keyPath(let path), .constant(let value)): return box(path, comparison.operation, value)
        case (.constant(let value), .keyPath(let path)):
            let turned: ComparisonSyntax.Operator? =
                switch comparison.operation {
                case .lessThan: .greaterThan
                case .lessThanOrEqualTo: .greaterThanOrEqualTo
                case .greaterThan: .lessThan
                case .greaterThanOrEqualTo: .lessThanOrEqualTo
                case .equalTo: .equalTo
                default: nil
                }
            return turned.flatMap { box(path, $0, value) }
        default: return nil
        }
    }

    private func box(_ path: String, _ operation: ComparisonSyntax.Operator, _ value: Any?) -> SpatialBox? {
        guard let slot = layout.slot(path), case .attribute(let column)? = schema.mapping(layout)?.storage[slot],
            Self.isIndexable(column.coding)
        else { return nil }
        func number(_ value: Any?) -> Double? {
            guard let number = value.flatMap(AttributeValues.number), !(value is String) else { return nil }
            let double = ExactDecimal.double(number)
            // The index rounds to 32 bits: greater numbers are infinite there.
            return abs(double) < 1e30 ? double : nil
        }
        switch operation {
        case .equalTo: return number(value).map { SpatialBox(column.name, $0, $0) }
        case .lessThan, .lessThanOrEqualTo: return number(value).map { SpatialBox(column.name, -.infinity, $0) }
        case .greaterThan, .greaterThanOrEqualTo: return number(value).map { SpatialBox(column.name, $0, .infinity) }
        default: return nil
        }
    }

    private static func isIndexable(_ coding: ColumnCoding) -> Bool {
        switch coding {
        case .integer, .float, .double: true
        default: false
        }
    }
}
