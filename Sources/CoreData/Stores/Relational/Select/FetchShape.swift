// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What two fetches have in common that differ in their values alone: for them one text is built, once.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// The shape of a plain fetch: attributes compared with values, joined by AND, sorted by attributes.
///
/// Most fetches of a program are such. Building their SQL anew would cost more than running it.
struct FetchShape: Hashable {
    private var numbers: [Int] = []

    /// The shape, and the values of its placeholders in their order; nil for anything that is not plain.
    static func make(_ fetch: ResolvedFetch) -> (shape: FetchShape, values: [SQLiteValue])? {
        var shape = FetchShape()
        var values: [SQLiteValue] = []
        shape.numbers.reserveCapacity(8)
        shape.numbers.append(fetch.layout.index << 1 | (fetch.includesSubentities ? 1 : 0))
        switch fetch.result {
        case .rows: shape.numbers.append(0)
        case .keys: shape.numbers.append(1)
        case .count: shape.numbers.append(2)
        case .dictionaries: return nil
        }
        if fetch.predicate != nil {
            guard let condition = fetch.condition else { return nil }
            shape.numbers.append(contentsOf: condition.shape)
            for value in condition.values {
                guard let argument = try? ExpressionTranslator.argument(value) else { return nil }
                values.append(argument)
            }
        }
        for sort in fetch.sorting {
            guard sort.keyPath.tail == .value, sort.comparison == .standard else { return nil }
            shape.numbers.append(sort.isAscending ? -1 : -2)
            for step in sort.keyPath.steps {
                guard step.element == nil else { return nil }
                shape.numbers.append(step.layoutIndex << 20 | step.slot)
            }
        }
        if fetch.limit != 0 || fetch.offset != 0 {
            shape.numbers.append(fetch.offset == 0 ? -3 : -4)
            values.append(.integer(fetch.limit == 0 ? -1 : Int64(fetch.limit)))
            if fetch.offset != 0 { values.append(.integer(Int64(fetch.offset))) }
        }
        return (shape, values)
    }
}
