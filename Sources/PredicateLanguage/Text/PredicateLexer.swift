// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Splits a predicate's text into tokens and inserts the arguments.

/// One pass over the bytes, with a bounded number of reads of each byte.
struct PredicateLexer {
    var text: PredicateText
    /// In bytes.
    var position = 0
    private var arguments: FormatArguments

    static func read(_ format: String, arguments: FormatArguments) throws(PredicateFormatError) -> PredicateText {
        var lexer = PredicateLexer(text: PredicateText(format), arguments: arguments)
        try lexer.run()
        return lexer.text
    }

    private init(text: PredicateText, arguments: FormatArguments) {
        self.text = text
        self.arguments = arguments
    }

    private mutating func run() throws(PredicateFormatError) {
        while true {
            skipSpace()
            guard position < text.bytes.count else { break }
            text.tokens.append(try token(startingWith: text.bytes[position]))
        }
        text.tokens.append(PredicateToken(kind: .end, offset: position, start: position, end: position))
    }

    private mutating func token(startingWith byte: UInt8) throws(PredicateFormatError) -> PredicateToken {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            return try name()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return try string(quotedBy: byte)
        case UInt8(ascii: "%"): return try placeholder()
        case UInt8(ascii: "$"): return try marked(.variable, by: "$")
        case UInt8(ascii: "#"): return try marked(.name, by: "#")
        case UInt8(ascii: "@"): return try marked(.name, by: "@")
        case UInt8(ascii: ".") where startsFraction: return try number()
        default: return try symbol(startingWith: byte)
        }
    }

    private mutating func skipSpace() {
        while position < text.bytes.count {
            let byte = text.bytes[position]
            if byte == 0x20 || byte &- 9 < 5 {
                position += 1
            } else if byte >= 0x80, let (scalar, length) = text.scalar(at: position), scalar.properties.isWhitespace {
                position += length
            } else {
                return
            }
        }
    }

    // MARK: Names

    /// The length of a scalar that may start or continue a name; nil for others.
    private func nameLength(isFirst: Bool) -> Int? {
        guard position < text.bytes.count else { return nil }
        let byte = text.bytes[position]
        if (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") { return 1 }
        if byte < 0x80 { return !isFirst && byte &- 0x30 < 10 ? 1 : nil }
        guard let (scalar, length) = text.scalar(at: position) else { return nil }
        let properties = scalar.properties
        if properties.isAlphabetic { return length }
        guard !isFirst, properties.numericType == .decimal || properties.generalCategory == .nonspacingMark else {
            return nil
        }
        return length
    }

    var startsName: Bool { nameLength(isFirst: true) != nil }

    mutating func skipName() {
        while let length = nameLength(isFirst: false) { position += length }
    }

    /// `$name`, `#name`, `@name`; the at sign is part of the name.
    private mutating func marked(
        _ kind: PredicateToken.Kind, by mark: String
    ) throws(PredicateFormatError) -> PredicateToken {
        let offset = position
        position += 1
        guard startsName else { throw text.error("A name must follow '\(mark)'.", at: position) }
        let start = mark == "@" ? offset : position
        skipName()
        return PredicateToken(kind: kind, offset: offset, start: start, end: position)
    }

    private mutating func name() throws(PredicateFormatError) -> PredicateToken {
        let start = position
        guard startsName else { throw text.error("The language has no such character.", at: start) }
        skipName()
        if byte(at: position) == UInt8(ascii: ":"), skipColons() {
            return PredicateToken(kind: .name, offset: start, start: start, end: position)
        }
        let keyword = PredicateKeyword(text.bytes[start..<position])
        return PredicateToken(
            kind: keyword.map { .keyword($0) } ?? .plainName, offset: start, start: start, end: position)
    }

    /// Colons are part of a name only before a call: `add:to:(a, b)`.
    private mutating func skipColons() -> Bool {
        let start = position
        while byte(at: position) == UInt8(ascii: ":") {
            position += 1
            skipName()
        }
        if text.bytes[position - 1] == UInt8(ascii: ":"), byte(at: position) == UInt8(ascii: "(") { return true }
        position = start
        return false
    }

    // MARK: Placeholders and symbols

    private mutating func placeholder() throws(PredicateFormatError) -> PredicateToken {
        let start = position
        position += 1
        if byte(at: position) == UInt8(ascii: "%") {
            throw text.error("There is no operator '%'; write modulus:by:(a, b).", at: start)
        }
        guard let placeholder = FormatPlaceholder(text.bytes[position...]) else {
            throw text.error("'%' begins no placeholder that the format language has.", at: start)
        }
        position += placeholder.length
        let index = text.values.count
        let kind: PredicateToken.Kind
        switch arguments.take(placeholder) {
        case .success(.value(let value)):
            text.values.append(value)
            kind = .argument(index)
        case .success(.keyPath(let path)):
            text.values.append(path)
            kind = .keyPath(index)
        case .failure(let refusal): throw text.error(refusal.message, at: start)
        }
        return PredicateToken(kind: kind, offset: start, start: start, end: position)
    }

    private mutating func symbol(startingWith byte: UInt8) throws(PredicateFormatError) -> PredicateToken {
        let start = position
        guard let (symbol, length) = PredicateSymbol.starting(byte, self.byte(at: start + 1)) else {
            throw text.error("The language has no such character.", at: start)
        }
        position += length
        return PredicateToken(kind: .symbol(symbol), offset: start, start: start, end: position)
    }

    // MARK: Places

    /// Zero, which is no valid byte of a text, beyond the end.
    func byte(at place: Int) -> UInt8 { place < text.bytes.count ? text.bytes[place] : 0 }

    func isDigit(at place: Int) -> Bool { byte(at: place) &- 0x30 < 10 }

    /// `.5` is a number only in a position where no key path can continue.
    private var startsFraction: Bool {
        guard isDigit(at: position + 1) else { return false }
        guard let last = text.tokens.last else { return true }
        guard case .symbol(let symbol) = last.kind else { return false }
        return symbol != .closeParenthesis && symbol != .closeBracket && symbol != .closeBrace
    }
}
