// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads numbers and quoted strings of a predicate's text.

import Foundation

extension PredicateLexer {
    // MARK: Numbers

    mutating func number() throws(PredicateFormatError) -> PredicateToken {
        let start = position
        if byte(at: start) == UInt8(ascii: "0"), let radix = Self.radix(byte(at: start + 1)) {
            return try number(radix: radix)
        }
        skipDigits()
        if let value = smallInteger(start..<position), !continuesNumber {
            return PredicateToken(kind: .integer(value), offset: start, start: start, end: position)
        }
        var isWhole = true
        if byte(at: position) == UInt8(ascii: "."), isDigit(at: position + 1) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if skipExponent() { isWhole = false }
        if startsName { throw text.error("A name cannot begin with a digit.", at: start) }
        return try number(text.string(start..<position), isWhole: isWhole, at: start)
    }

    private var continuesNumber: Bool { byte(at: position) == UInt8(ascii: ".") || startsName }

    /// nil for a number that may exceed `Int`.
    private func smallInteger(_ range: Range<Int>) -> Int? {
        guard range.count <= 18, !range.isEmpty else { return nil }
        return text.bytes[range].reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
    }

    private mutating func number(
        _ digits: String, isWhole: Bool, at start: Int
    ) throws(PredicateFormatError) -> PredicateToken {
        if isWhole, let value = Int(digits) { return number(value, at: start) }
        if isWhole, let value = UInt64(digits) { return number(value, at: start) }
        // Beyond the precision of a double the number becomes a decimal.
        let significant = digits.prefix { $0 != "e" && $0 != "E" }.drop { $0 == "0" || $0 == "." }.count { $0 != "." }
        if significant > 17, let value = Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")) {
            return number(value, at: start)
        }
        guard let value = Double(digits), value.isFinite else {
            throw text.error("The number is too large.", at: start)
        }
        return number(value, at: start)
    }

    private mutating func number(radix: Int) throws(PredicateFormatError) -> PredicateToken {
        let start = position
        position += 2
        let first = position
        skipName()
        let digits = text.string(first..<position)
        if let value = Int(digits, radix: radix) { return number(value, at: start) }
        if let value = UInt64(digits, radix: radix) { return number(value, at: start) }
        throw text.error("'\(text.string(start..<position))' is no whole number of 64 bits.", at: start)
    }

    private mutating func number(_ value: any Sendable, at start: Int) -> PredicateToken {
        text.values.append(value)
        return PredicateToken(kind: .number(text.values.count - 1), offset: start, start: start, end: position)
    }

    private static func radix(_ letter: UInt8) -> Int? {
        switch UnicodeScalar(letter) {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }

    private mutating func skipDigits() {
        while isDigit(at: position) { position += 1 }
    }

    private mutating func skipExponent() -> Bool {
        guard byte(at: position) | 0x20 == UInt8(ascii: "e") else { return false }
        var digits = position + 1
        if byte(at: digits) == UInt8(ascii: "+") || byte(at: digits) == UInt8(ascii: "-") { digits += 1 }
        guard isDigit(at: digits) else { return false }
        position = digits
        skipDigits()
        return true
    }

    // MARK: Strings

    mutating func string(quotedBy quote: UInt8) throws(PredicateFormatError) -> PredicateToken {
        let offset = position
        position += 1
        let start = position
        while position < text.bytes.count {
            let byte = text.bytes[position]
            if byte == quote {
                position += 1
                return PredicateToken(kind: .string, offset: offset, start: start, end: position - 1)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(quotedBy: quote, from: offset) }
            position += 1
        }
        throw text.error("The string has no closing quote.", at: offset)
    }

    /// Reads a string from its first escape sequence on.
    private mutating func escapedString(
        quotedBy quote: UInt8, from offset: Int
    ) throws(PredicateFormatError) -> PredicateToken {
        var bytes = Array(text.bytes[offset + 1..<position])
        while position < text.bytes.count {
            let byte = text.bytes[position]
            position += 1
            if byte == quote {
                text.values.append(String(decoding: bytes, as: UTF8.self))
                let kind = PredicateToken.Kind.escapedString(text.values.count - 1)
                return PredicateToken(kind: kind, offset: offset, start: offset, end: position)
            }
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: String(try escaped(from: offset)).utf8)
            } else {
                bytes.append(byte)
            }
        }
        throw text.error("The string has no closing quote.", at: offset)
    }

    private mutating func escaped(from start: Int) throws(PredicateFormatError) -> Unicode.Scalar {
        guard let (scalar, length) = text.scalar(at: position) else {
            throw text.error("The string has no closing quote.", at: start)
        }
        position += length
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

    /// The scalar of an escape with a number; without digits the letter itself.
    private mutating func code(digits: Int, or letter: Unicode.Scalar) throws(PredicateFormatError) -> Unicode.Scalar {
        let end = min(position + digits, text.bytes.count)
        let range = text.bytes[position..<end]
        guard range.count == digits, range.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let code = UInt32(text.string(position..<end), radix: 16)
        else { return letter }
        guard let scalar = Unicode.Scalar(code) else {
            throw text.error("There is no character of that number.", at: position)
        }
        position = end
        return scalar
    }
}
