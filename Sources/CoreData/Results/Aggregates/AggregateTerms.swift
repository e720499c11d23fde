// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on groups, and orders of groups, as the closures of a query write them. Aggregates-3.

import CoreDataFoundation
public import Foundation

/// A value of each group, in a condition or an order.
public struct AggregateTerm<Value> {
    let column: AggregateColumn
    let recorder: AggregateRecorder

    /// The order from the least value to the greatest, nil first.
    public var ascending: AggregateOrder { AggregateOrder(column: column, isAscending: true) }
    /// The order from the greatest value to the least, nil last.
    public var descending: AggregateOrder { AggregateOrder(column: column, isAscending: false) }

    private func compared(_ operation: ComparisonSyntax.Operator, _ value: Value) -> AggregateCondition {
        let constant: Any = (value as? any RawRepresentable)?.rawValue ?? value
        return AggregateCondition(
            syntax: .comparison(
                ComparisonSyntax(.variable(recorder.name(of: column)), operation, .constant(constant))),
            readsMeans: column.function == .decimalMean)
    }

    /// Groups with this value.
    public static func == (left: Self, right: Value) -> AggregateCondition { left.compared(.equalTo, right) }
    /// Groups with another value.
    public static func != (left: Self, right: Value) -> AggregateCondition { left.compared(.notEqualTo, right) }
    /// Groups with a lesser value.
    public static func < (left: Self, right: Value) -> AggregateCondition { left.compared(.lessThan, right) }
    /// Groups with a lesser or the same value.
    public static func <= (left: Self, right: Value) -> AggregateCondition { left.compared(.lessThanOrEqualTo, right) }
    /// Groups with a greater value.
    public static func > (left: Self, right: Value) -> AggregateCondition { left.compared(.greaterThan, right) }
    /// Groups with a greater or the same value.
    public static func >= (left: Self, right: Value) -> AggregateCondition {
        left.compared(.greaterThanOrEqualTo, right)
    }
}

/// A condition on groups, from comparisons of terms.
public struct AggregateCondition {
    let syntax: PredicateSyntax
    /// Whether it compares means of decimals, which no store computes.
    let readsMeans: Bool

    /// Both conditions.
    public static func && (left: Self, right: Self) -> Self {
        Self(syntax: .and([left.syntax, right.syntax]), readsMeans: left.readsMeans || right.readsMeans)
    }
    /// At least one of the conditions.
    public static func || (left: Self, right: Self) -> Self {
        Self(syntax: .or([left.syntax, right.syntax]), readsMeans: left.readsMeans || right.readsMeans)
    }
    /// The opposite condition.
    public static prefix func ! (condition: Self) -> Self {
        Self(syntax: .not(condition.syntax), readsMeans: condition.readsMeans)
    }
}

/// An order of groups by one of their values.
public struct AggregateOrder {
    let column: AggregateColumn
    let isAscending: Bool
}

/// The values by which groups are chosen and sorted: counts, sums, averages, extremes.
public struct AggregateTerms<Root> {
    private let recorder: AggregateRecorder

    init(_ recorder: AggregateRecorder) { self.recorder = recorder }

    /// The number of objects.
    public var count: AggregateTerm<Int> { term(.count, nil) }

    /// The number of objects with a value.
    public func count<Value>(_ path: KeyPath<Root, Value>) -> AggregateTerm<Int> { term(.count, path) }

    /// The sum; 0 for no values.
    public func sum<Value: AggregateNumber>(_ path: KeyPath<Root, Value>) -> AggregateTerm<Value> { term(.sum, path) }

    /// The sum of the values that are not nil; 0 for no values.
    public func sum<Value: AggregateNumber>(_ path: KeyPath<Root, Value?>) -> AggregateTerm<Value> { term(.sum, path) }

    /// The mean; nil for no values.
    public func average<Value: AggregateNumber>(_ path: KeyPath<Root, Value>) -> AggregateTerm<Double> {
        term(.average, path)
    }

    /// The mean of the values that are not nil; nil for no values.
    public func average<Value: AggregateNumber>(_ path: KeyPath<Root, Value?>) -> AggregateTerm<Double> {
        term(.average, path)
    }

    /// The exact mean of decimals, to 38 digits; nil for no values.
    public func average(_ path: KeyPath<Root, Decimal>) -> AggregateTerm<Decimal> { mean(path) }

    /// The exact mean of the decimals that are not nil, to 38 digits; nil for no values.
    public func average(_ path: KeyPath<Root, Decimal?>) -> AggregateTerm<Decimal> { mean(path) }

    private func mean(_ path: AnyKeyPath) -> AggregateTerm<Decimal> {
        AggregateTerm(column: recorder.noteMean(path), recorder: recorder)
    }

    /// The least value; nil for no values.
    public func min<Value: Comparable>(_ path: KeyPath<Root, Value>) -> AggregateTerm<Value> { term(.min, path) }

    /// The least of the values that are not nil; nil for no values.
    public func min<Value: Comparable>(_ path: KeyPath<Root, Value?>) -> AggregateTerm<Value> { term(.min, path) }

    /// The greatest value; nil for no values.
    public func max<Value: Comparable>(_ path: KeyPath<Root, Value>) -> AggregateTerm<Value> { term(.max, path) }

    /// The greatest of the values that are not nil; nil for no values.
    public func max<Value: Comparable>(_ path: KeyPath<Root, Value?>) -> AggregateTerm<Value> { term(.max, path) }

    private func term<Value>(_ function: AggregateColumn.Function, _ path: AnyKeyPath?) -> AggregateTerm<Value> {
        AggregateTerm(column: recorder.note(function, path), recorder: recorder)
    }
}

extension AggregateRecorder {
    /// The name of a column in the store's answer. No attribute has one with a space.
    func name(of column: AggregateColumn) -> String {
        if let mean = means.firstIndex(of: column) { return "mean \(mean)" }
        return "aggregate \(columns.firstIndex(of: column) ?? columns.count)"
    }
}
