// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes syntax trees in the format language, with the spelling of Apple's framework.

package import Foundation

/// Writes predicates and expressions. Parsing the text results in an equal tree, unless the tree contains closures, or
/// constants that the language cannot express.
///
/// ```swift
/// PredicatePrinter { value in String(describing: value) }.text(of: syntax)
/// ```
package struct PredicatePrinter: Sendable {
    private let constant: @Sendable (Any?) -> String

    /// - Parameter constant: writes a constant (`PredicateSpelling` has the spellings that all trees share);
    ///   nil is NULL.
    package init(constant: @escaping @Sendable (Any?) -> String) { self.constant = constant }

    package func text(of predicate: PredicateSyntax) -> String {
        switch predicate {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(of: comparison)
        case .and(let parts): text(of: parts, " AND ", empty: "TRUEPREDICATE")
        case .or(let parts): text(of: parts, " OR ", empty: "FALSEPREDICATE")
        case .not(let part): "NOT \(nested(part))"
        case .block: "BLOCKPREDICATE"
        }
    }

    package func text(of comparison: ComparisonSyntax) -> String {
        let quantifier =
            switch comparison.modifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        let (left, right) = (text(of: comparison.left), text(of: comparison.right))
        return "\(quantifier)\(left) \(comparison.operation.spelling)\(comparison.options.spelling) \(right)"
    }

    package func text(of expression: ExpressionSyntax) -> String {
        switch expression {
        case .constant(let value): constant(value)
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .keyPath(let path): Self.escaped(path)
        case .keyPathOn(let operand, let path): "\(nested(operand)).\(Self.escaped(path))"
        case .function(let name, let arguments): call(name, arguments)
        case .aggregate(let members): "{\(list(members))}"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(text(of: collection)), $\(variable), \(text(of: predicate)))"
        case .setOperation(let operation, let left, let right):
            "\(nested(left)) \(operation.spelling) \(nested(right))"
        case .conditional(let predicate, let first, let second):
            "TERNARY(\(text(of: predicate)), \(text(of: first)), \(text(of: second)))"
        case .index(let operand, let position): "\(nested(operand))[\(text(of: position))]"
        case .anyKey: "ANYKEY"
        case .block(_, let arguments): "BLOCK(\(list(arguments)))"
        }
    }

    // MARK: Parts

    private func text(of parts: [PredicateSyntax], _ word: String, empty: String) -> String {
        guard let first = parts.first else { return empty }
        guard parts.count > 1 else { return text(of: first) }
        return parts.map { nested($0) }.joined(separator: word)
    }

    private func nested(_ predicate: PredicateSyntax) -> String {
        switch predicate {
        case .and(let parts), .or(let parts):
            guard parts.count < 2 else { return "(\(text(of: predicate)))" }
            guard let part = parts.first else { return text(of: predicate) }
            return nested(part)
        case .not: return "(\(text(of: predicate)))"
        case .constant, .comparison, .block: return text(of: predicate)
        }
    }

    private func nested(_ expression: ExpressionSyntax) -> String {
        let text = text(of: expression)
        return switch expression {
        case .function(let name, let arguments) where arguments.count == 2 && Self.sign(name) != nil: "(\(text))"
        case .setOperation: "(\(text))"
        default: text
        }
    }

    private func call(_ name: String, _ arguments: [ExpressionSyntax]) -> String {
        if arguments.count == 2, let sign = Self.sign(name) {
            return "\(nested(arguments[0])) \(sign) \(nested(arguments[1]))"
        }
        if name == PredicateFunctions.fetch, arguments.count == 3, case .constant(let countsOnly as Bool) = arguments[2]
        {
            return "FETCH(\(list(Array(arguments.prefix(2)))), \(countsOnly ? "YES" : "NO"))"
        }
        return "\(name == PredicateFunctions.cast ? "CAST" : name)(\(list(arguments)))"
    }

    private func list(_ members: [ExpressionSyntax]) -> String {
        members.map { text(of: $0) }.joined(separator: ", ")
    }

    private func text(of position: ExpressionSyntax.IndexPosition) -> String {
        switch position {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let index): text(of: index)
        }
    }

    private static func sign(_ name: String) -> String? {
        switch name {
        case "add:to:": "+"
        case "from:subtract:": "-"
        case "multiply:by:": "*"
        case "divide:by:": "/"
        case "raise:toPower:": "**"
        default: nil
        }
    }

    /// A key may be a keyword; a number sign marks it as a name.
    private static func escaped(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { key in
            PredicateKeyword.isReserved(key) ? "#\(key)" : String(key)
        }.joined(separator: ".")
    }
}

/// The spelling of constants, common to all trees.
package enum PredicateSpelling {
    package static let null = "nil"

    /// The string in quotes, with escapes.
    package static func text(of string: String) -> String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            case "\r": text.append(contentsOf: "\\r".unicodeScalars)
            case "\t": text.append(contentsOf: "\\t".unicodeScalars)
            default: text.append(scalar)
            }
        }
        text.append("\"")
        return String(text)
    }

    /// Whole numbers are written without a fraction, like the description of a number object.
    package static func text(of number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }

    /// - Parameter seconds: since 2001-01-01 UTC.
    package static func text(ofDate seconds: Double) -> String {
        "CAST(\(String(format: "%.6f", seconds)), \"NSDate\")"
    }

    package static func text(of uuid: UUID) -> String { "CAST(\"\(uuid.uuidString)\", \"NSUUID\")" }

    package static func text(of url: URL) -> String { "CAST(\(text(of: url.absoluteString)), \"NSURL\")" }

    package static func text(of data: Data) -> String { "CAST(\"\(data.base64EncodedString())\", \"NSData\")" }
}

extension ComparisonSyntax.Operator {
    package var spelling: String {
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
        case .matching: PredicateText.searchOperator
        }
    }
}

extension ComparisonSyntax.Options {
    package var spelling: String {
        var letters = ""
        if contains(.caseInsensitive) { letters += "c" }
        if contains(.diacriticInsensitive) { letters += "d" }
        if contains(.normalized) { letters += "n" }
        if contains(.localeSensitive) { letters += "l" }
        return letters.isEmpty ? "" : "[\(letters)]"
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
