// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes a fetch on rows in memory: filter, sort, window, shape.

import CoreDataFoundation
import Foundation

/// Executes a fetch of a store in memory, and the part of a database fetch that SQL cannot express.
package struct RowFetch {
    private let fetch: BoundFetch
    private let source: any RowGraph
    /// The source of related rows, if they must be read.
    private let known: RelatedRows?
    /// The number of candidates that are evaluated together, with their related rows.
    package static let chunk = 500

    package init(_ fetch: BoundFetch, _ source: any RowGraph) {
        self.fetch = fetch
        self.source = source
        known = source as? RelatedRows
    }

    /// - Parameter rows: candidates of the requested entities, in the order of their keys.
    package func run(over rows: [FetchedRow]) throws -> FetchOutcome {
        var rows = try paged(filtered(rows))
        if case .dictionaries(let dictionaries) = fetch.result {
            try known?.read(RelationshipPaths(dictionaries, from: fetch.layout, in: fetch.model), of: rows)
            let views = try sorted(rows).map { RowView($0, source) }
            return .dictionaries(window(try DictionaryShaping(dictionaries, of: fetch).shape(views)))
        }
        if case .count = fetch.result { return .count(window(rows).count) }
        rows = window(try sorted(rows))
        if case .keys = fetch.result { return .keys(rows.map { ObjectKey($0.snapshot.layout.index, $0.key) }) }
        return .rows(rows)
    }

    private func filtered(_ rows: [FetchedRow]) throws -> [FetchedRow] {
        guard let predicate = fetch.predicate else { return rows }
        let evaluator = try PredicateEvaluator(predicate)
        let paths = known == nil ? nil : RelationshipPaths(predicate, from: fetch.layout, in: fetch.model)
        guard let known, let paths, !paths.isEmpty else {
            return try rows.filter { try evaluator.matches(RowView($0, source)) }
        }
        var result: [FetchedRow] = []
        for start in stride(from: 0, to: rows.count, by: Self.chunk) {
            let candidates = rows[start..<min(start + Self.chunk, rows.count)]
            known.forget()
            try known.read(paths, of: Array(candidates))
            result += try candidates.filter { try evaluator.matches(RowView($0, source)) }
        }
        known.forget()
        return result
    }

    /// The rows after the position of a page.
    private func paged(_ rows: [FetchedRow]) throws -> [FetchedRow] {
        guard let paging = fetch.paging else { return rows }
        let sorting = fetch.prepared.sorting
        try known?.read(RelationshipPaths(sorting, in: fetch.model), of: rows)
        let test = try PagingTest(paging, sorting)
        return try rows.filter { row in
            try test.includes(RowView(row, source)) {
                switch paging.start?.ties {
                case .all?, nil: true
                case .none?: false
                case .after(let key)?: sorting.breaksTiesAscending ? row.key > key : row.key < key
                }
            }
        }
    }

    private func sorted(_ rows: [FetchedRow]) throws -> [FetchedRow] {
        guard !fetch.sorting.isEmpty else { return rows }
        try known?.read(RelationshipPaths(fetch.sorting, in: fetch.model), of: rows)
        // Equal rows keep their order: that of their keys, or its reverse.
        let rows = fetch.sorting.breaksTiesAscending ? rows : rows.reversed()
        return try ObjectOrdering(fetch.sorting.map(\.descriptor)).sorted(rows.map { RowView($0, source) }).map(\.row)
    }

    private func window<T>(_ results: [T]) -> [T] {
        let rest = fetch.offset > 0 ? Array(results.dropFirst(fetch.offset)) : results
        return fetch.limit > 0 ? Array(rest.prefix(fetch.limit)) : rest
    }
}

/// Converts the value of an expression to the type that its description declares.
package enum ResultCoercion {
    package static func value(_ value: Any?, _ type: NSAttributeType) -> Any? {
        guard let value else { return nil }
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return AttributeValues.number(value).map { number in
                NSNumber(value: Snapshot.integer(number) ?? Snapshot.nearestInteger(number))
            } ?? value
        case .doubleAttributeType:
            return AttributeValues.number(value).map { NSNumber(value: ExactDecimal.double($0)) } ?? value
        case .floatAttributeType: return AttributeValues.number(value).map { NSNumber(value: $0.floatValue) } ?? value
        case .decimalAttributeType:
            return AttributeValues.number(value).map { NSDecimalNumber(decimal: ExactDecimal.of($0)) } ?? value
        case .booleanAttributeType: return AttributeValues.number(value).map { NSNumber(value: $0.boolValue) } ?? value
        case .dateAttributeType:
            if value is Date { return value }
            return AttributeValues.number(value).map { Date(timeIntervalSinceReferenceDate: ExactDecimal.double($0)) }
                ?? value
        default: return value
        }
    }
}
