// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The words of a predicate's text, as places in it.

/// One word. It holds no memory of its own: names and strings are made where the tree needs them.
struct PredicateToken {
    enum Kind: Equatable {
        /// A name that cannot be a keyword: escaped with `#`, begun with `@`, or a function's with its colons.
        case name
        /// A name that the language does not know.
        case plainName
        case keyword(PredicateKeyword)
        case symbol(PredicateSymbol)
        case variable
        /// Between quotes, without escapes.
        case string
        /// With escapes, as one of the text's values.
        case escapedString(Int)
        case integer(Int)
        /// Numbers that are no `Int`, as one of the text's values.
        case number(Int)
        /// `%@` and its like: the argument is one of the text's values.
        case argument(Int)
        /// `%K`: the key path is one of the text's values.
        case keyPath(Int)
        case end
    }

    let kind: Kind
    /// Where the word begins, its quote or sign included. In bytes, as the others.
    let offset: Int
    /// What names, variables and strings say.
    let start: Int
    let end: Int

    var keyword: PredicateKeyword? {
        guard case .keyword(let keyword) = kind else { return nil }
        return keyword
    }

    func isSymbol(_ symbol: PredicateSymbol) -> Bool { kind == .symbol(symbol) }
}

/// Signs, as they are spelled.
enum PredicateSymbol: String {
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

    /// The sign that two bytes make, or the first alone; nil where the language has none.
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
