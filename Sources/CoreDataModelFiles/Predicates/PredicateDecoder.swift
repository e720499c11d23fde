// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decodes predicates and expressions from Foundation's archives.

import Foundation
import PredicateLanguage

/// Every visited object counts against the archive's budget, so that shared parts cannot multiply the work.
struct PredicateDecoder {
    private static let maximumDepth = 64
    let archive: KeyedArchive

    func predicate(_ node: PropertyListNode?) throws -> PredicateSyntax? {
        guard let object = try archive.object(node) else { return nil }
        return try predicate(object, depth: 0)
    }

    func expression(_ node: PropertyListNode?) throws -> ExpressionSyntax? {
        guard let object = try archive.object(node) else { return nil }
        return try expression(object, depth: 0)
    }

    private func predicate(_ object: KeyedArchive.Object, depth: Int) throws -> PredicateSyntax {
        try check(depth)
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate":
            let type = try archive.integer(object, "NSCompoundPredicateType")
            let parts = try (archive.members(object, "NSSubpredicates") ?? []).map { part in
                guard let part = try archive.object(part) else {
                    throw archive.wrong(object, "NSSubpredicates", "a list")
                }
                return try predicate(part, depth: depth + 1)
            }
            switch type {
            case 0: return .not(parts.first ?? .constant(true))
            case 1: return .and(parts)
            case 2: return .or(parts)
            default: throw archive.wrong(object, "NSCompoundPredicateType", "a kind of combination")
            }
        case "NSComparisonPredicate": return try comparison(object, depth: depth)
        default: throw unsupported(object)
        }
    }

    private func comparison(_ object: KeyedArchive.Object, depth: Int) throws -> PredicateSyntax {
        let left = try side(object, "NSLeftExpression", depth)
        let right = try side(object, "NSRightExpression", depth)
        guard let operation = try archive.object(object, "NSPredicateOperator") else {
            throw archive.wrong(object, "NSPredicateOperator", "an operator")
        }
        let type = try archive.integer(operation, "NSOperatorType") ?? -1
        let modifier = try archive.integer(operation, "NSModifier") ?? 0
        guard let comparison = UInt(exactly: type).flatMap(ComparisonSyntax.Operator.init), comparison != .custom,
            let modifier = UInt(exactly: modifier).flatMap(ComparisonSyntax.Modifier.init)
        else { throw unsupported(operation) }
        let options = try archive.integer(operation, "NSFlags") ?? archive.integer(operation, "NSOptions") ?? 0
        return .comparison(
            ComparisonSyntax(
                left, comparison, right, modifier: modifier,
                options: ComparisonSyntax.Options(rawValue: UInt(options & 7))))
    }

    private func side(_ object: KeyedArchive.Object, _ key: String, _ depth: Int) throws -> ExpressionSyntax {
        guard let part = try archive.object(object, key) else { throw archive.wrong(object, key, "an expression") }
        return try expression(part, depth: depth + 1)
    }

    private func expression(_ object: KeyedArchive.Object, depth: Int) throws -> ExpressionSyntax {
        try check(depth)
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSAnyKeyExpression": return .anyKey
        case "NSVariableExpression": return .variable(try archive.requiredString(object, "NSVariable"))
        case "NSConstantValueExpression":
            guard let value = try archive.value(object.fields["NSConstantValue"]) else { throw unsupported(object) }
            // Words such as FIRST are known as strings of Swift, as in a tree that comes from text.
            if case .string(let string) = value { return .constant(string) }
            return .constant(value)
        case "NSKeyPathSpecifierExpression": return .keyPath(try archive.requiredString(object, "NSKeyPath"))
        case "NSKeyPathExpression": return try keyPath(object, depth: depth)
        case "NSFunctionExpression": return try function(object, depth: depth)
        case "NSAggregateExpression":
            // The key of an aggregate's collection is unknown, so its only collection is found under any key.
            for key in object.fields.keys.sorted() where key != "$class" {
                if let part = try? archive.object(object, key), part.className.hasSuffix("Array") {
                    return .aggregate(try list(object, key, depth))
                }
            }
            throw unsupported(object)
        case "NSSubqueryExpression": return try subquery(object, depth: depth)
        case "NSTernaryExpression":
            guard let condition = try archive.object(object, "NSPredicate") else { throw unsupported(object) }
            let (first, second) = (
                try side(object, "NSTrueExpression", depth), try side(object, "NSFalseExpression", depth)
            )
            return .conditional(try predicate(condition, depth: depth + 1), first, second)
        case "NSSetExpression":
            let operation = try setOperation(object)
            let (left, right) = (
                try side(object, "NSLeftExpression", depth), try side(object, "NSRightExpression", depth)
            )
            return .setOperation(operation, left, right)
        case "NSFetchRequestExpression":
            let (request, context) = (
                try side(object, "NSFRExpression", depth), try side(object, "NSMOCExpression", depth)
            )
            let countsOnly = try archive.flag(object, "NSCountOnlyFlag")
            return .function(name: PredicateFunctions.fetch, arguments: [request, context, .constant(countsOnly)])
        default: throw unsupported(object)
        }
    }

    /// Numbers of Foundation's expression types.
    private func setOperation(_ object: KeyedArchive.Object) throws -> ExpressionSyntax.SetOperation {
        switch try archive.integer(object, "NSExpressionType") {
        case 5: return .union
        case 6: return .intersection
        case 7: return .minus
        default: throw unsupported(object)
        }
    }

    /// `valueForKey:` or `valueForKeyPath:`, called on the object or on the value of another expression.
    private func keyPath(_ object: KeyedArchive.Object, depth: Int) throws -> ExpressionSyntax {
        if let path = try archive.string(object, "NSKeyPath") { return .keyPath(path) }
        let path: String
        switch try list(object, "NSArguments", depth).first {
        case .keyPath(let text)?: path = text
        case .constant(let text as String)?: path = text
        default: throw archive.wrong(object, "NSArguments", "a key path")
        }
        return PredicateParser.path(path, on: try side(object, "NSOperand", depth))
    }

    private func function(_ object: KeyedArchive.Object, depth: Int) throws -> ExpressionSyntax {
        let selector = try archive.requiredString(object, "NSSelectorName")
        let arguments = try list(object, "NSArguments", depth)
        if let operand = try archive.object(object, "NSOperand"), operand.className == "NSConstantValueExpression",
            try archive.string(operand, "NSConstantValueClassName") == "_NSPredicateUtilities"
        {
            return .calling(selector, arguments)
        }
        return .function(
            name: PredicateFunctions.call,
            arguments: [try side(object, "NSOperand", depth), .constant(selector)] + arguments
        )
    }

    /// The keys of a subquery's parts are unknown, so the parts are identified by type.
    private func subquery(_ object: KeyedArchive.Object, depth: Int) throws -> ExpressionSyntax {
        var (collection, variable, condition): (ExpressionSyntax?, String?, PredicateSyntax?)
        for (key, node) in object.fields.sorted(by: { $0.key < $1.key }) {
            guard key != "$class", case .reference = node else { continue }
            if let name = try archive.text(node) {
                variable = name
                continue
            }
            guard let part = try archive.object(node) else { continue }
            if part.className.hasSuffix("Predicate") {
                condition = try predicate(part, depth: depth + 1)
            } else if part.className == "NSVariableExpression", variable == nil, object.fields["NSVariable"] == nil {
                variable = try archive.requiredString(part, "NSVariable")
            } else {
                collection = try expression(part, depth: depth + 1)
            }
        }
        guard let collection, let variable, let condition else { throw unsupported(object) }
        return .subquery(collection: collection, variable: variable, predicate: condition)
    }

    private func list(_ object: KeyedArchive.Object, _ key: String, _ depth: Int) throws -> [ExpressionSyntax] {
        try (archive.members(object, key) ?? []).map { member in
            guard let part = try archive.object(member) else { throw archive.wrong(object, key, "expressions") }
            return try expression(part, depth: depth + 1)
        }
    }

    private func check(_ depth: Int) throws {
        guard depth < Self.maximumDepth else { throw KeyedArchive.damaged("a predicate is nested without end") }
    }

    private func unsupported(_ object: KeyedArchive.Object) -> ModelFileError {
        ModelFileError(
            .unsupportedForm, "The model holds a \(object.className) of a form that predicates cannot have here.")
    }
}
