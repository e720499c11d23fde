// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a position in the order of a fetch to a condition that a range of an index serves. Cursors-2, Cursors-3.

import CoreDataFoundation
import Foundation

package struct PositionTranslator {
    package let schema: Schema
    package let place: RowPlace

    private var dialect: any Dialect { schema.dialect }

    /// nil if all rows are after the position.
    ///
    /// - Throws: `NotTranslatable` if the position must be compared in memory.
    package func condition(_ paging: FetchPaging, _ sorting: [PreparedFetch.Sort]) throws -> SQLText? {
        guard let start = paging.start else {
            guard paging.part != .whole, let first = sorting.first else { return nil }
            let column = try column(first).column
            return paging.part == .present ? "\(column) IS NOT NULL" : "\(column) IS NULL"
        }
        var rest = ties(start, sorting)
        for number in sorting.indices.reversed() {
            let term = try term(sorting[number], start.values[number])
            let isAscending = sorting[number].isAscending
            rest = number == 0 ? term.range(isAscending, rest) : term.following(isAscending, rest)
        }
        return rest
    }

    private func ties(_ start: FetchPosition, _ sorting: [PreparedFetch.Sort]) -> SQLText {
        switch start.ties {
        case .all: dialect.yes
        case .none: dialect.no
        case .after(let key):
            "\(place.key) \(raw: sorting.breaksTiesAscending ? ">" : "<") \(value: .integer(key))"
        }
    }

    private func column(_ sort: PreparedFetch.Sort) throws -> (column: SQLText, coding: ColumnCoding) {
        guard sort.keyPath.tail == .value,
            case .attribute(let column, let coding) = try PathColumns(schema: schema).end(
                sort.keyPath.steps, from: place)
        else { throw NotTranslatable(reason: "a position in the order of such values") }
        return (column, coding)
    }

    private func term(_ sort: PreparedFetch.Sort, _ value: ComparableValue) throws -> Term {
        let (column, coding) = try column(sort)
        guard let argument = try ExpressionTranslator.argument(value) else { return Term(column: column, value: nil) }
        let constant = SQLOperand(sql: .value(argument), computed: ValueKind(value), isConstant: true)
        let (left, right) = try dialect.comparable(SQLOperand(sql: column, kind: .value(coding)), constant)
        return Term(column: try dialect.ordered(left.sql, coding, sort.comparison), value: right.sql)
    }

    /// One column of the order, with its value at the position.
    private struct Term {
        let column: SQLText
        /// nil for null.
        let value: SQLText?

        /// The rows after the position in the part of the order in which it is: the first column has a value, or null.
        func range(_ isAscending: Bool, _ rest: SQLText) -> SQLText {
            guard let value else { return "\(column) IS NULL AND (\(rest))" }
            let symbol = isAscending ? ">" : "<"
            return "\(column) \(raw: symbol)= \(value) AND (\(column) \(raw: symbol) \(value) OR (\(rest)))"
        }

        /// The same for a column after the first one.
        func following(_ isAscending: Bool, _ rest: SQLText) -> SQLText {
            guard let value else {
                return isAscending
                    ? "\(column) IS NOT NULL OR (\(rest))" : "\(column) IS NULL AND (\(rest))"
            }
            let symbol = isAscending ? ">" : "<"
            let after: SQLText = "\(column) \(raw: symbol) \(value) OR (\(column) = \(value) AND (\(rest)))"
            return isAscending ? after : "\(column) IS NULL OR \(after)"
        }
    }
}
