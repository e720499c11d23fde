// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates dictionary results from rows in memory: properties, expressions, groups.

import CoreDataFoundation
import Foundation

/// A row, or an object with unsaved changes, of which dictionaries are made.
protocol ShapedRow: NSObject {
    func shapedValue(forKey key: String) throws -> Any?
    /// The representation in dictionaries.
    var shapedResult: AnyHashable { get }
    var shapedLayout: EntityLayout { get }
}

extension RowView: ShapedRow {
    func shapedValue(forKey key: String) throws -> Any? { try storedValue(forKey: key) }

    var shapedResult: AnyHashable { result }

    var shapedLayout: EntityLayout { row.snapshot.layout }
}

/// Dictionary results from rows in memory: properties, expressions, groups.
package struct DictionaryShaping {
    private let request: DictionaryRequest
    private let aggregates: RowAggregates
    private let parts: [DatePart: DatePartReader]

    package init(_ request: DictionaryRequest, of fetch: BoundFetch) {
        self.request = request
        aggregates = RowAggregates(fetch.layout, fetch.model)
        parts = Dictionary(
            request.groupBy.compactMap(\.part).map { ($0, DatePartReader($0)) }, uniquingKeysWith: { $1 })
    }

    /// - Returns: dictionaries in which each object is represented by the graph's `result(for:)`, or by its id.
    func shape<View: ShapedRow>(_ views: [View]) throws -> [[String: Any]] {
        let groups = try groups(views)
        var result: [[String: Any]] = []
        var seen: Set<[AnyHashable]> = []
        for group in groups {
            var values: [String: Any] = [:]
            for column in request.columns {
                if let value = try value(column, group) { values[column.name] = value }
            }
            guard try isChosen(values, group) else { continue }
            let dictionary = values.compactMapValues { Self.given($0, View.self) }
            if request.isDistinct,
                !seen.insert(request.columns.map { Self.key(dictionary[$0.name], View.self) }).inserted
            {
                continue
            }
            result.append(dictionary)
        }
        return result
    }

    private func isChosen<View: ShapedRow>(_ values: [String: Any], _ group: [View]) throws -> Bool {
        guard let having = request.having else { return true }
        let reduced = try having.mapping { try self.reduced($0, group) }
        // A column without a value is nil, not an unknown name.
        var variables = values
        for column in request.columns where values[column.name] == nil { variables[column.name] = NSNull() }
        return try PredicateEvaluator(reduced, variables: variables).matches(
            GroupResult(columns: values, view: group.first))
    }

    private func groups<View: ShapedRow>(_ views: [View]) throws -> [[View]] {
        guard !request.groupBy.isEmpty else {
            if aggregates.takesRows(request) { return [views] }
            return views.map { [$0] }
        }
        var order: [[AnyHashable]] = []
        var groups: [[AnyHashable]: [View]] = [:]
        for view in views {
            let key = try request.groupBy.map { group -> AnyHashable in
                let value =
                    if let part = group.part { try datePart(part, group.path, view) } else {
                        try Self.value(group.path, view)
                    }
                return Self.key(value, View.self)
            }
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(view)
        }
        return order.compactMap { groups[$0] }
    }

    private static func key<View: ShapedRow>(_ value: Any?, _ type: View.Type) -> AnyHashable {
        (value as? View)?.shapedResult ?? ValueKey.of(value) ?? AnyHashable(NoValue())
    }

    /// Represents all nil values. Instances of `NSNull` are equal but have different hash values.
    private struct NoValue: Hashable {}

    // MARK: Values

    private func value<View: ShapedRow>(_ column: DictionaryRequest.Column, _ group: [View]) throws -> Any? {
        switch column.value {
        case .objectID: return group.first
        case .property(let path):
            guard let view = group.first else { return nil }
            let value = try Self.value(path, view)
            return column.resultType.map { ResultCoercion.value(value, $0) } ?? value
        case .datePart(let path, let part): return try group.first.flatMap { try datePart(part, path, $0) }
        case .expression(let expression):
            let reduced = try expression.mapping { try self.reduced($0, group) }
            let object: Any? = aggregates.takesRows(reduced) ? group : group.first
            let value = presentValue(try ExpressionEvaluator.value(of: reduced, object: object, variables: [:]))
            return column.resultType.map { ResultCoercion.value(value, $0) } ?? value
        }
    }

    private func datePart<View: ShapedRow>(_ part: DatePart, _ path: [PathStep], _ view: View) throws -> Any? {
        guard let date = try Self.value(path, view) as? Date else { return nil }
        return parts[part]?.value(of: date)
    }

    /// A value for a dictionary: not a row of the store, and not a collection of rows. nil for a constant object that
    /// the store does not contain.
    private static func given<View: ShapedRow>(_ value: Any, _ type: View.Type) -> Any? {
        switch value {
        case let view as View: return view.shapedResult.base
        case let object as ObjectArgument: return object.isInStore ? object.key : nil
        case let members as DistinctMembers: return members.members.compactMap { given($0, type) }
        case let list as [Any] where list.contains { $0 is ObjectArgument }: return list.compactMap { given($0, type) }
        case let set as NSSet where Swift.type(of: value) is AnyClass && set.contains { $0 is ObjectArgument }:
            return set.allObjects.compactMap { given($0, type) }
        case let set as NSOrderedSet where set.contains { $0 is ObjectArgument }:
            return set.array.compactMap { given($0, type) }
        default: return value
        }
    }

    /// The value of an aggregate function over the rows of a group; nil for any other expression. As in SQL, rows
    /// without a value are ignored.
    private func reduced<View: ShapedRow>(_ expression: ExpressionSyntax, _ group: [View]) throws -> ExpressionSyntax? {
        guard case .function(let name, _) = expression, let values = aggregates.argument(of: expression) else {
            return nil
        }
        let argument = try ReadyExpression(values)
        let present = try group.compactMap { presentValue(try argument.value(of: $0)) }
        let result = ExpressionSyntax.function(name: name, arguments: [.constant(present)])
        return .constant(try ExpressionEvaluator.value(of: result, object: nil))
    }

    private static func value<View: ShapedRow>(_ path: [PathStep], _ view: View) throws -> Any? {
        var current: Any? = view
        for step in path {
            guard let view = current as? View else { return nil }
            current = try view.shapedValue(forKey: view.shapedLayout.properties[step.slot].name)
            if let element = step.element { current = (current as? [String: Any])?[element] }
        }
        return current
    }
}

/// The values by which groups are filtered: the columns computed for the group, then the properties of its first row.
private struct GroupResult: KeyValueReadable {
    let columns: [String: Any]
    let view: (any ShapedRow)?

    func storedValue(forKey key: String) throws -> Any? {
        if let value = columns[key] { return value }
        return try view?.shapedValue(forKey: key)
    }
}
