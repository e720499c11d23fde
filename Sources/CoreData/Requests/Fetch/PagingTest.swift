// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides in memory whether a row or an object is after a position. Cursors-2.

import CoreDataFoundation
import Foundation

/// The test of one fetch of a page.
package struct PagingTest {
    private struct Key {
        let value: ReadyExpression
        let comparison: SortComparison
        let isAscending: Bool
        /// The value at the position; nil without a position.
        let start: ComparableValue?
    }

    private let part: FetchPaging.Part
    private let hasStart: Bool
    private let keys: [Key]

    package init(_ paging: FetchPaging, _ sorting: [PreparedFetch.Sort]) throws {
        part = paging.part
        hasStart = paging.start != nil
        keys = try sorting.enumerated().map { number, sort in
            Key(
                value: try ReadyExpression(sort.expression), comparison: sort.comparison,
                isAscending: sort.isAscending, start: paging.start?.values[number])
        }
    }

    /// - Parameter isTieAfter: whether the object is after the position if all sort values are equal.
    package func includes(_ object: Any, isTieAfter: () -> Bool) throws -> Bool {
        if let first = keys.first, part != .whole {
            let isMissing = if case .null = ComparableValue(try first.value.value(of: object)) { true } else { false }
            if isMissing != (part == .missing) { return false }
        }
        guard hasStart else { return true }
        for key in keys {
            guard let start = key.start else { continue }
            let order = key.comparison.order(ComparableValue(try key.value.value(of: object)), start)
            if order == .orderedSame { continue }
            return order.directed(ascending: key.isAscending) == .orderedDescending
        }
        return isTieAfter()
    }
}

extension PreparedFetch.Sort {
    /// The sort value of an object.
    package var expression: ExpressionSyntax { descriptor.sortKey.map { .keyPath($0.key) } ?? .evaluatedObject }
}
