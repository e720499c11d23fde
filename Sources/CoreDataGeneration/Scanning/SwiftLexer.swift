// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Splits Swift source code into words and signs, without comments and literals.

import Foundation

package struct SwiftToken: Equatable {
    package enum Kind {
        /// Without backticks.
        case word
        /// A single character.
        case sign
        /// A string, number or regular expression; only plain strings keep their text.
        case literal
        /// `#if`, `#elseif` with the condition as text, `#else`, `#endif`.
        case directive
    }

    package var kind: Kind
    package var text: String
    /// Counted from 1.
    package var line: Int
    /// Whether a line ends between this token and the previous one.
    package var startsLine = false
    /// The bytes in the file.
    package var range: Range<Int>

    package func `is`(_ text: String) -> Bool { self.text == text && kind != .literal }
}

/// A light lexer for finding declarations. It handles nested comments, all forms of strings, backticks and directives.
package struct SwiftLexer {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var tokens: [SwiftToken] = []
    private var startsLine = true

    private let keepsInterpolations: Bool

    /// - Parameter interpolations: whether to include the tokens of string interpolations. They precede their literal.
    package static func tokens(_ bytes: [UInt8], interpolations: Bool = false) -> [SwiftToken] {
        var lexer = SwiftLexer(bytes, keepsInterpolations: interpolations)
        while lexer.at < lexer.bytes.count { lexer.next() }
        return lexer.tokens
    }

    private init(_ bytes: [UInt8], keepsInterpolations: Bool) {
        self.bytes = bytes
        self.keepsInterpolations = keepsInterpolations
    }

    private func byte(_ offset: Int = 0) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }

    private func starts(_ text: StaticString) -> Bool {
        at + text.utf8CodeUnitCount <= bytes.count
            && text.withUTF8Buffer { $0.elementsEqual(bytes[at..<at + $0.count]) }
    }

    private mutating func next() {
        switch byte() {
        case UInt8(ascii: "\n"):
            line += 1
            startsLine = true
            at += 1
        case 0...32: at += 1
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
            while at < bytes.count, byte() != UInt8(ascii: "\n") { at += 1 }
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): skipComment()
        case UInt8(ascii: "/") where beginsRegex: skipRegex()
        case UInt8(ascii: "\""): string(hashes: 0)
        case UInt8(ascii: "#"): hash()
        case UInt8(ascii: "`"):
            let start = at
            at += 1
            let name = at
            while at < bytes.count, byte() != UInt8(ascii: "`"), byte() != UInt8(ascii: "\n") { at += 1 }
            let text = String(decoding: bytes[name..<at], as: UTF8.self)
            at += 1
            add(.word, text, from: start)
        case let first where Self.isWord(first):
            let start = at
            while Self.isWord(byte()) { at += 1 }
            let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            add(isNumber ? .literal : .word, String(decoding: bytes[start..<at], as: UTF8.self), from: start)
        default:
            at += 1
            add(.sign, String(UnicodeScalar(bytes[at - 1])), from: at - 1)
        }
    }

    private mutating func add(_ kind: SwiftToken.Kind, _ text: String, from start: Int, line first: Int? = nil) {
        tokens.append(
            SwiftToken(
                kind: kind, text: text, line: first ?? line, startsLine: startsLine,
                range: start..<min(at, bytes.count)))
        startsLine = false
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                at += 2
            } else if starts("*/") {
                depth -= 1
                at += 2
            } else {
                if byte() == UInt8(ascii: "\n") {
                    line += 1
                    startsLine = true
                }
                at += 1
            }
        } while depth > 0 && at < bytes.count
    }
}

// MARK: Literals

extension SwiftLexer {
    /// Whether a slash in the position of a value is closed by another one on the line.
    private var beginsRegex: Bool {
        guard byte(1) > 32, byte(1) != UInt8(ascii: "="), byte(1) != UInt8(ascii: ")") else { return false }
        guard let last = tokens.last, !startsLine || last.kind == .sign else { return false }
        guard last.kind == .sign, "(,=:[{!&|?;".contains(last.text) else { return last.is("return") || last.is("in") }
        var end = at + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
            if bytes[end] == UInt8(ascii: "/") { return true }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    private mutating func skipRegex() {
        let start = at
        at += 1
        while at < bytes.count, byte() != UInt8(ascii: "/"), byte() != UInt8(ascii: "\n") {
            at += byte() == UInt8(ascii: "\\") ? 2 : 1
        }
        at += 1
        add(.literal, "", from: start)
    }

    /// A raw string, an extended regular expression, a directive, or a sign.
    private mutating func hash() {
        let start = at
        var count = 0
        while byte(count) == UInt8(ascii: "#") { count += 1 }
        if byte(count) == UInt8(ascii: "\"") {
            at += count
            return string(hashes: count)
        }
        if byte(count) == UInt8(ascii: "/") {
            at += count + 1
            while at < bytes.count, !(byte() == UInt8(ascii: "/") && closes(hashes: count, from: at + 1)) {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                at += 1
            }
            at += 1 + count
            return add(.literal, "", from: start)
        }
        for name in ["#if", "#elseif", "#else", "#endif"] where startsLine && directive(name) { return }
        at += 1
        add(.sign, "#", from: start)
    }

    private mutating func directive(_ name: String) -> Bool {
        let end = at + name.utf8.count
        guard bytes[at...].starts(with: name.utf8), end >= bytes.count || !Self.isWord(bytes[end]) else { return false }
        let start = at
        var stop = end
        while stop < bytes.count, bytes[stop] != UInt8(ascii: "\n"),
            !(bytes[stop] == UInt8(ascii: "/") && stop + 1 < bytes.count && bytes[stop + 1] == UInt8(ascii: "/"))
        {
            stop += 1
        }
        let condition = String(decoding: bytes[end..<stop], as: UTF8.self).trimmingCharacters(in: .whitespaces)
        at = stop
        add(.directive, condition.isEmpty ? name : "\(name) \(condition)", from: start)
        return true
    }

    private func closes(hashes count: Int, from place: Int) -> Bool {
        (0..<count).allSatisfy { place + $0 < bytes.count && bytes[place + $0] == UInt8(ascii: "#") }
    }

    /// Reads a string from its first quote on. Interpolations are skipped with their contents.
    private mutating func string(hashes: Int) {
        let (start, first) = (at - hashes, line)
        let isLong = starts("\"\"\"")
        let quotes = isLong ? 3 : 1
        at += quotes
        let body = at
        while at < bytes.count {
            if byte() == UInt8(ascii: "\n") {
                if !isLong { break }
                line += 1
                at += 1
            } else if byte() == UInt8(ascii: "\\"), closes(hashes: hashes, from: at + 1) {
                at += 1 + hashes
                if byte() == UInt8(ascii: "(") { skipInterpolation() } else if byte() != UInt8(ascii: "\n") { at += 1 }
            } else if byte() == UInt8(ascii: "\""), !isLong || starts("\"\"\""),
                closes(hashes: hashes, from: at + quotes)
            {
                break
            } else {
                at += 1
            }
        }
        let text = String(decoding: bytes[body..<min(at, bytes.count)], as: UTF8.self)
        at += quotes + hashes
        add(.literal, text, from: start, line: first)
    }

    private mutating func skipInterpolation() {
        var depth = 0
        let (outer, wasStart) = (tokens, startsLine)
        repeat {
            if byte() == UInt8(ascii: "(") { depth += 1 }
            if byte() == UInt8(ascii: ")") { depth -= 1 }
            next()
        } while depth > 0 && at < bytes.count
        if !keepsInterpolations { tokens = outer }
        startsLine = wasStart
    }
}
