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

    func fail(_ reason: AggregateError.Reason, property: String? = nil, _ sentence: String) {
        if failure == nil { failure = AggregateError(reason, entity: entity, property: property, sentence) }
    }
}

/// One group: the values of its key and of its columns.
struct AggregateRow {
    let key: [Any?]
    let values: [AggregateColumn: Any]
}
