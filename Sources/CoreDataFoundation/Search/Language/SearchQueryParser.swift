// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses the language of search queries.

/// A parser by recursive descent:
///
///     or       = and {"OR" and}
///     and      = not {"AND" not}
///     not      = sequence {"NOT" sequence}
///     sequence = primary {primary}
///     primary  = [columns ":"] ( "(" or ")" | near | ["^"] phrase )
///     columns  = word | quoted | "{" (word | quoted) {word | quoted} "}"
///     near     = "NEAR" "(" phrase {phrase} ["," number] ")"
///     phrase   = (word | quoted) ["*"]
struct SearchQueryParser {
    /// More levels could overflow the stack of SQLite's parser, which has 100 entries.
    static let deepest = 25
    static let mostPhrases = 1_000
    static let longestText = 65_536
    static let standardDistance = 10
    /// FTS5 reads distances of up to nine digits.
    static let longestDistance = 999_999_999

    private let text: String
    private var tokens: [SearchQueryToken] = []
    private var place = 0
    private var depth = 0
    private var phraseCount = 0

    /// - Returns: nil for a text without words and symbols.
    static func parse(_ text: String) throws(SearchQueryError) -> SearchSyntax? {
        var parser = SearchQueryParser(text)
        guard text.utf8.count <= longestText else {
            throw parser.error("The query has more than \(longestText) bytes.", at: 0)
        }
        parser.tokens = try SearchQueryToken.tokens(of: text)
        if parser.current.kind == .end { return nil }
        let syntax = try parser.alternatives()
        guard parser.current.kind == .end else { throw parser.unexpected("A word or an operator") }
        return syntax
    }

    private init(_ text: String) { self.text = text }

    private var current: SearchQueryToken { tokens[place] }

    private func error(_ message: String, at offset: Int) -> SearchQueryError {
        SearchQueryError(message: message, offset: offset, text: text)
    }

    private func unexpected(_ expectation: String) -> SearchQueryError {
        error("\(expectation) is expected, not \(current.spelling).", at: current.offset)
    }

    private func isSymbol(_ symbol: Unicode.Scalar, at index: Int) -> Bool {
        index < tokens.count && tokens[index].kind == .symbol(symbol)
    }

    private mutating func take(_ symbol: Unicode.Scalar) -> Bool {
        guard isSymbol(symbol, at: place) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ symbol: Unicode.Scalar) throws(SearchQueryError) {
        guard take(symbol) else { throw unexpected("A \"\(symbol)\"") }
    }

    private func isOperator(_ name: String) -> Bool { current.kind == .word(name) }

    private var isAnyOperator: Bool { isOperator("AND") || isOperator("OR") || isOperator("NOT") }

    private mutating func takeOperator(_ name: String) -> Bool {
        guard isOperator(name) else { return false }
        place += 1
        return true
    }

    // MARK: Operators

    private mutating func alternatives() throws(SearchQueryError) -> SearchSyntax {
        depth += 1
        guard depth <= Self.deepest else {
            throw error("The query is nested deeper than \(Self.deepest) levels.", at: current.offset)
        }
        var members = [try conjunction()]
        while takeOperator("OR") { members.append(try conjunction()) }
        depth -= 1
        return .any(members)
    }

    private mutating func conjunction() throws(SearchQueryError) -> SearchSyntax {
        var members = [try exclusion()]
        while takeOperator("AND") { members.append(try exclusion()) }
        return .all(members)
    }

    private mutating func exclusion() throws(SearchQueryError) -> SearchSyntax {
        let wanted = try sequence()
        var excluded: [SearchSyntax] = []
        while takeOperator("NOT") { excluded.append(try sequence()) }
        return excluded.isEmpty ? wanted : .not(wanted, .any(excluded))
    }

    private mutating func sequence() throws(SearchQueryError) -> SearchSyntax {
        var members = [try primary()]
        while current.kind != .end, !isSymbol(")", at: place), !isAnyOperator { members.append(try primary()) }
        return .all(members)
    }

    // MARK: Operands

    private mutating func primary() throws(SearchQueryError) -> SearchSyntax {
        if let names = try columns() { return .columns(names, try operand()) }
        return try operand()
    }

    private mutating func operand() throws(SearchQueryError) -> SearchSyntax {
        if take("(") {
            let syntax = try alternatives()
            try expect(")")
            return syntax
        }
        if current.kind == .word("NEAR"), isSymbol("(", at: place + 1) { return try near() }
        let isInitial = take("^")
        return .phrase(try phrase(isInitial: isInitial))
    }

    /// The names before a colon; nil without one.
    private mutating func columns() throws(SearchQueryError) -> [String]? {
        if take("{") {
            var names: [String] = []
            while !take("}") {
                guard let name = name(of: current) else { throw unexpected("The name of an attribute or a \"}\"") }
                if !names.contains(name) { names.append(name) }
                place += 1
            }
            guard !names.isEmpty else {
                throw error("The name of an attribute is expected between braces.", at: tokens[place - 1].offset)
            }
            try expect(":")
            return names
        }
        guard let name = name(of: current), isSymbol(":", at: place + 1) else { return nil }
        place += 2
        return [name]
    }

    private func name(of token: SearchQueryToken) -> String? {
        switch token.kind {
        case .word(let name), .quoted(let name): name
        case .symbol, .end: nil
        }
    }

    private mutating func near() throws(SearchQueryError) -> SearchSyntax {
        place += 2
        var phrases: [SearchPhrase] = []
        repeat { phrases.append(try phrase()) } while !isSymbol(")", at: place) && !isSymbol(",", at: place)
        var distance = Self.standardDistance
        if take(",") {
            guard case .word(let digits) = current.kind, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), number <= Self.longestDistance
            else { throw unexpected("A number of tokens from 0 to \(Self.longestDistance)") }
            distance = number
            place += 1
        }
        try expect(")")
        return phrases.count == 1 ? .phrase(phrases[0]) : .near(phrases, distance: distance)
    }

    private mutating func phrase(isInitial: Bool = false) throws(SearchQueryError) -> SearchPhrase {
        let token = current
        let text: String
        switch token.kind {
        case .word where isAnyOperator: throw unexpected("A word")
        case .word(let word) where word.hasPrefix("-") || word.hasPrefix("+"):
            throw error(
                "A word cannot begin with \"\(word.prefix(1))\": write NOT to exclude a word, or put it in quotation"
                    + " marks.", at: token.offset)
        case .word(let word): text = word
        case .quoted(let quoted): text = quoted
        case .symbol, .end: throw unexpected("A word")
        }
        phraseCount += 1
        guard phraseCount <= Self.mostPhrases else {
            throw error("The query has more than \(Self.mostPhrases) words and phrases.", at: token.offset)
        }
        place += 1
        let isPrefix = current.isAttached && take("*")
        guard !(isPrefix && current.isAttached && name(of: current) != nil) else {
            throw error("A \"*\" ends a word: a space is expected after it.", at: current.offset)
        }
        return SearchPhrase(text, isPrefix: isPrefix, isInitial: isInitial)
    }
}

extension SearchSyntax {
    /// All of the members; lists inside of the list are joined with it.
    package static func all(_ members: [SearchSyntax]) -> SearchSyntax {
        let flat = members.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } }
        return flat.count == 1 ? flat[0] : .and(flat)
    }

    /// Any of the members; lists inside of the list are joined with it.
    package static func any(_ members: [SearchSyntax]) -> SearchSyntax {
        let flat = members.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } }
        return flat.count == 1 ? flat[0] : .or(flat)
    }
}
