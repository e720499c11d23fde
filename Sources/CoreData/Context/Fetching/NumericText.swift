// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Text that is compared with attributes of numbers becomes the number that it spells.

import CoreDataFoundation
import Foundation

/// `number == '1'` means the number 1, in every store and for unsaved objects. A database would read the text by rules
/// of its own, and compare text that spells no number as greater than all numbers.
struct NumericText {
    let paths: KeyPathResolver
    /// The columns of dictionaries, for a condition on their groups, which also compares functions.
    var columns: [DictionaryRequest.Column]?

    /// - Parameters:
    ///   - predicate: its key paths have been checked.
    ///   - variables: the entities of the variables of enclosing subqueries.
    func read(_ predicate: PredicateSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout] = [:])
        -> PredicateSyntax
    {
        switch predicate {
        case .constant, .block: return predicate
        case .and(let parts): return .and(parts.map { read($0, from: layout, variables) })
        case .or(let parts): return .or(parts.map { read($0, from: layout, variables) })
        case .not(let part): return .not(read(part, from: layout, variables))
        case .comparison(var comparison):
            comparison.left = conditions(in: comparison.left, from: layout, variables)
            comparison.right = conditions(in: comparison.right, from: layout, variables)
            switch comparison.operation {
            case .beginsWith, .endsWith, .contains, .like, .matches, .custom: return .comparison(comparison)
            default: break
            }
            let isEquality = [.equalTo, .notEqualTo, .in].contains(comparison.operation)
            if leadsToNumber(comparison.left, from: layout, variables) {
                comparison.right = number(comparison.right, isEquality)
            } else if leadsToNumber(comparison.right, from: layout, variables) {
                comparison.left = number(comparison.left, isEquality)
            }
            return .comparison(comparison)
        }
    }

    /// The expression with its subqueries and conditional expressions read likewise.
    private func conditions(
        in expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout]
    ) -> ExpressionSyntax {
        switch expression {
        case .constant, .keyPath, .evaluatedObject, .variable, .anyKey, .aggregate: return expression
        default: break
        }
        return expression.mapping { part in
            switch part {
            case .subquery(let collection, let variable, let predicate):
                var inner = variables
                inner[variable] = resolve(collection, from: layout, variables).flatMap { path, start in
                    paths.destination(of: path.steps, from: start)
                }
                return .subquery(
                    collection: conditions(in: collection, from: layout, variables), variable: variable,
                    predicate: read(predicate, from: layout, inner))
            case .conditional(let condition, let one, let other):
                return .conditional(
                    read(condition, from: layout, variables), conditions(in: one, from: layout, variables),
                    conditions(in: other, from: layout, variables))
            default: return nil
            }
        }
    }

    /// A key path, and the entity that it begins at; nil for other expressions.
    private func resolve(
        _ expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout]
    ) -> (path: ResolvedKeyPath, start: EntityLayout)? {
        let (text, start): (String, EntityLayout?) =
            switch expression {
            case .keyPath(let path), .keyPathOn(.evaluatedObject, let path): (path, layout)
            case .keyPathOn(.variable(let name), let path): (path, variables[name])
            default: ("", nil)
            }
        guard let start, let path = try? paths.resolve(text, from: start) else { return nil }
        return (path, start)
    }

    private func leadsToNumber(
        _ expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout]
    ) -> Bool {
        if let columns, let isNumber = isNumber(expression, in: columns, from: layout) { return isNumber }
        guard let (path, _) = resolve(expression, from: layout, variables), path.tail == .value else { return false }
        return leadsToNumber(path.steps)
    }

    private func leadsToNumber(_ steps: [PathStep]) -> Bool {
        guard let last = steps.last, last.element == nil,
            let attribute = paths.model.layouts[last.layoutIndex].properties[last.slot] as? NSAttributeDescription
        else { return false }
        return ValueFamily(attribute) == .number
    }

    /// nil unless the expression is a column, by its name, or a function on the rows of a group.
    private func isNumber(
        _ expression: ExpressionSyntax, in columns: [DictionaryRequest.Column], from layout: EntityLayout
    ) -> Bool? {
        switch expression {
        case .variable(let name), .keyPath(let name):
            guard let column = columns.first(where: { $0.name == name }) else { return nil }
            switch column.value {
            case .objectID: return false
            case .property(let steps): return leadsToNumber(steps)
            case .expression(let expression):
                if let type = column.resultType { return ValueFamily(type) == .number }
                // Columns know nothing of each other.
                return NumericText(paths: paths, columns: []).leadsToNumber(expression, from: layout, [:])
            }
        case .function("count:", _), .function("sum:", _), .function("average:", _): return true
        case .function("min:", let arguments), .function("max:", let arguments):
            return arguments.allSatisfy { leadsToNumber($0, from: layout, [:]) }
        default: return nil
        }
    }

    private func number(_ expression: ExpressionSyntax, _ isEquality: Bool) -> ExpressionSyntax {
        switch expression {
        case .constant(let value):
            if let members = value as? [Any] {
                guard members.contains(where: { $0 is String }) else { return expression }
                return .constant(members.map { number($0, isEquality) })
            }
            return .constant(value.map { number($0, isEquality) })
        case .aggregate(let members): return .aggregate(members.map { number($0, isEquality) })
        default: return expression
        }
    }

    /// Text that spells no number equals none, and NaN is neither less nor greater than any.
    private func number(_ value: Any, _ isEquality: Bool) -> Any {
        guard let text = value as? String else { return value }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let integer = Int64(trimmed) { return NSNumber(value: integer) }
        // Swift reads hexadecimal numbers, too.
        let real = trimmed.lowercased().contains("x") ? nil : Double(trimmed)
        if let real, real.isFinite { return NSNumber(value: real) }
        return isEquality ? value : NSNumber(value: Double.nan)
    }
}
