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

    /// A shape, and the values of its placeholders in their order.
    typealias Filled = (shape: FetchShape, values: [SQLiteValue])

    private init(_ layout: EntityLayout, includesSubentities: Bool) {
        numbers.reserveCapacity(8)
        numbers.append(layout.index << 1 | (includesSubentities ? 1 : 0))
    }

    /// nil for anything that is not plain.
    static func make(_ fetch: ResolvedFetch) -> Filled? {
        var shape = FetchShape(fetch.layout, includesSubentities: fetch.includesSubentities)
        var values: [SQLiteValue] = []
        switch fetch.result {
        case .rows: shape.numbers.append(0)
        case .keys: shape.numbers.append(1)
        case .count: shape.numbers.append(2)
        case .dictionaries: return nil
        }
        if fetch.predicate != nil {
            guard let condition = fetch.condition, shape.add(condition, &values) else { return nil }
        }
        for sort in fetch.sorting {
            guard sort.keyPath.tail == .value, sort.comparison == .standard else { return nil }
            shape.numbers.append(sort.isAscending ? -1 : -2)
            for step in sort.keyPath.steps {
                guard step.element == nil else { return nil }
                shape.numbers.append(step.layoutIndex << 20 | step.slot)
            }
        }
        shape.addWindow(limit: fetch.limit, offset: fetch.offset, &values)
        return (shape, values)
    }

    /// The shape of the fetch that asks the same.
    init(_ question: PlainQuestion) {
        self.init(question.layout, includesSubentities: question.includesSubentities)
        numbers.append(0)
        numbers += question.condition.shape
        if question.limit != 0 { numbers.append(-3) }
    }

    /// Whether that is this one, found out without making it.
    func isShape(of question: PlainQuestion) -> Bool {
        let comparisons = question.condition.comparisons
        guard numbers.count == comparisons.count + (question.limit == 0 ? 2 : 3), numbers[1] == 0,
            numbers[0] == question.layout.index << 1 | (question.includesSubentities ? 1 : 0),
            question.limit == 0 || numbers[comparisons.count + 2] == -3
        else { return false }
        for index in comparisons.indices where comparisons[index].shape != numbers[index + 2] { return false }
        return true
    }

    private mutating func add(_ condition: PlainCondition, _ values: inout [SQLiteValue]) -> Bool {
        for comparison in condition.comparisons {
            guard let argument = try? ExpressionTranslator.argument(comparison.value) else { return false }
            numbers.append(comparison.shape)
            values.append(argument)
        }
        return true
    }

    private mutating func addWindow(limit: Int, offset: Int, _ values: inout [SQLiteValue]) {
        guard limit != 0 || offset != 0 else { return }
        numbers.append(offset == 0 ? -3 : -4)
        values.append(.integer(limit == 0 ? -1 : Int64(limit)))
        if offset != 0 { values.append(.integer(Int64(offset))) }
    }
}
