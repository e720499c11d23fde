// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the names and comparisons of a predicate before a store receives it.

import CoreDataFoundation
import Foundation

/// Looks up every key path of a predicate, so that all stores reject an unknown key in the same way.
struct PathCheck {
    private let paths: KeyPathResolver
    /// Columns of a dictionary that a condition on groups may use.
    private let aliases: Set<String>
    private var values: ComparisonCheck { ComparisonCheck(model: paths.model) }
    private var functions: FunctionCheck { FunctionCheck(model: paths.model) }

    init(_ paths: KeyPathResolver, aliases: Set<String> = []) {
        self.paths = paths
        self.aliases = aliases
    }

    /// - Parameter variables: the entities of the variables of enclosing subqueries.
    func check(_ predicate: PredicateSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout] = [:])
        throws
    {
        switch predicate {
        case .constant, .block: break
        case .and(let parts), .or(let parts): for part in parts { try check(part, from: layout, variables) }
        case .not(let part): try check(part, from: layout, variables)
        case .comparison(let comparison) where comparison.operation == .matching:
            let left = try check(comparison.left, from: layout, variables)
            try check(comparison.right, from: layout, variables)
            try SearchCheck(model: paths.model).check(comparison, left, from: layout, variables)
        case .comparison(let comparison):
            let left = try check(comparison.left, from: layout, variables)
            let right = try check(comparison.right, from: layout, variables)
            if let left { try values.check(left, with: comparison.right, comparison) }
            if let right { try values.check(comparison.left, before: right, comparison) }
        }
    }

    /// - Returns: the property at the end of a key path; nil for all other expressions.
    @discardableResult
    func check(_ expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout] = [:])
        throws -> CheckedPath?
    {
        switch expression {
        case .keyPath(let path): return aliases.contains(path) ? nil : try resolve(path, from: layout)
        case .keyPathOn(.variable(let name), let path):
            return try variables[name].flatMap { try resolve(path, from: $0) }
        case .keyPathOn(.evaluatedObject, let path): return try resolve(path, from: layout)
        case .keyPathOn(let base, _): try check(base, from: layout, variables)
        case .function(let name, let arguments):
            for argument in arguments {
                if let path = try check(argument, from: layout, variables) { try functions.check(name, of: path) }
            }
        case .aggregate(let arguments), .block(_, let arguments):
            for argument in arguments { try check(argument, from: layout, variables) }
        case .subquery(.evaluatedObject, _, _):
            throw CoreDataError.general(
                "SUBQUERY looks at the members of a to-many relationship, and SELF is one '\(layout.name)': name a relationship in its "
                    + "place, or compare properties of SELF without SUBQUERY.")
        case .subquery(let collection, let variable, let predicate):
            let members = try check(collection, from: layout, variables)
            var inner = variables
            inner[variable] = members.flatMap { paths.destination(of: $0.path.steps, from: $0.layout) }
            try check(predicate, from: layout, inner)
        case .setOperation(_, let one, let other):
            try check(one, from: layout, variables)
            try check(other, from: layout, variables)
        case .conditional(let condition, let one, let other):
            try check(condition, from: layout, variables)
            try check(one, from: layout, variables)
            try check(other, from: layout, variables)
        case .index(let base, _): try check(base, from: layout, variables)
        case .constant, .evaluatedObject, .variable, .anyKey: break
        }
        return nil
    }

    /// nil for a path into a value: its kind is that of each row's value.
    private func resolve(_ path: String, from layout: EntityLayout) throws -> CheckedPath? {
        if paths.pathInside(path, from: layout) != nil { return nil }
        let checked = CheckedPath(path: try paths.resolve(path, from: layout), text: path, layout: layout)
        try functions.check(checked)
        return checked
    }
}
