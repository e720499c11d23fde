// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Distinguishes functions over the rows of a group from those over the members of one row.

import CoreDataFoundation

/// `max:(age)` in a column of dictionaries is one value of all rows; `max:(reports.age)` is one for each row.
package struct RowAggregates {
    private static let names: Set = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    private let layout: EntityLayout
    private let paths: KeyPathResolver

    package init(_ layout: EntityLayout, _ model: ModelLayout) {
        self.layout = layout
        paths = KeyPathResolver(model: model)
    }

    /// The argument of a function that runs over rows; nil for all other expressions.
    package func argument(of expression: ExpressionSyntax) -> ExpressionSyntax? {
        guard case .function(let name, let arguments) = expression, Self.names.contains(name), arguments.count == 1
        else { return nil }
        switch arguments[0] {
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path):
            if includesToMany(path) { return nil }
        // A list, a subquery and a union are values of one row.
        case .aggregate, .subquery, .setOperation, .variable, .keyPathOn: return nil
        case .constant(let value?): if ExpressionSyntax.constant(value).listElements != nil { return nil }
        default: break
        }
        return arguments[0]
    }

    /// Whether the expression reduces many rows to one value.
    package func takesRows(_ expression: ExpressionSyntax) -> Bool {
        if case .keyPath(let path) = expression, path.hasPrefix("@") { return true }
        var found = false
        _ = expression.mapping { part in
            if argument(of: part) != nil { found = true }
            return nil
        }
        return found
    }

    package func takesRows(_ request: DictionaryRequest) -> Bool {
        request.columns.contains { column in
            if case .expression(let expression) = column.value { takesRows(expression) } else { false }
        }
    }

    private func includesToMany(_ path: String) -> Bool {
        guard let resolved = try? paths.resolve(path, from: layout), resolved.tail == .value else { return false }
        return resolved.steps.contains { paths.model.layouts[$0.layoutIndex][$0.slot].kind == .toMany }
    }
}
