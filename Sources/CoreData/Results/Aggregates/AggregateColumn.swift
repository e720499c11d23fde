// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns of an aggregate query: functions of the rows of each group. Aggregates-2.

import CoreDataFoundation
import Foundation

/// A function over the objects of a group.
struct AggregateColumn: Hashable {
    enum Function: String {
        /// Of objects, or of values that are not nil.
        case count = "count:"
        case sum = "sum:"
        case average = "average:"
        case min = "min:"
        case max = "max:"
        /// The mean of decimals, computed of their sum and their number: no store divides decimals as memory does.
        case decimalMean
    }

    let function: Function
    /// nil for a count of objects.
    let path: String?

    var expression: ExpressionSyntax {
        .function(name: function.rawValue, arguments: [path.map { .keyPath($0) } ?? .evaluatedObject])
    }
}

/// Collects the columns that closures of a query use, in order.
final class AggregateRecorder {
    private let entity: String
    private let name: (AnyKeyPath) -> String?
    private(set) var columns: [AggregateColumn] = []
    /// Means of decimals: no columns of the stores.
    private(set) var means: [AggregateColumn] = []
    /// The first fault.
    private(set) var failure: AggregateError?

    init(_ entity: String, _ name: @escaping (AnyKeyPath) -> String?) {
        self.entity = entity
        self.name = name
    }

    /// The name of a key path; an empty one, and a failure, if it has none.
    func name(of path: AnyKeyPath) -> String {
        if let name = name(path), !name.isEmpty { return name }
        fail(.unnamedKeyPath, property: "\(path)", "\(path) is no stored property, so no store knows its values.")
        return ""
    }

    func note(_ function: AggregateColumn.Function, _ path: AnyKeyPath?) -> AggregateColumn {
        let column = AggregateColumn(function: function, path: path.map { name(of: $0) })
        if !columns.contains(column) { columns.append(column) }
        return column
    }

    func noteMean(_ path: AnyKeyPath) -> AggregateColumn {
        let (sum, _) = (note(.sum, path), note(.count, path))
        let mean = AggregateColumn(function: .decimalMean, path: sum.path)
        if !means.contains(mean) { means.append(mean) }
        return mean
    }

    func fail(_ reason: AggregateError.Reason, property: String? = nil, _ sentence: String) {
        if failure == nil { failure = AggregateError(reason, entity: entity, property: property, sentence) }
    }
}

/// One group: the values of its key and of its columns.
struct AggregateRow {
    let key: [Any?]
    var values: [AggregateColumn: Any]

    /// Computes the mean of the decimals of a column from their sum and their number.
    mutating func addMean(_ mean: AggregateColumn) throws {
        let sum = values[AggregateColumn(function: .sum, path: mean.path)].flatMap(AttributeValues.number)
        let count = values[AggregateColumn(function: .count, path: mean.path)].flatMap(AttributeValues.number)
        guard let sum, let count, count.intValue > 0 else { return }
        let quotient = ExpressionSyntax.function(
            name: "divide:by:",
            arguments: [.constant(NSDecimalNumber(decimal: ExactDecimal.of(sum))), .constant(count)])
        values[mean] = try ExpressionEvaluator.value(of: quotient, object: nil)
    }
}
