// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses expressions: operators, constants and key paths.

import Foundation

extension PredicateParser {
    /// Parses an operand and all infix operators with at least the precedence `minimum`.
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

    private enum Infix {
        case function(String, precedence: Int)
        case set(ExpressionSyntax.SetOperation)

        var precedence: Int {
            switch self {
            case .function(_, let precedence): precedence
            case .set: PredicateFunctions.setPrecedence
            }
        }

        func combine(_ left: ExpressionSyntax, _ right: ExpressionSyntax) -> ExpressionSyntax {
            switch self {
            case .function(let selector, _): .function(name: selector, arguments: [left, right])
            case .set(let operation): .setOperation(operation, left, right)
            }
        }
    }

    private var currentInfix: Infix? {
        switch current.kind {
        case .symbol(let symbol): symbol.infix.map { .function($0.selector, precedence: $0.precedence) }
        case .keyword(let keyword): keyword.setOperation.map { .set($0) }
        default: nil
        }
    }

    private mutating func unary() throws(PredicateFormatError) -> Node {
        if current.isSymbol(.minus) {
            position += 1
            if let number = negatedNumber {
                position += 1
                return try postfix(.expression(.constant(number)))
            }
            let operand = try operand(of: "-")
            return .expression(.function(name: "from:subtract:", arguments: [.constant(0), operand]))
        }
        if current.isSymbol(.bitNot) {
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

    private var negatedNumber: Any? {
        switch current.kind {
        case .integer(let whole): return -whole
        case .number(let index): return Self.negated(text.values[index])
        default: return nil
        }
    }

    private static func negated(_ number: Any?) -> Any? {
        switch number {
        case let whole as Int: -whole
        case let whole as UInt64: whole == UInt64(Int.max) + 1 ? Int.min : -Decimal(whole)
        case let decimal as Decimal: -decimal
        case let real as Double: -real
        default: number
        }
    }

    // MARK: After an operand

    private mutating func postfix(_ node: Node) throws(PredicateFormatError) -> Node {
        var node = node
        while current.isSymbol(.dot) || current.isSymbol(.openBracket) {
            try countOperator()
            let operand = try expression(node, for: "'.' or '['")
            if current.isSymbol(.dot) {
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
        let token = current
        if case .keyPath(let index) = token.kind {
            position += 1
            return keyPath(index)
        }
        guard isName, !text.hasColon(token) else {
            throw error("A key must follow the dot, not \(text.spelling(token)).")
        }
        position += 1
        return text.string(token)
    }

    package static func path(_ path: String, on operand: ExpressionSyntax) -> ExpressionSyntax {
        switch operand {
        case .evaluatedObject: .keyPath(path)
        case .keyPath(let start): .keyPath("\(start).\(path)")
        case .keyPathOn(let base, let start): .keyPathOn(base, "\(start).\(path)")
        default: .keyPathOn(operand, path)
        }
    }

    private mutating func subscripted(_ operand: ExpressionSyntax) throws(PredicateFormatError) -> ExpressionSyntax {
        if let named = current.keyword?.indexPosition, isNext(.closeBracket) {
            position += 2
            return .index(operand, named)
        }
        let index = try nestedExpression(for: "A subscript")
        try expect(.closeBracket)
        return .index(operand, .at(index))
    }

    mutating func nestedExpression(for what: String) throws(PredicateFormatError) -> ExpressionSyntax {
        try expression(try disjunction(), for: what)
    }

    // MARK: Operands

    private mutating func primary() throws(PredicateFormatError) -> Node {
        let token = current
        switch token.kind {
        case .name, .plainName, .keyword: return try named(token)
        case .symbol(.openParenthesis):
            position += 1
            let node = try disjunction()
            try expect(.closeParenthesis)
            return node
        case .symbol(.openBrace):
            position += 1
            return .expression(.aggregate(try list(upTo: .closeBrace)))
        case .symbol(.less) where isNullNext:
            position += 2
            try expect(.greater)
            return .expression(.constant(nil))
        case .symbol, .end:
            throw error("A value or a predicate is expected, not \(text.spelling(token)).")
        case .argument(let index):
            let node = try argument(text.values[index])
            position += 1
            return node
        default:
            position += 1
            return value(token)
        }
    }

    private func value(_ token: PredicateToken) -> Node {
        switch token.kind {
        case .string: .expression(.constant(text.string(token)))
        case .integer(let number): .expression(.constant(number))
        case .escapedString(let index), .number(let index): .expression(.constant(text.values[index]))
        case .variable: .expression(.variable(text.string(token)))
        case .keyPath(let index):
            .expression(
                PredicateKeyword(keyPath(index).utf8) == .self ? .evaluatedObject : .keyPath(keyPath(index))
            )
        case .argument, .name, .plainName, .keyword, .symbol, .end:
            preconditionFailure("\(token.kind) is no value.")
        }
    }

    private func keyPath(_ index: Int) -> String { text.values[index] as? String ?? "" }

    /// Predicates and expressions are replaced by their syntax, those of custom classes by a block.
    private func argument(_ value: Any?) throws(PredicateFormatError) -> Node {
        if FormatArguments.isPlain(value) { return .expression(.constant(value)) }
        guard let value, let (tree, depth) = reading.tree(value) else { return .expression(.constant(value)) }
        try checkDepth(depth)
        switch tree {
        case .predicate(let syntax): return .predicate(syntax)
        case .expression(let syntax): return .expression(syntax)
        }
    }

    private func checkDepth(_ depth: Int) throws(PredicateFormatError) {
        guard depth <= PredicateDepth.maximum else {
            throw error("The argument is nested deeper than \(PredicateDepth.maximum) levels.")
        }
    }

    /// The opening bracket is already consumed.
    mutating func list(upTo closing: PredicateSymbol) throws(PredicateFormatError) -> [ExpressionSyntax] {
        var members: [ExpressionSyntax] = []
        let start = operators
        while !current.isSymbol(closing) {
            if !members.isEmpty { try expect(.comma) }
            members.append(
                try beside(start) { parser throws(PredicateFormatError) in try parser.nestedExpression(for: "A list") })
        }
        position += 1
        return members
    }

    private mutating func named(_ token: PredicateToken) throws(PredicateFormatError) -> Node {
        if isNext(.openParenthesis), token.keyword?.isCall ?? true {
            position += 2
            return .expression(try call(token))
        }
        if let keyword = token.keyword {
            if let constant = Self.constant(keyword) {
                position += 1
                return constant
            }
            guard keyword.indexPosition != nil || keyword.setOperation != nil else {
                let name = text.string(token)
                throw error("\(keyword.rawValue) is not expected here. If it is a key, write #\(name).")
            }
        }
        guard !text.hasColon(token) else { throw error("\(text.spelling(token)) is no key.") }
        position += 1
        return .expression(.keyPath(text.string(token)))
    }

    private static func constant(_ keyword: PredicateKeyword) -> Node? {
        switch keyword {
        case .self: .expression(.evaluatedObject)
        case .anyKey: .expression(.anyKey)
        case .nil, .null, .nsNull: .expression(.constant(nil))
        case .true, .yes: .expression(.constant(true))
        case .false, .no: .expression(.constant(false))
        case .truePredicate: .predicate(.constant(true))
        case .falsePredicate: .predicate(.constant(false))
        default: nil
        }
    }
}
