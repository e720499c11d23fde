// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes predicates as text in the format language, with the spelling of Apple's framework.

import Foundation

package enum PredicatePrinter {
    static func text(of predicate: PredicateNode) throws -> String {
        switch predicate {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .compound(.not, let parts):
            guard let part = parts.first else { return "FALSEPREDICATE" }
            return "NOT \(try nested(part))"
        case .compound(let combination, let parts):
            guard parts.count > 1 else {
                guard let part = parts.first else { return combination == .and ? "TRUEPREDICATE" : "FALSEPREDICATE" }
                return try text(of: part)
            }
            return try parts.map(nested).joined(separator: combination == .and ? " AND " : " OR ")
        case .comparison(let left, let comparison, let right, let modifier, let options):
            let prefix = modifier == .all ? "ALL " : modifier == .any ? "ANY " : ""
            let (left, right) = (try text(of: left), try text(of: right))
            return "\(prefix)\(left) \(spelling(comparison))\(spelling(options: options)) \(right)"
        }
    }

    static func text(of expression: ExpressionNode) throws -> String {
        switch expression {
        case .selfObject: return "SELF"
        case .anyKey: return "ANYKEY"
        case .variable(let name): return "$\(name)"
        case .constant(let value): return try PredicateConstant.text(of: value)
        case .keyPath(nil, let path): return escaped(path)
        case .keyPath(let base?, let path): return "\(try text(of: base)).\(escaped(path))"
        case .function(let selector, let arguments): return try function(selector, arguments)
        case .call(let operand, let selector, let arguments):
            let parts = [try text(of: operand), PredicateConstant.text(of: selector)] + (try arguments.map(text(of:)))
            return "FUNCTION(\(parts.joined(separator: ", ")))"
        case .aggregate(let members): return "{\(try members.map(text(of:)).joined(separator: ", "))}"
        case .subquery(let collection, let variable, let predicate):
            return "SUBQUERY(\(try text(of: collection)), $\(variable), \(try text(of: predicate)))"
        case .ternary(let condition, let first, let second):
            return "TERNARY(\(try text(of: condition)), \(try text(of: first)), \(try text(of: second)))"
        case .set(let operation, let left, let right):
            let word = operation == .union ? "UNION" : operation == .intersection ? "INTERSECT" : "MINUS"
            return "\(try text(of: left)) \(word) \(try text(of: right))"
        case .fetch(let request, let context, let countsOnly):
            return "FETCH(\(try text(of: request)), \(try text(of: context)), \(countsOnly ? "YES" : "NO"))"
        }
    }

    private static func nested(_ predicate: PredicateNode) throws -> String {
        if case .compound(let combination, let parts) = predicate, combination == .not || parts.count > 1 {
            return "(\(try text(of: predicate)))"
        }
        return try text(of: predicate)
    }

    private static func spelling(_ comparison: PredicateNode.Comparison) -> String {
        switch comparison {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .isIn: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }

    private static func spelling(options: PredicateNode.Options) -> String {
        let letters = [(1, "c"), (2, "d"), (4, "n")].filter { options & $0.0 != 0 }.map(\.1).joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }

    private static func function(_ selector: String, _ arguments: [ExpressionNode]) throws -> String {
        if let sign = arithmetic[selector], arguments.count == 2 {
            return "\(try operand(arguments[0])) \(sign) \(try operand(arguments[1]))"
        }
        switch (selector, arguments.count) {
        case ("castObject:toType:", 2):
            return "CAST(\(try text(of: arguments[0])), \(try text(of: arguments[1])))"
        case ("objectFrom:withIndex:", 2):
            let index = try text(of: arguments[1])
            let bare = ["\"FIRST\"": "FIRST", "\"LAST\"": "LAST", "\"SIZE\"": "SIZE"][index] ?? index
            return "\(try operand(arguments[0]))[\(bare)]"
        default:
            return "\(selector)(\(try arguments.map(text(of:)).joined(separator: ", ")))"
        }
    }

    private static func operand(_ expression: ExpressionNode) throws -> String {
        if case .function(let selector, _) = expression, arithmetic[selector] != nil {
            return "(\(try text(of: expression)))"
        }
        return try text(of: expression)
    }

    static let arithmetic = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
    ]

    /// Key paths may contain keywords; a number sign marks them as names.
    private static func escaped(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            PredicateWords.reserved.contains(part.uppercased()) ? "#\(part)" : String(part)
        }.joined(separator: ".")
    }
}

/// The reserved words of the format language, in any case.
enum PredicateWords {
    static let reserved: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST",
        "SIZE",
        "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
        "FUNCTION", "TERNARY", "UNION", "INTERSECT", "MINUS",
    ]
}
