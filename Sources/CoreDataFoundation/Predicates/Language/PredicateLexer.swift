// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Cuts a predicate's text into words and puts the arguments in.

import Foundation

/// One pass over the text; every scalar is looked at a bounded number of times.
struct PredicateLexer {
    private static let longSymbols: Set<String> = [
        "**", "<<", ">>", "<=", ">=", "=<", "=>", "==", "!=", "<>", "&&", "||",
    ]
    private static let shortSymbols: Set<String> = [
        "<", ">", "=", "!", "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "&", "|", "^", "~",
    ]
    private static let placeholders = FormatArguments.placeholders.map { ($0, Array($0.unicodeScalars)) }

    private let format: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var arguments: FormatArguments
    private var tokens: [PredicateToken] = []

    static func tokens(of format: String, arguments: [Any?]) throws(PredicateFormatError) -> [PredicateToken] {
        var lexer = PredicateLexer(format, arguments)
        return try lexer.run()
    }

    private init(_ format: String, _ arguments: [Any?]) {
        self.format = format
        self.scalars = Array(format.unicodeScalars)
        self.arguments = FormatArguments(arguments)
    }

    private mutating func run() throws(PredicateFormatError) -> [PredicateToken] {
        while true {
            while let scalar = current, scalar.properties.isWhitespace { position += 1 }
            guard let scalar = current else { break }
            let start = position
            tokens.append(PredicateToken(kind: try token(startingWith: scalar), offset: start))
        }
        tokens.append(PredicateToken(kind: .end, offset: position))
        return tokens
    }

    private mutating func token(startingWith scalar: Unicode.Scalar) throws(PredicateFormatError) -> PredicateToken.Kind
    {
        switch scalar {
        case "'", "\"": return .string(try string(quotedBy: scalar))
        case "%": return try placeholder()
        case "$":
            position += 1
            return .variable(try name(after: "$"))
        case "#":
            position += 1
            return .identifier(try name(after: "#"), escaped: true)
        case "@":
            position += 1
            return .identifier("@" + (try name(after: "@")), escaped: true)
        case "0"..."9": return .number(try number())
        case "." where startsFraction: return .number(try number())
        default:
            if Self.startsName(scalar) { return identifier() }
            return try symbol()
        }
    }

