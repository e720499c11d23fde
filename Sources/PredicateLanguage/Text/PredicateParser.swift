// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses predicates: logical combinations and comparisons.

import Foundation

/// Recursive descent without backtracking. The content of parentheses may be a predicate or an expression, so every
/// level returns a `Node` of either kind, and each operator requires the kind that it needs.
package struct PredicateParser {
    /// Deeper texts would overflow a thread's stack, in the parser or in a walk of the tree.
    package static let maximumDepth = 64
    /// Chains such as `a + b + c …` create deep trees without nesting. Counted along one chain.
    package static let maximumOperators = 250

    enum Node {
        case predicate(PredicateSyntax)
        case expression(ExpressionSyntax)
    }

    let text: PredicateText
    let reading: any FormatArgumentReading.Type
    var position = 0
    var depth = 0
    var operators = 0

    init(_ format: String, arguments: [Any?], reading: any FormatArgumentReading.Type) throws(PredicateFormatError) {
        text = try PredicateLexer.read(format, arguments: FormatArguments(arguments, reading))
        self.reading = reading
    }

    mutating func wholePredicate() throws(PredicateFormatError) -> PredicateSyntax {
        let node = try disjunction()
        let predicate = try predicate(node, for: "The text")
        try expectEnd()
        return predicate
    }

    mutating func wholeExpression() throws(PredicateFormatError) -> ExpressionSyntax {
        let node = try disjunction()
        let expression = try expression(node, for: "The text")
        try expectEnd()
        return expression
    }

    // MARK: Combinations

    mutating func disjunction() throws(PredicateFormatError) -> Node {
        try enter()
        defer { depth -= 1 }
        let start = operators
        let first = try conjunction()
        guard isDisjunction else { return first }
        var parts = [try predicate(first, for: "OR")]
        while isDisjunction {
            position += 1
            parts.append(
                try predicate(
                    try beside(start) { parser throws(PredicateFormatError) in try parser.conjunction() }, for: "OR"))
        }
        return .predicate(.or(parts))
    }

    private mutating func conjunction() throws(PredicateFormatError) -> Node {
        let start = operators
        let first = try negation()
        guard isConjunction else { return first }
        var parts = [try predicate(first, for: "AND")]
        while isConjunction {
            position += 1
            parts.append(
                try predicate(
                    try beside(start) { parser throws(PredicateFormatError) in try parser.negation() }, for: "AND"))
        }
        return .predicate(.and(parts))
    }

    private mutating func negation() throws(PredicateFormatError) -> Node {
        var count = 0
        while current.isSymbol(.not) || current.keyword == .not {
            try countOperator()
            position += 1
            count += 1
        }
        let node = try comparison()
        guard count > 0 else { return node }
        var predicate = try predicate(node, for: "NOT")
        for _ in 0..<count { predicate = .not(predicate) }
        return .predicate(predicate)
    }

    private var isDisjunction: Bool { current.isSymbol(.or) || current.keyword == .or }
    private var isConjunction: Bool { current.isSymbol(.and) || current.keyword == .and }

    // MARK: Comparisons

    private mutating func comparison() throws(PredicateFormatError) -> Node {
        let quantifier = takeQuantifier()
        let left = try binary(0)
        guard let operation = try takeOperator() else {
            guard quantifier == nil else { throw error("A comparison must follow ANY, SOME, ALL or NONE.") }
            return left
        }
        if operation == .matching, current.isSymbol(.openBracket) {
            throw error("MATCHING has no options: a search ignores case and diacritics.")
        }
        let options = try takeOptions()
        let leftExpression = try expression(left, for: "A comparison")
        let right = try expression(try binary(0), for: "A comparison")
        let modifier = quantifier?.modifier ?? .direct
        let comparison = PredicateSyntax.comparison(
            ComparisonSyntax(leftExpression, operation, right, modifier: modifier, options: options))
        return .predicate(quantifier?.isNegated == true ? .not(comparison) : comparison)
    }

    private mutating func takeQuantifier() -> (modifier: ComparisonSyntax.Modifier, isNegated: Bool)? {
        guard let quantifier = current.keyword?.quantifier else { return nil }
        position += 1
        return quantifier
    }

    private mutating func takeOperator() throws(PredicateFormatError) -> ComparisonSyntax.Operator? {
        let operation: ComparisonSyntax.Operator? =
            switch current.kind {
            case .symbol(.assign): throw error("':=' assigns, which predicates here do not; compare with '=='.")
            case .symbol(let symbol): symbol.comparison
            case .keyword(let keyword): keyword.comparison
            case .plainName where text.isSearchOperator(current): .matching
            default: nil
            }
        if operation != nil { position += 1 }
        return operation
    }

    private mutating func takeOptions() throws(PredicateFormatError) -> ComparisonSyntax.Options {
        guard current.isSymbol(.openBracket) else { return [] }
        position += 1
        guard isName else { throw error("Options are some of c, d, n, l.") }
        var options: ComparisonSyntax.Options = []
        for letter in text.string(current).unicodeScalars {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localeSensitive)
            default: throw error("'\(letter)' is no option; options are c, d, n, l.")
            }
        }
        position += 1
        try expect(.closeBracket)
        return options
    }

    // MARK: Kinds

    func predicate(_ node: Node, for what: String) throws(PredicateFormatError) -> PredicateSyntax {
        guard case .predicate(let predicate) = node else {
            throw error("\(what) takes a predicate, but this is a value: a comparison is missing.")
        }
        return predicate
    }

    func expression(_ node: Node, for what: String) throws(PredicateFormatError) -> ExpressionSyntax {
        guard case .expression(let expression) = node else {
            throw error("\(what) takes a value, but this is a predicate.")
        }
        return expression
    }

    // MARK: Places

    var current: PredicateToken { text.tokens[position] }

    /// Whether the current token is a name, reserved or not.
    var isName: Bool {
        switch current.kind {
        case .name, .plainName, .keyword: true
        default: false
        }
    }

    func isNext(_ symbol: PredicateSymbol) -> Bool {
        position + 1 < text.tokens.count && text.tokens[position + 1].isSymbol(symbol)
    }

    var isNullNext: Bool { position + 1 < text.tokens.count && text.tokens[position + 1].keyword == .null }

    mutating func expect(_ symbol: PredicateSymbol) throws(PredicateFormatError) {
        guard current.isSymbol(symbol) else {
            throw error("'\(symbol.rawValue)' is expected, not \(text.spelling(current)).")
        }
        position += 1
    }

    private func expectEnd() throws(PredicateFormatError) {
        guard current.kind == .end else { throw error("\(text.spelling(current)) is not expected here.") }
    }

    mutating func enter() throws(PredicateFormatError) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw error("The text is nested deeper than \(Self.maximumDepth) levels.")
        }
    }

    /// Parses an element of a list of conditions or values. Its operators do not make its neighbours' trees deeper, so
    /// they are not added to theirs.
    ///
    /// - Parameter start: the number of operators around the whole list.
    mutating func beside<Result>(
        _ start: Int, _ parse: (inout PredicateParser) throws(PredicateFormatError) -> Result
    ) throws(PredicateFormatError) -> Result {
        let most = operators
        operators = start
        let result = try parse(&self)
        operators = max(most, operators)
        return result
    }

    mutating func countOperator() throws(PredicateFormatError) {
        operators += 1
        guard operators <= Self.maximumOperators else {
            throw error("The text has more than \(Self.maximumOperators) operators that depend on one another.")
        }
    }

    func error(_ message: String) -> PredicateFormatError {
        text.error(message, at: current.offset)
    }
}
