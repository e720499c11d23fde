// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts constants to the type of the attributes that they are compared with: text to the number or UUID that it
// spells, numbers to text.

import CoreDataFoundation
import Foundation

/// `number == '1'` means the number 1, `name == 1` the text '1', and `id == '…'` the UUID with this text, in every
/// store and for unsaved objects. A database would convert such constants by different rules, and compare text that
/// spells no number as greater than all numbers.
struct ConstantConversion {
    let paths: KeyPathResolver
    /// The columns of dictionaries, for a condition on groups, which may also compare functions.
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
            if let family = family(of: comparison.left, from: layout, variables) {
                comparison.right = read(comparison.right, as: family, comparison.operation)
            }
            if let family = family(of: comparison.right, from: layout, variables) {
                comparison.left = read(comparison.left, as: family, comparison.operation)
            }
            return .comparison(comparison)
        }
    }

    /// An expression, with its subqueries and conditional expressions converted in the same way.
    func read(_ expression: ExpressionSyntax, from layout: EntityLayout) -> ExpressionSyntax {
        conditions(in: expression, from: layout, [:])
    }

    private func conditions(
        in expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout]
    ) -> ExpressionSyntax {
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey, .aggregate: return expression
        case .keyPath(let path): return paths.pathInside(path, from: layout).map { .keyPath($0) } ?? expression
        default: break
        }
        return expression.mapping { part in
            switch part {
            case .keyPath(let path), .keyPathOn(.evaluatedObject, let path):
                return paths.pathInside(path, from: layout).map { .keyPath($0) }
            case .keyPathOn(.variable(let name), let path):
                return variables[name].flatMap { paths.pathInside(path, from: $0) }
                    .map { .keyPathOn(.variable(name), $0) }
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

    /// A key path, and the entity at its beginning; nil for other expressions.
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

    // MARK: Kinds

    /// The kind of the values of a key path, or of a column; nil for other expressions.
    private func family(
        of expression: ExpressionSyntax, from layout: EntityLayout, _ variables: [String: EntityLayout]
    ) -> ValueFamily? {
        if let columns, let family = family(of: expression, in: columns, from: layout) { return family }
        guard let (path, _) = resolve(expression, from: layout, variables), path.tail == .value else { return nil }
        return family(at: path.steps)
    }

    private func family(at steps: [PathStep]) -> ValueFamily? {
        guard let last = steps.last, last.element == nil,
            let attribute = paths.model.layouts[last.layoutIndex].properties[last.slot] as? NSAttributeDescription
        else { return nil }
        return ValueFamily(attribute)
    }

    /// nil unless the expression is a column, by its name, or a function on the rows of a group.
    private func family(
        of expression: ExpressionSyntax, in columns: [DictionaryRequest.Column], from layout: EntityLayout
    ) -> ValueFamily? {
        switch expression {
        case .variable(let name), .keyPath(let name):
            guard let column = columns.first(where: { $0.name == name }) else { return nil }
            switch column.value {
            case .objectID, .datePart: return nil
            case .property(let steps): return family(at: steps)
            case .expression(let expression):
                if let type = column.resultType { return ValueFamily(type) }
                // Columns cannot refer to each other.
                return ConstantConversion(paths: paths, columns: []).family(of: expression, from: layout, [:])
            }
        case .function("count:", _), .function("sum:", _), .function("average:", _): return .number
        case .function("min:", let arguments), .function("max:", let arguments):
            return arguments.count == 1 ? family(of: arguments[0], from: layout, [:]) : nil
        default: return nil
        }
    }

    // MARK: Constants

    private func read(_ expression: ExpressionSyntax, as family: ValueFamily, _ operation: ComparisonSyntax.Operator)
        -> ExpressionSyntax
    {
        switch expression {
        case .constant(let value?):
            if let members = value as? [Any] {
                guard members.contains(where: { Self.isConvertible($0, family) }) else { return expression }
                return .constant(members.map { Self.read($0, as: family, operation) })
            }
            guard !Self.isConvertible(value, family) else { return .constant(Self.read(value, as: family, operation)) }
            switch ComparableValue(value) {
            case .object, .other: break
            default: return expression
            }
            // Members of a set.
            guard let members = expression.listElements else { return expression }
            return read(.aggregate(members), as: family, operation)
        case .aggregate(let members): return .aggregate(members.map { read($0, as: family, operation) })
        default: return expression
        }
    }

    /// Whether a constant can be converted to a kind of values, or already is of that kind.
    private static func isConvertible(_ value: Any, _ family: ValueFamily) -> Bool {
        switch family {
        case .number, .uuid: value is String
        case .text: !(value is String) && ValueFamily(value: value) == .number
        case .date, .data, .url: false
        }
    }

    private static func read(_ value: Any, as family: ValueFamily, _ operation: ComparisonSyntax.Operator) -> Any {
        guard isConvertible(value, family) else { return value }
        switch (family, operation) {
        case (.number, .beginsWith), (.number, .endsWith), (.number, .contains), (.number, .like), (.number, .matches),
            (.number, .custom):
            return value
        case (.number, _): return number(value, [.equalTo, .notEqualTo, .in].contains(operation))
        case (.uuid, _): return (value as? String).flatMap { UUID(uuidString: $0) } ?? value
        default: return AttributeValues.number(value)?.stringValue ?? value
        }
    }

    /// Text that spells no number equals none, and NaN is neither less nor greater than any number.
    private static func number(_ value: Any, _ isEquality: Bool) -> Any {
        guard let text = value as? String else { return value }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let integer = Int64(trimmed) { return NSNumber(value: integer) }
        // Swift reads hexadecimal numbers, too.
        let real = trimmed.lowercased().contains("x") ? nil : Double(trimmed)
        if let real, real.isFinite { return NSNumber(value: real) }
        return isEquality ? value : NSNumber(value: Double.nan)
    }
}
