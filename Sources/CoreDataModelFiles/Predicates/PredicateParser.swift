// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses predicates, so that their text can be archived as objects in compiled files.

import Foundation

/// Recursive descent with a method for each precedence: OR, AND, NOT, comparison. The extension parses expressions.
struct PredicateParser {
    static let maximumDepth = 64

    let text: String
    let tokens: [PredicateToken]
    var position = 0
    var depth = 0

    /// - Throws: `ModelFileError` of the kind `unsupportedForm`, with the text and its fault.
    static func predicate(_ text: String) throws -> PredicateNode {
        var parser = PredicateParser(text: text, tokens: try PredicateLexer.tokens(of: text))
        let predicate = try parser.disjunction()
        try parser.finish()
        return predicate
    }

    static func expression(_ text: String) throws -> ExpressionNode {
        var parser = PredicateParser(text: text, tokens: try PredicateLexer.tokens(of: text))
        let expression = try parser.expression()
        try parser.finish()
        return expression
    }

    private init(text: String, tokens: [PredicateToken]) {
        self.text = text
        self.tokens = tokens
    }

    private func finish() throws {
        guard current == .end else { throw failure("more than was expected") }
    }

    // MARK: Tokens

    var current: PredicateToken { position < tokens.count ? tokens[position] : .end }

    mutating func accept(_ symbols: String...) -> String? {
        guard case .symbol(let symbol) = current, symbols.contains(symbol) else { return nil }
        position += 1
        return symbol
    }

    mutating func acceptWord(_ words: String...) -> String? {
        guard case .word(let word) = current, words.contains(word.uppercased()) else { return nil }
        position += 1
        return word.uppercased()
    }

    mutating func expect(_ symbol: String) throws {
        guard accept(symbol) != nil else { throw failure("no '\(symbol)' where one belongs") }
    }

    func failure(_ what: String) -> ModelFileError {
        ModelFileError(
            .unsupportedForm, "The predicate '\(text)' cannot be read: it has \(what) at token \(position + 1).")
    }

    mutating func nested<Value>(_ body: (inout PredicateParser) throws -> Value) throws -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { throw failure("parts nested too deep") }
        return try body(&self)
    }

    // MARK: Predicates

    mutating func disjunction() throws -> PredicateNode {
        var parts = [try conjunction()]
        while acceptWord("OR") != nil || accept("||") != nil { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .compound(.or, parts)
    }

    private mutating func conjunction() throws -> PredicateNode {
        var parts = [try negation()]
        while acceptWord("AND") != nil || accept("&&") != nil { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .compound(.and, parts)
    }

    private mutating func negation() throws -> PredicateNode {
        try nested { parser in
            if parser.acceptWord("NOT") != nil || parser.accept("!") != nil {
                return .compound(.not, [try parser.negation()])
            }
            if parser.acceptWord("TRUEPREDICATE") != nil { return .constant(true) }
            if parser.acceptWord("FALSEPREDICATE") != nil { return .constant(false) }
            return try parser.groupOrComparison()
        }
    }

    /// A parenthesis may contain a predicate or the first part of an expression; only the text after it decides.
    private mutating func groupOrComparison() throws -> PredicateNode {
        let start = position
        if accept("(") != nil, let group = try? disjunction(), accept(")") != nil, endsPredicate { return group }
        position = start
        return try comparison()
    }

    private var endsPredicate: Bool {
        switch current {
        case .end, .symbol(")"), .symbol(","), .symbol("&&"), .symbol("||"): true
        case .word(let word): ["AND", "OR"].contains(word.uppercased())
        default: false
        }
    }

    private mutating func comparison() throws -> PredicateNode {
        let word = acceptWord("ANY", "SOME", "ALL", "NONE")
        let modifier: PredicateNode.Modifier = word == "ALL" ? .all : word == nil ? .direct : .any
        let left = try expression()
        let comparison = try comparisonOperator()
        let options = try self.options()
        let node = PredicateNode.comparison(left, comparison, try expression(), modifier, options)
        return word == "NONE" ? .compound(.not, [node]) : node
    }

    private mutating func comparisonOperator() throws -> PredicateNode.Comparison {
        let found: PredicateNode.Comparison? =
            switch current {
            case .symbol("="), .symbol("=="): .equal
            case .symbol("!="), .symbol("<>"): .notEqual
            case .symbol("<"): .less
            case .symbol("<="), .symbol("=<"): .lessOrEqual
            case .symbol(">"): .greater
            case .symbol(">="), .symbol("=>"): .greaterOrEqual
            case .word(let word): Self.wordOperators[word.uppercased()]
            default: nil
            }
        guard let found else { throw failure("no comparison where one belongs") }
        position += 1
        return found
    }

    private static let wordOperators: [String: PredicateNode.Comparison] = [
        "MATCHES": .matches, "LIKE": .like, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "IN": .isIn,
        "CONTAINS": .contains, "BETWEEN": .between,
    ]

    private mutating func options() throws -> Int {
        guard accept("[") != nil else { return 0 }
        guard case .word(let letters) = current else { throw failure("no options in the brackets") }
        position += 1
        try expect("]")
        return try letters.lowercased().reduce(0) { options, letter in
            guard let bit = ["c": 1, "d": 2, "n": 4][String(letter)] else { throw failure("the option '\(letter)'") }
            return options | bit
        }
    }
}
