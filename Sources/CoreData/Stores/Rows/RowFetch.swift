// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers a fetch from rows in memory: filter, sort, window, shape.

import CoreDataFoundation
import Foundation

/// What a store in memory does with a fetch, and a database with the part of one that its language cannot say.
package struct RowFetch {
    private let fetch: BoundFetch
    private let source: any RowGraph
    /// The source, where rows at relationships have to be read from somewhere.
    private let known: RelatedRows?
    /// How many candidates are looked at with the rows that they lead to.
    package static let chunk = 500

    package init(_ fetch: BoundFetch, _ source: any RowGraph) {
        self.fetch = fetch
        self.source = source
        known = source as? RelatedRows
    }

    /// - Parameter rows: candidates, of the entities asked for, in the order of their keys.
    package func run(over rows: [FetchedRow]) throws -> FetchOutcome {
        var rows = try filtered(rows)
        if case .dictionaries(let dictionaries) = fetch.result {
            try known?.read(RelationshipPaths(dictionaries, from: fetch.layout, in: fetch.model), of: rows)
            let views = try sorted(rows).map { RowView($0, source) }
            return .dictionaries(window(try DictionaryShaping(dictionaries).shape(views)))
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

    private func sorted(_ rows: [FetchedRow]) throws -> [FetchedRow] {
        guard !fetch.sorting.isEmpty else { return rows }
        try known?.read(RelationshipPaths(fetch.sorting, in: fetch.model), of: rows)
        // Equal rows stay as they stand: in the order of their keys, or the other way round.
        let rows = fetch.sorting.breaksTiesUpwards ? rows : rows.reversed()
        return try ObjectOrdering(fetch.sorting.map(\.descriptor)).sorted(rows.map { RowView($0, source) }).map(\.row)
    }

    private func window<T>(_ results: [T]) -> [T] {
        let rest = fetch.offset > 0 ? Array(results.dropFirst(fetch.offset)) : results
        return fetch.limit > 0 ? Array(rest.prefix(fetch.limit)) : rest
    }
}

/// Dictionary results from rows in memory: properties, expressions, groups.
package struct DictionaryShaping {
    private let request: DictionaryRequest

    package init(_ request: DictionaryRequest) { self.request = request }

    package func shape(_ views: [RowView]) throws -> [[String: Any]] {
        let groups = try groups(views)
        var result: [[String: Any]] = []
        var seen: Set<[AnyHashable]> = []
        for group in groups {
            var dictionary: [String: Any] = [:]
            for column in request.columns {
                if let value = try value(column, group) { dictionary[column.name] = value }
            }
            if let having = request.having {
                let reduced = try having.mapping { try Self.reduced($0, group) }
                let result = GroupResult(columns: dictionary, view: group.first)
                guard try PredicateEvaluator(reduced, variables: dictionary).matches(result) else { continue }
            }
            if request.isDistinct, !seen.insert(request.columns.map { Self.key(dictionary[$0.name]) }).inserted {
                continue
            }
            result.append(dictionary)
        }
        return result
    }

    private var isAggregated: Bool {
        request.columns.contains { column in
            if case .expression(let expression) = column.value { return expression.isAggregate }
            return false
        }
    }

    private func groups(_ views: [RowView]) throws -> [[RowView]] {
        guard !request.groupBy.isEmpty else {
            if isAggregated { return [views] }
            return views.map { [$0] }
        }
        var order: [[AnyHashable]] = []
        var groups: [[AnyHashable]: [RowView]] = [:]
        for view in views {
            let key = try request.groupBy.map { path -> AnyHashable in
                Self.key(try Self.value(path, view))
            }
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(view)
        }
        return order.compactMap { groups[$0] }
    }

    private static func key(_ value: Any?) -> AnyHashable {
        (value as? RowView)?.result ?? ValueKey.of(value) ?? AnyHashable(NoValue())
    }

    /// All nil values are one. Instances of `NSNull` are equal and have different hash values.
    private struct NoValue: Hashable {}

    private func value(_ column: DictionaryRequest.Column, _ group: [RowView]) throws -> Any? {
        switch column.value {
        case .objectID: return group.first?.result.base
        case .property(let path):
            guard let view = group.first else { return nil }
            let value = try Self.value(path, view)
            return (value as? RowView)?.result.base ?? value
        case .expression(let expression):
            let reduced = try expression.mapping { try Self.reduced($0, group) }
            let object: Any? = reduced.isAggregate ? group : group.first
            let value = try ExpressionEvaluator.value(of: reduced, object: object, variables: [:])
            return column.resultType.map { ResultCoercion.value(value, $0) } ?? value
        }
    }

    /// The value of an aggregate function over the rows of a group; nil for any other expression. As in SQL, rows
    /// without a value do not take part.
    private static func reduced(_ expression: ExpressionSyntax, _ group: [RowView]) throws -> ExpressionSyntax? {
        guard case .function(let name, let arguments) = expression, arguments.count == 1,
            ExpressionSyntax.aggregates.contains(name)
        else { return nil }
        let argument = try ReadyExpression(arguments[0])
        let values = try group.compactMap { try argument.value(of: $0) }.filter { !($0 is NSNull) }
        let result = ExpressionSyntax.function(name: name, arguments: [.constant(values)])
        return .constant(try ExpressionEvaluator.value(of: result, object: nil))
    }

    private static func value(_ path: [PathStep], _ view: RowView) throws -> Any? {
        var current: Any? = view
        for step in path {
            guard let view = current as? RowView else { return nil }
            current = try view.storedValue(forKey: view.row.snapshot.layout.properties[step.slot].name)
            if let element = step.element { current = (current as? [String: Any])?[element] }
        }
        return current
    }
}

/// What a group is chosen by: the columns that were calculated of it, then the properties of its first row.
private struct GroupResult: KeyValueReadable {
    let columns: [String: Any]
    let view: RowView?

    func storedValue(forKey key: String) throws -> Any? {
        if let value = columns[key] { return value }
        return try view?.storedValue(forKey: key)
    }
}

/// The value of an expression in the type that its description declares.
package enum ResultCoercion {
    package static func value(_ value: Any?, _ type: NSAttributeType) -> Any? {
        guard let value else { return nil }
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return AttributeValues.number(value).map { NSNumber(value: $0.int64Value) } ?? value
        case .doubleAttributeType:
            return AttributeValues.number(value).map { NSNumber(value: ExactDecimal.double($0)) } ?? value
        case .floatAttributeType: return AttributeValues.number(value).map { NSNumber(value: $0.floatValue) } ?? value
        case .decimalAttributeType:
            return AttributeValues.number(value).map { NSDecimalNumber(decimal: ExactDecimal.of($0)) } ?? value
        case .booleanAttributeType: return AttributeValues.number(value).map { NSNumber(value: $0.boolValue) } ?? value
        case .dateAttributeType:
            if value is Date { return value }
            return AttributeValues.number(value).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) } ?? value
        default: return value
        }
    }
}

extension ExpressionSyntax {
    fileprivate static let aggregates: Set = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    /// Whether the expression takes many rows to one value ("sum:", "count:" ...).
    package var isAggregate: Bool {
        switch self {
        case .function(let name, let arguments):
            return Self.aggregates.contains(name) || arguments.contains(where: \.isAggregate)
        case .keyPath(let path): return path.contains("@") && path.hasPrefix("@")
        default: return false
        }
    }
}
