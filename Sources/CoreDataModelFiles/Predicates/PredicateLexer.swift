// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Splits the text of a predicate into tokens.

import Foundation

enum PredicateToken: Equatable {
    /// A word: a key path, a function name with colons, or a keyword.
    case word(String)
    /// A word marked as a name by `#`, or starting with `@`.
    case name(String)
    case variable(String)
    case string(String)
    case number(PropertyListValue)
    case symbol(String)
    case end
}

struct PredicateLexer {
    private let characters: [Character]
    private var position = 0

    static func tokens(of text: String) throws -> [PredicateToken] {
        var lexer = PredicateLexer(characters: Array(text))
        var tokens: [PredicateToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens
    }

    private init(characters: [Character]) { self.characters = characters }

    private var current: Character? { position < characters.count ? characters[position] : nil }

    private mutating func next() throws -> PredicateToken? {
        while let character = current, character.isWhitespace { position += 1 }
        guard let character = current else { return nil }
        if character == "\"" || character == "'" { return .string(try string(quote: character)) }
        if character.isASCII, character.isNumber { return try number() }
        if character == "$" {
            position += 1
            let name = word()
            guard !name.isEmpty else { throw failure("a '$' without a name") }
            return .variable(name)
        }
        if character == "#" {
            position += 1
            return .name(word())
        }
        if character == "@" {
            position += 1
            return .name("@" + word())
        }
        if isWordStart(character) { return .word(functionName()) }
        return .symbol(try symbol())
    }

    private func isWordStart(_ character: Character) -> Bool { character.isLetter || character == "_" }

    private mutating func word() -> String {
        let start = position
        while let character = current, isWordStart(character) || character.isNumber { position += 1 }
        return String(characters[start..<position])
    }

    /// Reads a word, with the colons of a selector if an argument list follows.
    private mutating func functionName() -> String {
        let plain = word()
        let end = position
        var name = plain
        while current == ":" {
            position += 1
            name += ":" + word()
        }
        guard name != plain else { return plain }
        if current == "(" { return name }
        position = end
        return plain
    }

    private mutating func string(quote: Character) throws -> String {
        position += 1
        var text = ""
        while let character = current {
            position += 1
            if character == quote { return text }
            guard character == "\\" else {
                text.append(character)
                continue
            }
            guard let escaped = current else { break }
            position += 1
            switch escaped {
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            default: text.append(escaped)
            }
        }
        throw failure("a text without end")
    }

    private mutating func number() throws -> PredicateToken {
        let start = position
        var isWhole = true
        while let character = current {
            let isExponentSign = (character == "-" || character == "+") && "eE".contains(characters[position - 1])
            guard (character.isASCII && character.isNumber) || ".eE".contains(character) || isExponentSign else {
                break
            }
            if ".eE".contains(character) || isExponentSign { isWhole = false }
            position += 1
        }
        let text = String(characters[start..<position])
        if isWhole, let number = Int64(text) { return .number(.integer(number)) }
        guard let number = Double(text), number.isFinite else { throw failure("the number '\(text)'") }
        return .number(.real(number))
    }

    private mutating func symbol() throws -> String {
        for length in [2, 1] where position + length <= characters.count {
            let text = String(characters[position..<position + length])
            if Self.symbols.contains(text) {
                position += length
                return text
            }
        }
        throw failure("the character '\(characters[position])'")
    }

    private static let symbols: Set<String> = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "**", "=", "<", ">", "!", "(", ")", "{", "}", "[", "]",
        ",",
        ".", "+", "-", "*", "/",
    ]

    private func failure(_ what: String) -> ModelFileError {
        ModelFileError(
            .unsupportedForm, "The predicate '\(String(characters))' holds \(what), which is not understood.")
    }
}
