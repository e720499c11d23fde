// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes syntax trees in the format language, with the spelling of Apple's framework.

import Foundation

extension PredicateSyntax: CustomStringConvertible {
    /// The predicate in the format language. Parsing it results in an equal tree, unless it contains closures, or
    /// constants that the language cannot express.
    package var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.description
        case .and(let parts): Self.text(of: parts, " AND ", empty: "TRUEPREDICATE")
        case .or(let parts): Self.text(of: parts, " OR ", empty: "FALSEPREDICATE")
        case .not(let part): "NOT \(part.nestedText)"
        case .block: "BLOCKPREDICATE"
        }
    }

    private static func text(of parts: [PredicateSyntax], _ word: String, empty: String) -> String {
        guard parts.count > 1 else { return parts.first?.description ?? empty }
        return parts.map(\.nestedText).joined(separator: word)
    }

    private var nestedText: String {
        switch self {
        case .and(let parts) where parts.count > 1, .or(let parts) where parts.count > 1: "(\(description))"
        case .and(let parts), .or(let parts): parts.first?.nestedText ?? description
        case .not: "(\(description))"
        case .constant, .comparison, .block: description
        }
    }
}

extension ComparisonSyntax: CustomStringConvertible {
    package var description: String {
        let quantifier =
            switch modifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        return "\(quantifier)\(left) \(operation.spelling)\(options.spelling) \(right)"
    }
}

extension ComparisonSyntax.Operator {
    var spelling: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .custom: "CUSTOM"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}

extension ComparisonSyntax.Options {
    var spelling: String {
        var letters = ""
        if contains(.caseInsensitive) { letters += "c" }
        if contains(.diacriticInsensitive) { letters += "d" }
        if contains(.normalized) { letters += "n" }
        if contains(.localeSensitive) { letters += "l" }
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

extension ExpressionSyntax: CustomStringConvertible {
    /// The expression in the format language.
    package var description: String {
        switch self {
        case .constant(let value): PredicateConstants.text(of: value)
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .keyPath(let path): Self.escaped(path)
        case .keyPathOn(let operand, let path): "\(operand.nestedText).\(Self.escaped(path))"
        case .function(let name, let arguments): Self.call(name, arguments)
        case .aggregate(let members): "{\(Self.list(members))}"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection), $\(variable), \(predicate))"
        case .setOperation(let operation, let left, let right):
            "\(left.nestedText) \(operation.spelling) \(right.nestedText)"
        case .conditional(let predicate, let first, let second): "TERNARY(\(predicate), \(first), \(second))"
        case .index(let operand, let position): "\(operand.nestedText)[\(position.spelling)]"
        case .anyKey: "ANYKEY"
        case .block(_, let arguments): "BLOCK(\(Self.list(arguments)))"
        }
    }

    private static let arithmetic = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
    ]

    private static func call(_ name: String, _ arguments: [ExpressionSyntax]) -> String {
        if arguments.count == 2, let sign = arithmetic[name] {
            return "\(arguments[0].nestedText) \(sign) \(arguments[1].nestedText)"
        }
        return "\(name == PredicateFunctions.cast ? "CAST" : name)(\(list(arguments)))"
    }

    private static func list(_ members: [ExpressionSyntax]) -> String {
        members.map(\.description).joined(separator: ", ")
    }

    private var nestedText: String {
        switch self {
        case .function(let name, let arguments) where arguments.count == 2 && Self.arithmetic[name] != nil:
            "(\(description))"
        case .setOperation: "(\(description))"
        default: description
        }
    }

    /// A key may be a keyword; a number sign marks it as a name.
    private static func escaped(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { key in
            PredicateKeyword.isReserved(key) ? "#\(key)" : String(key)
        }.joined(separator: ".")
    }
}

extension ExpressionSyntax.SetOperation {
    fileprivate var spelling: String {
        switch self {
        case .union: "UNION"
        case .intersection: "INTERSECT"
        case .minus: "MINUS"
        }
    }
}

extension ExpressionSyntax.IndexPosition {
    fileprivate var spelling: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let index): index.description
        }
    }
}
