// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads expressions from words: operators, constants, key paths.

import Foundation

extension PredicateParser {
    /// An operand and all infix operators that bind at least as tightly as `minimum`.
    mutating func binary(_ minimum: Int) throws(PredicateFormatError) -> Node {
        var left = try unary()
        while let infix = currentInfix, infix.precedence >= minimum {
            try countOperator()
            position += 1
            let leftExpression = try expression(left, for: "An operator")
            let right: Node
            if infix.precedence == PredicateFunctions.powerPrecedence {
                try enter()
                right = try binary(infix.precedence)
                depth -= 1
            } else {
                right = try binary(infix.precedence + 1)
            }
            left = .expression(infix.combine(leftExpression, try expression(right, for: "An operator")))
        }
        return left
    }

    private struct CurrentInfix {
        let precedence: Int
        let combine: (ExpressionSyntax, ExpressionSyntax) -> ExpressionSyntax
    }

    private var currentInfix: CurrentInfix? {
        if case .symbol(let symbol) = current.kind, let infix = PredicateFunctions.infixBySymbol[symbol] {
            return CurrentInfix(precedence: infix.precedence) {
                .function(name: infix.selector, arguments: [$0, $1])
            }
        }
        guard let keyword = current.keyword, let operation = PredicateFunctions.setOperations[keyword] else {
            return nil
        }
        return CurrentInfix(precedence: 1) { .setOperation(operation, $0, $1) }
    }

    private mutating func unary() throws(PredicateFormatError) -> Node {
        if current.isSymbol("-") {
            position += 1
            if case .number(let number) = current.kind {
                position += 1
                return try postfix(.expression(.constant(Self.negated(number))))
            }
            let operand = try operand(of: "-")
            return .expression(.function(name: "from:subtract:", arguments: [.constant(0), operand]))
        }
        if current.isSymbol("~") {
            position += 1
            return .expression(.function(name: "onesComplement:", arguments: [try operand(of: "~")]))
        }
        return try postfix(try primary())
    }

    private mutating func operand(of symbol: String) throws(PredicateFormatError) -> ExpressionSyntax {
        try enter()
        defer { depth -= 1 }
        return try expression(try unary(), for: "'\(symbol)'")
    }

    private static func negated(_ number: any Sendable) -> any Sendable {
        switch number {
        case let whole as Int: return -whole
        case let whole as UInt64: return whole == UInt64(Int.max) + 1 ? Int.min : -Decimal(whole)
        case let decimal as Decimal: return -decimal
        case let real as Double: return -real
        default: return number
        }
    }

    // MARK: What follows an operand

    private mutating func postfix(_ node: Node) throws(PredicateFormatError) -> Node {
        var node = node
        while current.isSymbol(".") || current.isSymbol("[") {
            try countOperator()
            let operand = try expression(node, for: "'.' or '['")
            if current.isSymbol(".") {
                position += 1
                node = .expression(Self.path(try segment(), on: operand))
            } else {
                position += 1
                node = .expression(try subscripted(operand))
            }
        }
        return node
    }

    private mutating func segment() throws(PredicateFormatError) -> String {
        switch current.kind {
        case .identifier(let name, _) where !name.contains(":"):
            position += 1
            return name
        case .keyPath(let path):
            position += 1
            return path
        default: throw error("A key must follow the dot, not \(current.spelling).")
        }
    }

    static func path(_ path: String, on operand: ExpressionSyntax) -> ExpressionSyntax {
        switch operand {
        case .evaluatedObject: .keyPath(path)
        case .keyPath(let start): .keyPath("\(start).\(path)")
        case .keyPathOn(let base, let start): .keyPathOn(base, "\(start).\(path)")
        default: .keyPathOn(operand, path)
        }
    }

    private mutating func subscripted(_ operand: ExpressionSyntax) throws(PredicateFormatError) -> ExpressionSyntax {
        let named: ExpressionSyntax.IndexPosition? =
            switch current.keyword {
            case "FIRST": .first
            case "LAST": .last
            case "SIZE": .size
            default: nil
            }
        if let named, isNext("]") {
            position += 2
            return .index(operand, named)
        }
        let index = try nestedExpression(for: "A subscript")
        try expect("]")
        return .index(operand, .at(index))
    }

    mutating func nestedExpression(for what: String) throws(PredicateFormatError) -> ExpressionSyntax {
        try expression(try disjunction(), for: what)
    }

    // MARK: Operands

    private mutating func primary() throws(PredicateFormatError) -> Node {
        let token = current
        switch token.kind {
        case .string(let string):
            position += 1
            return .expression(.constant(string))
        case .number(let number):
            position += 1
            return .expression(.constant(number))
        case .value(let value):
            position += 1
            if let predicate = value as? NSPredicate { return .predicate(predicate.syntax) }
            if let expression = value as? NSExpression { return .expression(expression.syntax) }
            return .expression(.constant(value))
        case .variable(let name):
            position += 1
            return .expression(.variable(name))
        case .keyPath(let path):
            position += 1
            return .expression(path.uppercased() == "SELF" ? .evaluatedObject : .keyPath(path))
        case .identifier(let name, _): return try named(name, keyword: token.keyword)
        case .symbol("("):
            position += 1
            let node = try disjunction()
            try expect(")")
            return node
        case .symbol("{"):
            position += 1
            return .expression(.aggregate(try list(upTo: "}")))
        case .symbol, .end: throw error("A value or a predicate is expected, not \(token.spelling).")
        }
    }

    /// The opening bracket is taken already.
    mutating func list(upTo closing: String) throws(PredicateFormatError) -> [ExpressionSyntax] {
        var members: [ExpressionSyntax] = []
        let start = operators
        while !current.isSymbol(closing) {
            if !members.isEmpty { try expect(",") }
            members.append(
                try beside(start) { parser throws(PredicateFormatError) in try parser.nestedExpression(for: "A list") })
        }
        position += 1
        return members
    }

    private mutating func named(_ name: String, keyword: String?) throws(PredicateFormatError) -> Node {
        if isNext("("), keyword == nil || !Self.wordsBeforeParentheses.contains(keyword ?? "") {
            position += 2
            return .expression(try call(name))
        }
        if let keyword, let constant = Self.constant(keyword) {
            position += 1
            return constant
        }
        // FIRST, LAST and SIZE mean something between brackets only, and are common names of attributes.
        if let keyword, !["FIRST", "LAST", "SIZE"].contains(keyword),
            PredicateFunctions.setOperations[keyword] == nil
        {
            throw error("\(keyword) is not expected here. If it is a key, write #\(name).")
        }
        guard !name.contains(":") else { throw error("'\(name)' is no key.") }
        position += 1
        return .expression(.keyPath(name))
    }

    /// Words that parentheses may follow without making a call.
    private static let wordsBeforeParentheses: Set<String> = PredicateKeywords.reserved.subtracting([
        "SUBQUERY", "CAST", "TERNARY", "FUNCTION", "FETCH",
    ])

    private static func constant(_ keyword: String) -> Node? {
        switch keyword {
        case "SELF": .expression(.evaluatedObject)
        case "ANYKEY": .expression(.anyKey)
        case "NIL", "NULL", "NSNULL": .expression(.constant(nil))
        case "TRUE", "YES": .expression(.constant(true))
        case "FALSE", "NO": .expression(.constant(false))
        case "TRUEPREDICATE": .predicate(.constant(true))
        case "FALSEPREDICATE": .predicate(.constant(false))
        default: nil
        }
    }
}
