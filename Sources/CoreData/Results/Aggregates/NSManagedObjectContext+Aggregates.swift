// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts, sums and extremes of objects, and of groups of objects.

import CoreDataFoundation
public import Foundation

/// One group of objects: the values that its objects share, and the result of the closure of the query.
public struct AggregateGroup<Key, Value> {
    /// The value of the key path by which the objects were grouped; a tuple for two key paths.
    public let key: Key
    /// The result of the closure.
    public let value: Value
}

extension AggregateGroup: Sendable where Key: Sendable, Value: Sendable {}

extension NSManagedObjectContext {
    /// Returns counts, sums and extremes of the objects that match a predicate.
    ///
    /// ```swift
    /// let (count, longest) = try context.aggregate(Memo.self, where: #Predicate { $0.isPinned }) {
    ///     ($0.count, $0.max(\.title))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: a class with an entity in the context's model.
    ///   - predicate: nil for all objects of the entity.
    ///   - values: makes the result. It is called twice: first to learn the columns, with counts of 0 and no values.
    ///     So it reads the same columns each time.
    /// - Throws: an `AggregateError` for a key path that is no stored property, and for a value of another type; 134060
    ///   for names and functions that do not fit the model, as `fetch(_:)`.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement for each store; no objects are made. If unsaved changes of this context or its
    ///   parents may affect the result, or the predicate calls code, the matching objects are fetched, and the values
    ///   are computed in memory.
    /// - SeeAlso: `NSFetchRequest.propertiesToGroupBy`, which this method uses.
    public func aggregate<Root: NSManagedObject, Value>(
        _ type: Root.Type, where predicate: Foundation.Predicate<Root>? = nil,
        _ values: (AggregateValues<Root>) throws -> Value
    ) throws -> Value {
        try aggregate(matching(predicate), named: KeyPathNames.name, values: values)
    }

