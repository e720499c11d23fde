// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Encodes predicates and expressions like Foundation's archives.

import Foundation

/// The numbers in `NSExpressionType` are those of Foundation's expression types.
enum PredicateEncoder {
    static func predicate(_ text: String, _ archive: inout KeyedArchiveBuilder) throws -> PropertyListNode {
        encode(try PredicateParser.predicate(text), &archive)
    }

    static func expression(_ text: String, _ archive: inout KeyedArchiveBuilder) throws -> PropertyListNode {
        encode(try PredicateParser.expression(text), &archive)
    }

    private static func encode(_ node: PredicateNode, _ archive: inout KeyedArchiveBuilder) -> PropertyListNode {
        switch node {
        case .constant(let value): return archive.object(value ? "NSTruePredicate" : "NSFalsePredicate", [:])
        case .compound(let combination, let parts):
            let nodes = parts.map { encode($0, &archive) }
            let list = archive.array(nodes)
            return archive.object(
                "NSCompoundPredicate",
                ["NSCompoundPredicateType": .integer(Int64(combination.rawValue)), "NSSubpredicates": list])
        case .comparison(let left, let comparison, let right, let modifier, let options):
            let (left, right) = (encode(left, &archive), encode(right, &archive))
            let operation = encode(comparison, modifier, options, &archive)
            return archive.object(
                "NSComparisonPredicate",
                ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": operation])
        }
    }

    private static func encode(
        _ comparison: PredicateNode.Comparison, _ modifier: PredicateNode.Modifier, _ options: Int,
        _ archive: inout KeyedArchiveBuilder
    ) -> PropertyListNode {
        let type = PropertyListNode.integer(Int64(comparison.rawValue))
        let options = PropertyListNode.integer(Int64(options))
        var fields = ["NSOperatorType": type, "NSModifier": .integer(Int64(modifier.rawValue))]
        let className: String
        switch comparison {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            className = "NSComparisonPredicateOperator"
            fields["NSVariant"] = type
            fields["NSOptions"] = options
        case .equal, .notEqual:
            className = "NSEqualityPredicateOperator"
            fields["NSNegate"] = .boolean(comparison == .notEqual)
            fields["NSOptions"] = options
        case .isIn, .contains:
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
            fields["NSSubstringPosition"] = .integer(comparison == .beginsWith ? 0 : 1)
        }
        return archive.object(className, fields)
    }

    private static func encode(_ node: ExpressionNode, _ archive: inout KeyedArchiveBuilder) -> PropertyListNode {
        switch node {
        case .selfObject: return archive.object("NSSelfExpression", ["NSExpressionType": .integer(1)])
        case .anyKey: return archive.object("NSAnyKeyExpression", ["NSExpressionType": .integer(15)])
        case .variable(let name):
            let text = archive.string(name)
            return archive.object("NSVariableExpression", ["NSExpressionType": .integer(2), "NSVariable": text])
        case .constant(let value):
            let constant = value == .null ? KeyedArchiveBuilder.null : archive.value(value)
            return archive.object(
                "NSConstantValueExpression", ["NSExpressionType": .integer(0), "NSConstantValue": constant])
        case .keyPath(let base, let path): return keyPath(base, path, &archive)
        case .function(let selector, let arguments):
            let name = archive.string("_NSPredicateUtilities")
            let operand = archive.object(
                "NSConstantValueExpression",
                [
                    "NSExpressionType": .integer(0), "NSConstantValue": KeyedArchiveBuilder.null,
                    "NSConstantValueClassName": name,
                ])
            return function(operand, selector, arguments, &archive)
        case .call(let operand, let selector, let arguments):
            return function(encode(operand, &archive), selector, arguments, &archive)
        case .aggregate(let members):
            let nodes = members.map { encode($0, &archive) }
            let list = archive.array(nodes)
            return archive.object("NSAggregateExpression", ["NSExpressionType": .integer(14), "NSCollection": list])
        case .subquery(let collection, let variable, let predicate):
            let fields = [
                "NSExpressionType": .integer(13), "NSCollection": encode(collection, &archive),
                "NSVariable": archive.string(variable), "NSPredicate": encode(predicate, &archive),
            ]
            return archive.object("NSSubqueryExpression", fields)
        case .ternary(let condition, let first, let second):
            let fields = [
                "NSExpressionType": .integer(20), "NSPredicate": encode(condition, &archive),
                "NSTrueExpression": encode(first, &archive), "NSFalseExpression": encode(second, &archive),
            ]
            return archive.object("NSTernaryExpression", fields)
        case .set(let operation, let left, let right):
            let fields = [
                "NSExpressionType": .integer(Int64(operation.rawValue)), "NSLeftExpression": encode(left, &archive),
                "NSRightExpression": encode(right, &archive),
            ]
            return archive.object("NSSetExpression", fields)
        case .fetch(let request, let context, let countsOnly):
            let fields = [
                "NSExpressionType": .integer(50), "NSFRExpression": encode(request, &archive),
                "NSMOCExpression": encode(context, &archive), "NSCountOnlyFlag": .boolean(countsOnly),
            ]
            return archive.object("NSFetchRequestExpression", fields)
        }
    }

    private static func keyPath(
        _ base: ExpressionNode?, _ path: String, _ archive: inout KeyedArchiveBuilder
    ) -> PropertyListNode {
        let text = archive.string(path)
        let specifier = archive.object(
            "NSKeyPathSpecifierExpression", ["NSExpressionType": .integer(10), "NSKeyPath": text])
        let arguments = archive.array([specifier], className: "NSMutableArray")
        let operand = encode(base ?? .selfObject, &archive)
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
        _ operand: PropertyListNode, _ selector: String, _ arguments: [ExpressionNode],
        _ archive: inout KeyedArchiveBuilder
    ) -> PropertyListNode {
        let nodes = arguments.map { encode($0, &archive) }
        let list = archive.array(nodes)
        let name = archive.string(selector)
        return archive.object(
            "NSFunctionExpression",
            ["NSExpressionType": .integer(4), "NSOperand": operand, "NSSelectorName": name, "NSArguments": list])
    }
}
