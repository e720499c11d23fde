// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tokens of a predicate's text, as positions in it.

/// One token. It allocates no memory: the parser creates strings for names and literals when needed.
struct PredicateToken {
    enum Kind: Equatable {
        /// A name that cannot be a keyword: escaped with `#`, starting with `@`, or a function name with colons.
        case name
        /// A name that is not a keyword.
        case plainName
        case keyword(PredicateKeyword)
        case symbol(PredicateSymbol)
        case variable
        /// A quoted string without escapes.
        case string
        /// A quoted string with escapes, as an index of the text's values.
        case escapedString(Int)
        case integer(Int)
        /// A number that is not an `Int`, as an index of the text's values.
        case number(Int)
        /// `%@` and similar placeholders: an index of the text's values.
        case argument(Int)
        /// `%K`: the key path as an index of the text's values.
        case keyPath(Int)
        case end
    }

    let kind: Kind
    /// The start of the token including its quote or prefix. All positions are in bytes.
    let offset: Int
    /// The range of the text of names, variables and strings.
    let start: Int
    let end: Int

    var keyword: PredicateKeyword? {
        guard case .keyword(let keyword) = kind else { return nil }
        return keyword
    }

    func isSymbol(_ symbol: PredicateSymbol) -> Bool { kind == .symbol(symbol) }
}

/// Punctuation and operators, by their spelling.
enum PredicateSymbol: String, CaseIterable {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case dot = "."
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case bitNot = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case equal = "="
    case doubleEqual = "=="
    case unequal = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case and = "&&"
    case or = "||"
    case not = "!"
    case assign = ":="

    /// The symbol of two bytes, or of the first one; nil for other bytes.
    static func starting(_ first: UInt8, _ second: UInt8) -> (symbol: PredicateSymbol, length: Int)? {
        if let long = long(first, second) { return (long, 2) }
        return short(first).map { ($0, 1) }
    }

    private static func long(_ first: UInt8, _ second: UInt8) -> PredicateSymbol? {
        switch (UnicodeScalar(first), UnicodeScalar(second)) {
        case ("*", "*"): .power
        case ("<", "<"): .shiftLeft
        case (">", ">"): .shiftRight
        case ("<", "="): .lessOrEqual
        case (">", "="): .greaterOrEqual
        case ("=", "<"): .equalOrLess
        case ("=", ">"): .equalOrGreater
        case ("=", "="): .doubleEqual
        case ("!", "="): .unequal
        case ("<", ">"): .lessOrGreater
        case ("&", "&"): .and
        case ("|", "|"): .or
        case (":", "="): .assign
        default: nil
        }
    }

    private static func short(_ byte: UInt8) -> PredicateSymbol? {
        switch UnicodeScalar(byte) {
        case "<": .less
        case ">": .greater
        case "=": .equal
        case "!": .not
        case "(": .openParenthesis
        case ")": .closeParenthesis
        case "{": .openBrace
        case "}": .closeBrace
        case "[": .openBracket
        case "]": .closeBracket
        case ",": .comma
        case ".": .dot
        case "+": .plus
        case "-": .minus
        case "*": .times
        case "/": .divided
        case "&": .bitAnd
        case "|": .bitOr
        case "^": .bitXor
        case "~": .bitNot
        default: nil
        }
    }
}
