// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of one group, as the closure of a query reads them. Aggregates-2.

import CoreDataFoundation
public import Foundation

/// A number that a query can add up.
public protocol AggregateNumber: Sendable {
    /// The sum of no values.
    static var zero: Self { get }
}

extension Int: AggregateNumber {}
extension Int16: AggregateNumber {}
extension Int32: AggregateNumber {}
extension Int64: AggregateNumber {}
extension Double: AggregateNumber {}
extension Float: AggregateNumber {}
extension Decimal: AggregateNumber {}

/// The values of one group of objects: counts, sums, averages, extremes.
///
/// `NSManagedObjectContext.aggregate(_:where:by:having:sort:limit:_:)` calls its closure once to learn the columns, and
/// then for each group. So the closure reads the same columns each time.
///
/// - Important: use it only inside of the closure.
public struct AggregateValues<Root> {
    private let recorder: AggregateRecorder
    /// nil while the columns are collected.
    private let row: AggregateRow?

    init(_ recorder: AggregateRecorder, _ row: AggregateRow?) {
        self.recorder = recorder
        self.row = row
    }

    /// The number of objects.
    public var count: Int { value(.count, nil) ?? 0 }

    /// The number of objects with a value.
    public func count<Value>(_ path: KeyPath<Root, Value>) -> Int { value(.count, path) ?? 0 }

    /// The sum; 0 for no values. Sums of whole numbers and decimals are exact.
    public func sum<Value: AggregateNumber>(_ path: KeyPath<Root, Value>) -> Value { value(.sum, path) ?? .zero }

    /// The sum of the values that are not nil; 0 for no values.
    public func sum<Value: AggregateNumber>(_ path: KeyPath<Root, Value?>) -> Value { value(.sum, path) ?? .zero }

    /// The mean; nil for no values.
    public func average<Value: AggregateNumber>(_ path: KeyPath<Root, Value>) -> Double? { value(.average, path) }

    /// The mean of the values that are not nil; nil for no values.
    public func average<Value: AggregateNumber>(_ path: KeyPath<Root, Value?>) -> Double? { value(.average, path) }

    /// The exact mean of decimals, to 38 digits; nil for no values.
    public func average(_ path: KeyPath<Root, Decimal>) -> Decimal? { mean(path) }

    /// The exact mean of the decimals that are not nil, to 38 digits; nil for no values.
    public func average(_ path: KeyPath<Root, Decimal?>) -> Decimal? { mean(path) }

    /// The least value; nil for no values.
    public func min<Value: Comparable>(_ path: KeyPath<Root, Value>) -> Value? { value(.min, path) }

    /// The least of the values that are not nil; nil for no values.
    public func min<Value: Comparable>(_ path: KeyPath<Root, Value?>) -> Value? { value(.min, path) }

    /// The greatest value; nil for no values.
    public func max<Value: Comparable>(_ path: KeyPath<Root, Value>) -> Value? { value(.max, path) }

    /// The greatest of the values that are not nil; nil for no values.
    public func max<Value: Comparable>(_ path: KeyPath<Root, Value?>) -> Value? { value(.max, path) }

    private func value<Value>(_ function: AggregateColumn.Function, _ path: AnyKeyPath?) -> Value? {
        read { recorder.note(function, path) }
    }

    private func mean(_ path: AnyKeyPath) -> Decimal? { read { recorder.noteMean(path) } }

    private func read<Value>(_ note: () -> AggregateColumn) -> Value? {
        let known = recorder.columns.count + recorder.means.count
        let column = note()
        guard let row else { return nil }
        if recorder.columns.count + recorder.means.count > known {
            recorder.fail(
                .changedColumns, property: column.path,
                "its closure reads a column that it did not read at first. Read all of them before a condition.")
        }
        guard let stored = row.values[column] else { return nil }
        guard let value = AggregateDecoding.value(stored, as: Value.self) else {
            recorder.fail(
                .unsupportedType, property: column.path, "a \(type(of: stored)) does not fit into \(Value.self).")
            return nil
        }
        return value
    }
}