    /// Returns counts, sums and extremes of groups of objects, which share the value of a key path.
    ///
    /// ```swift
    /// let folders = try context.aggregate(
    ///     Memo.self, by: \.folder?.name, having: { $0.count > 1 }, sort: { [$0.count.descending] }, limit: 10
    /// ) { (count: $0.count, newest: $0.max(\.created)) }
    /// for group in folders { print(group.key ?? "no folder", group.value.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: a class with an entity in the context's model.
    ///   - predicate: nil for all objects of the entity.
    ///   - key: the key path by which objects are grouped: an attribute, also along to-one relationships.
    ///   - having: the condition that groups meet; nil for all groups.
    ///   - sort: the order of the groups; groups that it leaves equal are in the order of their keys.
    ///   - limit: the greatest number of groups; nil for all.
    ///   - values: makes the value of a group. It is called first to learn the columns, and then for each group.
    /// - Throws: as the query without groups.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement, which groups, applies `having`, sorts and cuts. With several stores, and for
    ///   orders by means of decimals, the groups are sorted and cut in memory. Unsaved changes as for the query without
    ///   groups.
    public func aggregate<Root: NSManagedObject, Key, Value>(
        _ type: Root.Type, where predicate: Foundation.Predicate<Root>? = nil, by key: KeyPath<Root, Key>,
        having: ((AggregateTerms<Root>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<Root>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<Root>) throws -> Value
    ) throws -> [AggregateGroup<Key, Value>] {
        try aggregate(
            type, where: predicate, by: .value(key), having: having, sort: sort, limit: limit, values)
    }

    /// Groups objects by a part of a date, such as its month.
    ///
    /// ```swift
    /// let months = try context.aggregate(Memo.self, by: .month(\.created, in: calendar)) { $0.count }
    /// for month in months { print(month.key ?? "no date", month.value) }
    /// ```
    ///
    /// The parameters are those of the query with a key path; the key is a part of a date, or a value.
    public func aggregate<Root: NSManagedObject, Key, Value>(
        _ type: Root.Type, where predicate: Foundation.Predicate<Root>? = nil, by key: AggregateKey<Root, Key>,
        having: ((AggregateTerms<Root>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<Root>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<Root>) throws -> Value
    ) throws -> [AggregateGroup<Key, Value>] {
        try aggregate(
            matching(predicate), named: KeyPathNames.name, by: [key.untyped], having: having, sort: sort, limit: limit,
            key: { AggregateDecoding.key($0[0], as: Key.self) }, values: values)
    }

    /// Groups objects that share the values of two key paths.
    ///
    /// - SeeAlso: the query with one key path.
    public func aggregate<Root: NSManagedObject, First, Second, Value>(
        _ type: Root.Type, where predicate: Foundation.Predicate<Root>? = nil,
        by first: KeyPath<Root, First>, _ second: KeyPath<Root, Second>,
        having: ((AggregateTerms<Root>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<Root>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<Root>) throws -> Value
    ) throws -> [AggregateGroup<(First, Second), Value>] {
        try aggregate(
            type, where: predicate, by: .value(first), .value(second), having: having, sort: sort, limit: limit, values)
    }

    /// Groups objects by two values or parts of dates.
    ///
    /// ```swift
    /// let pairs = try context.aggregate(
    ///     Memo.self, by: .value(\.folder?.name), .month(\.created, in: calendar)
    /// ) { $0.count }
    /// ```
    ///
    /// - SeeAlso: the query with one key path.
    public func aggregate<Root: NSManagedObject, First, Second, Value>(
        _ type: Root.Type, where predicate: Foundation.Predicate<Root>? = nil,
        by first: AggregateKey<Root, First>, _ second: AggregateKey<Root, Second>,
        having: ((AggregateTerms<Root>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<Root>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<Root>) throws -> Value
    ) throws -> [AggregateGroup<(First, Second), Value>] {
        try aggregate(
            matching(predicate), named: KeyPathNames.name, by: [first.untyped, second.untyped], having: having,
            sort: sort, limit: limit, key: { AggregatePair.key($0) }, values: values)
    }

    private func matching<Root: NSManagedObject>(_ predicate: Foundation.Predicate<Root>?) throws
        -> NSFetchRequest<NSManagedObject>
    {
        ObjectClasses.register(Root.self)
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = Root.entity()
        guard let predicate else { return request }
        do {
            request.predicate = try NSPredicate.converting(predicate)
        } catch {
            throw AggregateError(.unsupportedPredicate, entity: request.entityName ?? "", error.description)
        }
        return request
    }
}

/// The keys of groups by two key paths.
package enum AggregatePair {
    package static func key<First, Second>(_ values: [Any?]) -> (First, Second)? {
        guard let first = AggregateDecoding.key(values[0], as: First.self),
            let second = AggregateDecoding.key(values[1], as: Second.self)
        else { return nil }
        return (first, second)
    }
}

extension NSManagedObjectContext {
    /// The query without groups.
    package func aggregate<Root, T: NSManagedObject, Value>(
        _ request: NSFetchRequest<T>, named name: @escaping (AnyKeyPath) -> String?,
        values: (AggregateValues<Root>) throws -> Value
    ) throws -> Value {
        let groups = try aggregate(request, named: name, by: [], key: { _ in () }, values: values)
        if let group = groups.first { return group.value }
        // Without a store there is no answer: no objects.
        return try values(AggregateValues(AggregateRecorder(request.entityName ?? "", name), nil))
    }

    /// The query of all faces.
    ///
    /// - Parameters:
    ///   - request: entity, predicate and stores.
    ///   - name: the name of a key path.
    ///   - key: makes the key of a group; nil for values of other types.
    package func aggregate<Root, T: NSManagedObject, Key, Value>(
        _ request: NSFetchRequest<T>, named name: @escaping (AnyKeyPath) -> String?, by keys: [UntypedAggregateKey],
        having: ((AggregateTerms<Root>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<Root>) -> [AggregateOrder])? = nil, limit: Int? = nil, key: ([Any?]) -> Key?,
        values: (AggregateValues<Root>) throws -> Value
    ) throws -> [AggregateGroup<Key, Value>] {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        let recorder = AggregateRecorder(request.entityName ?? "", name)
        let keys = keys.enumerated().map { AggregateKeyColumn($1, at: $0, recorder) }
        let condition = having?(AggregateTerms(recorder))
        let orders = sort?(AggregateTerms(recorder)) ?? []
        _ = try values(AggregateValues(recorder, nil))
        // A query needs a column, and groups need none.
        if recorder.columns.isEmpty, keys.isEmpty { _ = recorder.note(.count, nil) }
        if let limit, limit < 0 { recorder.fail(.invalidLimit, "its limit is negative.") }
        if let failure = recorder.failure { throw failure }
        let execution = AggregateExecution(
            context: self, request: NSFetchRequest<NSManagedObject>(of: request), keys: keys, recorder: recorder,
            condition: condition, orders: orders, limit: limit)
        let rows: [AggregateRow]
        do {
            rows = try state.observing(.fetch, request.entityName, rows: { $0.count }) {
                AggregateSorting(orders).sorted(try execution.rows())
            }
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
        return try rows.prefix(limit ?? rows.count).map { row in
            guard let key = key(row.key) else {
                throw AggregateError(
                    .unsupportedType, entity: request.entityName ?? "",
                    property: keys.map(\.path).joined(separator: ", "),
                    "a value of the key does not fit into \(Key.self).")
            }
            let value = try values(AggregateValues(recorder, row))
            if let failure = recorder.failure { throw failure }
            return AggregateGroup(key: key, value: value)
        }
    }
}

/// Sorts groups: by values, then by keys, so that all stores give one order.
private struct AggregateSorting {
    private let orders: [AggregateOrder]

    init(_ orders: [AggregateOrder]) { self.orders = orders }

    func sorted(_ rows: [AggregateRow]) -> [AggregateRow] { rows.sorted { isBefore($0, $1) } }

    private func isBefore(_ one: AggregateRow, _ other: AggregateRow) -> Bool {
        for order in orders {
            let result = Self.compare(one.values[order.column], other.values[order.column])
                .directed(ascending: order.isAscending)
            if result != .orderedSame { return result == .orderedAscending }
        }
        for (left, right) in zip(one.key, other.key) {
            let result = Self.compare(left, right)
            if result != .orderedSame { return result == .orderedAscending }
        }
        return false
    }

    private static func compare(_ one: Any?, _ other: Any?) -> ComparisonResult {
        SortComparison.standard.order(ComparableValue(one), ComparableValue(other))
    }
}