    // MARK: Names

    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        startsName(scalar) || scalar.properties.numericType == .decimal
            || scalar.properties.generalCategory == .nonspacingMark
    }

    private mutating func bareName() -> String {
        let start = position
        while let scalar = current, Self.continuesName(scalar) { position += 1 }
        return text(start..<position)
    }

    private mutating func name(after prefix: String) throws(PredicateFormatError) -> String {
        guard let scalar = current, Self.startsName(scalar) else {
            throw error("A name must follow '\(prefix)'.", at: position)
        }
        return bareName()
    }

    private mutating func identifier() -> PredicateToken.Kind {
        let name = bareName()
        guard current == ":" else { return .identifier(name, escaped: false) }
        // Colons belong to a name only where a call follows: `add:to:(a, b)`.
        let start = position
        while current == ":" {
            position += 1
            _ = bareName()
        }
        let colons = text(start..<position)
        guard colons.hasSuffix(":"), current == "(" else {
            position = start
            return .identifier(name, escaped: false)
        }
        return .identifier(name + colons, escaped: true)
    }

    // MARK: Placeholders and symbols

    private mutating func placeholder() throws(PredicateFormatError) -> PredicateToken.Kind {
        let start = position
        position += 1
        if current == "%" { throw error("There is no operator '%'; write modulus:by:(a, b).", at: start) }
        for (name, spelling) in Self.placeholders where starts(with: spelling) {
            position += spelling.count
            switch arguments.take(name) {
            case .success(.value(let value)): return .value(value)
            case .success(.keyPath(let path)): return .keyPath(path)
            case .failure(let refusal): throw error(refusal.message, at: start)
            }
        }
        throw error("'%' begins no placeholder that the format language has.", at: start)
    }

    private mutating func symbol() throws(PredicateFormatError) -> PredicateToken.Kind {
        for length in [2, 1] where position + length <= scalars.count {
            let spelling = text(position..<position + length)
            guard (length == 2 ? Self.longSymbols : Self.shortSymbols).contains(spelling) else { continue }
            position += length
            return .symbol(spelling)
        }
        throw error("The language has no such character.", at: position)
    }

    // MARK: Numbers

    /// `.5` is a number only where no key path can go on.
    private var startsFraction: Bool {
        guard position + 1 < scalars.count, ("0"..."9").contains(scalars[position + 1]) else { return false }
        guard let last = tokens.last else { return true }
        guard case .symbol(let text) = last.kind else { return false }
        return text != ")" && text != "]" && text != "}"
    }

    private mutating func number() throws(PredicateFormatError) -> any Sendable {
        let start = position
        if current == "0", position + 1 < scalars.count {
            let radix: Int? =
                switch scalars[position + 1] {
                case "x", "X": 16
                case "o", "O": 8
                case "b", "B": 2
                default: nil
                }
            if let radix { return try number(radix: radix, from: start) }
        }
        skipDigits()
        var isWhole = true
        if current == ".", position + 1 < scalars.count, ("0"..."9").contains(scalars[position + 1]) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if skipExponent() { isWhole = false }
        if let scalar = current, Self.startsName(scalar) { throw error("A name cannot begin with a digit.", at: start) }
        return try value(of: text(start..<position), isWhole: isWhole, at: start)
    }

    private func value(of text: String, isWhole: Bool, at start: Int) throws(PredicateFormatError) -> any Sendable {
        if isWhole, let value = Int(text) { return value }
        if isWhole, let value = UInt64(text) { return value }
        // Beyond what a double holds exactly, the digits matter.
        let digits = text.prefix { $0 != "e" && $0 != "E" }.drop { $0 == "0" || $0 == "." }.filter { $0 != "." }
        if digits.count > 17, let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) {
            return value
        }
        guard let value = Double(text), value.isFinite else { throw error("The number is too large.", at: start) }
        return value
    }

    private mutating func number(radix: Int, from start: Int) throws(PredicateFormatError) -> any Sendable {
        position += 2
        let digits = bareName()
        if let value = Int(digits, radix: radix) { return value }
        if let value = UInt64(digits, radix: radix) { return value }
        throw error("'\(text(start..<position))' is no whole number of 64 bits.", at: start)
    }

    private mutating func skipDigits() {
        while let scalar = current, ("0"..."9").contains(scalar) { position += 1 }
    }

    private mutating func skipExponent() -> Bool {
        guard current == "e" || current == "E" else { return false }
        let start = position
        position += 1
        if current == "+" || current == "-" { position += 1 }
        let digits = position
        skipDigits()
        if position > digits { return true }
        position = start
        return false
    }

    // MARK: Strings

    private mutating func string(quotedBy quote: Unicode.Scalar) throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = current {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escaped(from: start) : scalar)
        }
        throw error("The string has no closing quote.", at: start)
    }

    private mutating func escaped(from start: Int) throws(PredicateFormatError) -> Unicode.Scalar {
        guard let scalar = current else { throw error("The string has no closing quote.", at: start) }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "f": return "\u{c}"
        case "b": return "\u{8}"
        case "v": return "\u{b}"
        case "a": return "\u{7}"
        case "x": return try code(digits: 2, or: scalar)
        case "u": return try code(digits: 4, or: scalar)
        case "U": return try code(digits: 8, or: scalar)
        default: return scalar
        }
    }

    /// A letter that no digits follow stands for itself.
    private mutating func code(digits: Int, or letter: Unicode.Scalar) throws(PredicateFormatError) -> Unicode.Scalar {
        let end = min(position + digits, scalars.count)
        guard end - position == digits, let code = UInt32(text(position..<end), radix: 16) else { return letter }
        guard let scalar = Unicode.Scalar(code) else {
            throw error("There is no character of that number.", at: position)
        }
        position = end
        return scalar
    }

    // MARK: Places

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func starts(with spelling: [Unicode.Scalar]) -> Bool {
        scalars[position...].starts(with: spelling)
    }

    private func text(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    private func error(_ message: String, at offset: Int) -> PredicateFormatError {
        PredicateFormatError(message, format: format, offset: offset)
    }
}
