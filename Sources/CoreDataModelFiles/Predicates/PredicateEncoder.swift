// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Encodes predicates and expressions like Foundation's archives.

import Foundation
import PredicateLanguage

/// The numbers in `NSExpressionType` are those of Foundation's expression types.
enum PredicateEncoder {
    static func predicate(_ text: String, _ archive: inout KeyedArchiveBuilder) throws -> PropertyListNode {
        try encode(ModelPredicate.predicate(text), &archive)
    }

    static func expression(_ text: String, _ archive: inout KeyedArchiveBuilder) throws -> PropertyListNode {
        try encode(ModelPredicate.expression(text), &archive)
    }

    private static func encode(_ node: PredicateSyntax, _ archive: inout KeyedArchiveBuilder) throws -> PropertyListNode
    {
        switch node {
        case .constant(let value): return archive.object(value ? "NSTruePredicate" : "NSFalsePredicate", [:])
        case .not(let part): return try compound(0, [part], &archive)
        case .and(let parts): return try compound(1, parts, &archive)
        case .or(let parts): return try compound(2, parts, &archive)
        case .comparison(let comparison):
            let (left, right) = (try encode(comparison.left, &archive), try encode(comparison.right, &archive))
            let operation = try encode(operatorOf: comparison, &archive)
            return archive.object(
                "NSComparisonPredicate",
                ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": operation])
        case .block: throw code()
        }
    }

    private static func compound(
        _ type: Int64, _ parts: [PredicateSyntax], _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        let nodes = try parts.map { try encode($0, &archive) }
        let list = archive.array(nodes)
        return archive.object(
            "NSCompoundPredicate", ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": list])
    }

    private static func code() -> ModelFileError {
        ModelFileError(.unsupportedForm, "A model's predicate holds code, which no file can hold.")
    }

    private static func encode(
        operatorOf comparison: ComparisonSyntax, _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        let type = PropertyListNode.integer(Int64(comparison.operation.rawValue))
        let options = PropertyListNode.integer(Int64(comparison.options.rawValue))
        var fields = ["NSOperatorType": type, "NSModifier": .integer(Int64(comparison.modifier.rawValue))]
        let className: String
        switch comparison.operation {
        case .custom: throw code()
        case .matching:
            throw ModelFileError(
                .unsupportedForm, "A model's predicate has MATCHING, which Apple's compiled models cannot hold.")
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            className = "NSComparisonPredicateOperator"
            fields["NSVariant"] = type
            fields["NSOptions"] = options
        case .equalTo, .notEqualTo:
            className = "NSEqualityPredicateOperator"
            fields["NSNegate"] = .boolean(comparison.operation == .notEqualTo)
            fields["NSOptions"] = options
        case .in, .contains:
            className = "NSInPredicateOperator"
            fields["NSFlags"] = options
        case .between:
            className = "NSBetweenPredicateOperator"
        case .matches:
            className = "NSMatchingPredicateOperator"
            fields["NSFlags"] = options
        case .like:
            className = "NSLikePredicateOperator"
            fields["NSFlags"] = options
        case .beginsWith, .endsWith:
            className = "NSSubstringPredicateOperator"
            fields["NSFlags"] = options
            fields["NSSubstringPosition"] = .integer(comparison.operation == .beginsWith ? 0 : 1)
        }
        return archive.object(className, fields)
    }

    private static func encode(_ node: ExpressionSyntax, _ archive: inout KeyedArchiveBuilder) throws
        -> PropertyListNode
    {
        switch node {
        case .evaluatedObject: return archive.object("NSSelfExpression", ["NSExpressionType": .integer(1)])
        case .anyKey: return archive.object("NSAnyKeyExpression", ["NSExpressionType": .integer(15)])
        case .variable(let name):
            let text = archive.string(name)
            return archive.object("NSVariableExpression", ["NSExpressionType": .integer(2), "NSVariable": text])
        case .constant(let constant):
            let value = try PredicateConstant.value(of: constant)
            let node = value == .null ? KeyedArchiveBuilder.null : archive.value(value)
            return archive.object(
                "NSConstantValueExpression", ["NSExpressionType": .integer(0), "NSConstantValue": node])
        case .keyPath(let path): return try keyPath(nil, path, &archive)
        case .keyPathOn(let base, let path): return try keyPath(base, path, &archive)
        case .function(PredicateFunctions.fetch, let arguments) where arguments.count == 3:
            return try fetch(arguments, &archive)
        case .function(PredicateFunctions.call, let arguments) where arguments.count >= 2:
            guard case .constant(let selector) = arguments[1],
                case .string(let name) = try PredicateConstant.value(of: selector)
            else { throw ModelFileError(.unsupportedForm, "A FUNCTION of a predicate has no selector.") }
            let operand = try encode(arguments[0], &archive)
            return try function(operand, name, Array(arguments.dropFirst(2)), &archive)
        case .function(let selector, let arguments): return try utility(selector, arguments, &archive)
        case .index(let operand, let position):
            return try utility(PredicateFunctions.element, [operand, index(position)], &archive)
        case .block: throw code()
        case .aggregate(let members):
            let nodes = try members.map { try encode($0, &archive) }
            let list = archive.array(nodes)
            return archive.object("NSAggregateExpression", ["NSExpressionType": .integer(14), "NSCollection": list])
        case .subquery(let collection, let variable, let predicate):
            let fields = [
                "NSExpressionType": .integer(13), "NSCollection": try encode(collection, &archive),
                "NSVariable": archive.string(variable), "NSPredicate": try encode(predicate, &archive),
            ]
            return archive.object("NSSubqueryExpression", fields)
        case .conditional(let condition, let first, let second):
            let fields = [
                "NSExpressionType": .integer(20), "NSPredicate": try encode(condition, &archive),
                "NSTrueExpression": try encode(first, &archive), "NSFalseExpression": try encode(second, &archive),
            ]
            return archive.object("NSTernaryExpression", fields)
        case .setOperation(let operation, let left, let right):
            let type: Int64 =
                switch operation {
                case .union: 5
                case .intersection: 6
                case .minus: 7
                }
            let fields = [
                "NSExpressionType": .integer(type), "NSLeftExpression": try encode(left, &archive),
                "NSRightExpression": try encode(right, &archive),
            ]
            return archive.object("NSSetExpression", fields)
        }
    }

    private static func fetch(
        _ arguments: [ExpressionSyntax], _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        guard case .constant(let countsOnly) = arguments[2],
            case .boolean(let flag) = try PredicateConstant.value(of: countsOnly)
        else { throw ModelFileError(.unsupportedForm, "A FETCH of a predicate does not say whether it counts.") }
        let fields = [
            "NSExpressionType": .integer(50), "NSFRExpression": try encode(arguments[0], &archive),
            "NSMOCExpression": try encode(arguments[1], &archive), "NSCountOnlyFlag": PropertyListNode.boolean(flag),
        ]
        return archive.object("NSFetchRequestExpression", fields)
    }

    private static func index(_ position: ExpressionSyntax.IndexPosition) -> ExpressionSyntax {
        switch position {
        case .first: .constant("FIRST")
        case .last: .constant("LAST")
        case .size: .constant("SIZE")
        case .at(let index): index
        }
    }

    /// One of the functions that the format knows, by selector: `count:`, `add:to:`.
    private static func utility(
        _ selector: String, _ arguments: [ExpressionSyntax], _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        let name = archive.string("_NSPredicateUtilities")
        let operand = archive.object(
            "NSConstantValueExpression",
            [
                "NSExpressionType": .integer(0), "NSConstantValue": KeyedArchiveBuilder.null,
                "NSConstantValueClassName": name,
            ])
        return try function(operand, selector, arguments, &archive)
    }

    private static func keyPath(
        _ base: ExpressionSyntax?, _ path: String, _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        let text = archive.string(path)
        let specifier = archive.object(
            "NSKeyPathSpecifierExpression", ["NSExpressionType": .integer(10), "NSKeyPath": text])
        let arguments = archive.array([specifier], className: "NSMutableArray")
        let operand = try encode(base ?? .evaluatedObject, &archive)
        let isSingleKey = base == nil && !path.contains(".")
        let selector = archive.string(isSingleKey ? "valueForKey:" : "valueForKeyPath:")
        return archive.object(
            "NSKeyPathExpression",
            [
                "NSExpressionType": .integer(base == nil ? 3 : 4), "NSOperand": operand, "NSSelectorName": selector,
                "NSArguments": arguments,
            ])
    }

    private static func function(
        _ operand: PropertyListNode, _ selector: String, _ arguments: [ExpressionSyntax],
        _ archive: inout KeyedArchiveBuilder
    ) throws -> PropertyListNode {
        let nodes = try arguments.map { try encode($0, &archive) }
        let list = archive.array(nodes)
        let name = archive.string(selector)
        return archive.object(
            "NSFunctionExpression",
            ["NSExpressionType": .integer(4), "NSOperand": operand, "NSSelectorName": name, "NSArguments": list])
    }
}
