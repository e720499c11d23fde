// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads JSON numbers with exactly their written value; Foundation's reader rounds some of them.

import Foundation

/// One JSON value of the types that Foundation's reader returns: `NSNull`, `NSNumber`, `String`, `[Any]`,
/// `[String: Any]`.
package struct ExactJSON {
    private static let maximumDepth = 64
    private let bytes: [UInt8]
    private var position = 0

    /// - Throws: `ExchangeError` for text that is no JSON.
    package static func value(_ bytes: [UInt8]) throws -> Any {
        var reader = ExactJSON(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.failure }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var failure: ExchangeError { ExchangeError("This is no JSON, at the byte \(position + 1).") }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) throws {
        guard next == UInt8(ascii: character) else { throw failure }
        position += 1
    }

    private mutating func value(depth: Int) throws -> Any {
        guard depth < Self.maximumDepth else { throw ExchangeError("This JSON is nested too deeply.") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "t"): return try word("true", NSNumber(value: true))
        case UInt8(ascii: "f"): return try word("false", NSNumber(value: false))
        case UInt8(ascii: "n"): return try word("null", NSNull())
        default: return try number()
        }
    }

    private mutating func word(_ text: String, _ value: Any) throws -> Any {
        guard bytes[position...].starts(with: text.utf8) else { throw failure }
        position += text.utf8.count
        return value
    }

    private mutating func object(_ depth: Int) throws -> Any {
        try take("{")
        var result: [String: Any] = [:]
        skipSpace()
        if next == UInt8(ascii: "}") {
            position += 1
            return result
        }
        while true {
            skipSpace()
            let key = try string()
            skipSpace()
            try take(":")
            result[key] = try value(depth: depth + 1)
            skipSpace()
            if next == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try take("}")
            return result
        }
    }

    private mutating func array(_ depth: Int) throws -> Any {
        try take("[")
        var result: [Any] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            position += 1
            return result
        }
        while true {
            result.append(try value(depth: depth + 1))
            skipSpace()
            if next == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try take("]")
            return result
        }
    }

    private mutating func number() throws -> Any {
        let start = position
        while let byte = next, Self.isOfNumber(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let whole = Int64(text), text != "-0" { return NSNumber(value: whole) }
        guard let real = Double(text) else { throw failure }
        return NSNumber(value: real)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private mutating func string() throws -> String {
        try take("\"")
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        if next == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
        }
        // Escapes are rare.
        var text = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escape = next else { throw failure }
                position += 1
                switch escape {
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "r"): text.append(13)
                case UInt8(ascii: "t"): text.append(9)
                case UInt8(ascii: "b"): text.append(8)
                case UInt8(ascii: "f"): text.append(12)
                case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
                default: throw failure
                }
            default: text.append(byte)
            }
        }
        throw failure
    }

    private mutating func unit() throws -> UInt32 {
        guard position + 4 <= bytes.count,
            let number = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw failure }
        position += 4
        return number
    }

    /// The character of one escape, or of a pair of surrogates.
    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try unit()
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        guard bytes[position...].starts(with: "\\u".utf8) else { return "\u{FFFD}" }
        position += 2
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second) else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }
}
