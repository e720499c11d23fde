// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts, sums and extremes of models, and of groups of models.

public import CoreData
import Foundation

extension ModelContext {
    /// Returns counts, sums and extremes of the models that match a predicate.
    ///
    /// ```swift
    /// let (count, last) = try context.aggregate(Page.self, where: #Predicate { $0.number > 1 }) {
    ///     ($0.count, $0.max(\.number))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: a class of the container's schema.
    ///   - predicate: nil for all models of the class.
    ///   - values: makes the result. It is called twice: first to learn the columns, with counts of 0 and no values.
    /// - Throws: an `AggregateError` for a key path that is no stored property and for a value of another type; as
    ///   `fetch(_:)` for the predicate, and for functions that do not fit a property.
    /// - Important: call on the context's actor.
    /// - Complexity: one statement; no models are made. Unsaved changes that may affect the result are computed in
    ///   memory, with the matching models.
    public func aggregate<T: PersistentModel, Value>(
        _ type: T.Type, where predicate: Predicate<T>? = nil, _ values: (AggregateValues<T>) throws -> Value
    ) throws -> Value {
        try asking(type, predicate) { try below.aggregate($0, named: ModelKeyPaths.name, values: values) }
    }

    /// Returns counts, sums and extremes of groups of models, which share the value of a key path.
    ///
    /// ```swift
    /// let albums = try context.aggregate(
    ///     Page.self, by: \.album?.name, having: { $0.count > 1 }, sort: { [$0.count.descending] }, limit: 10
    /// ) { (count: $0.count, last: $0.max(\.number)) }
    /// for group in albums { print(group.key ?? "no album", group.value.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: a class of the container's schema.
    ///   - predicate: nil for all models of the class.
    ///   - key: the key path by which models are grouped, also along to-one relationships.
    ///   - having: the condition that groups meet; nil for all groups.
    ///   - sort: the order of the groups; groups that it leaves equal are in the order of their keys.
    ///   - limit: the greatest number of groups; nil for all.
    ///   - values: makes the value of a group. It is called first to learn the columns, and then for each group.
    /// - Throws: as the query without groups.
    /// - Important: call on the context's actor.
    /// - Complexity: one statement, which groups, applies `having`, sorts and cuts. For orders by means of decimals the
    ///   groups are sorted and cut in memory.
    public func aggregate<T: PersistentModel, Key, Value>(
        _ type: T.Type, where predicate: Predicate<T>? = nil, by key: KeyPath<T, Key>,
        having: ((AggregateTerms<T>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<T>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<T>) throws -> Value
    ) throws -> [AggregateGroup<Key, Value>] {
        try aggregate(
            type, where: predicate, by: .value(key), having: having, sort: sort, limit: limit, values)
    }

    /// Groups models by a part of a date, such as its month.
    ///
    /// ```swift
    /// let months = try context.aggregate(Memo.self, by: .month(\.created, in: calendar)) { $0.count }
    /// ```
    ///
    /// The parameters are those of the query with a key path; the key is a part of a date, or a value.
    public func aggregate<T: PersistentModel, Key, Value>(
        _ type: T.Type, where predicate: Predicate<T>? = nil, by key: AggregateKey<T, Key>,
        having: ((AggregateTerms<T>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<T>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<T>) throws -> Value
    ) throws -> [AggregateGroup<Key, Value>] {
        try asking(type, predicate) {
            try below.aggregate(
                $0, named: ModelKeyPaths.name, by: [key.untyped], having: having, sort: sort, limit: limit,
                key: { AggregateDecoding.key($0[0], as: Key.self) }, values: values)
        }
    }

    /// Groups models that share the values of two key paths.
    ///
    /// - SeeAlso: the query with one key path.
    public func aggregate<T: PersistentModel, First, Second, Value>(
        _ type: T.Type, where predicate: Predicate<T>? = nil, by first: KeyPath<T, First>, _ second: KeyPath<T, Second>,
        having: ((AggregateTerms<T>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<T>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<T>) throws -> Value
    ) throws -> [AggregateGroup<(First, Second), Value>] {
        try aggregate(
            type, where: predicate, by: .value(first), .value(second), having: having, sort: sort, limit: limit, values)
    }

    /// Groups models by two values or parts of dates.
    ///
    /// - SeeAlso: the query with one key path.
    public func aggregate<T: PersistentModel, First, Second, Value>(
        _ type: T.Type, where predicate: Predicate<T>? = nil, by first: AggregateKey<T, First>,
        _ second: AggregateKey<T, Second>,
        having: ((AggregateTerms<T>) -> AggregateCondition)? = nil,
        sort: ((AggregateTerms<T>) -> [AggregateOrder])? = nil, limit: Int? = nil,
        _ values: (AggregateValues<T>) throws -> Value
    ) throws -> [AggregateGroup<(First, Second), Value>] {
        try asking(type, predicate) {
            try below.aggregate(
                $0, named: ModelKeyPaths.name, by: [first.untyped, second.untyped], having: having, sort: sort,
                limit: limit, key: { AggregatePair.key($0) }, values: values)
        }
    }

    private func asking<T: PersistentModel, Result>(
        _ type: T.Type, _ predicate: Predicate<T>?, _ body: (NSFetchRequest<ModelRow>) throws -> Result
    ) throws -> Result {
        synchronize()
        let descriptor = FetchDescriptor<T>(predicate: predicate)
        let request = try FetchTranslation(descriptor, self).request()
        return try asking(descriptor) { try body(request) }
    }
}
