// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses property lists in the old text format, which Xcode's project files have.

import Foundation

/// A value of an old-style property list.
package enum ProjectValue: Sendable, Equatable {
    case string(String)
    case array([ProjectValue])
    case dictionary([String: ProjectValue])

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var array: [ProjectValue]? {
        if case .array(let members) = self { members } else { nil }
    }

    package var dictionary: [String: ProjectValue]? {
        if case .dictionary(let fields) = self { fields } else { nil }
    }

    package subscript(key: String) -> ProjectValue? { dictionary?[key] }

    /// The strings of an array; the single string in place of one.
    package var strings: [String] { array?.compactMap(\.string) ?? string.map { [$0] } ?? [] }
}

/// The project cannot be read.
package struct ProjectError: LocalizedError, Equatable, CustomStringConvertible {
    package var path: String
    /// "line:column", "line", or "" for an error of the whole file.
    package var place = ""
    package var explanation: String

    package init(_ path: String, place: String = "", _ explanation: String) {
        self.path = path
        self.place = place
        self.explanation = explanation
    }

    package var errorDescription: String? { description }

    package var description: String { place.isEmpty ? "\(path): \(explanation)" : "\(path):\(place): \(explanation)" }
}

/// A parser that reports the place of a mistake. It accepts dictionaries, arrays, quoted and plain strings, data as
/// text, and comments.
struct PropertyListText {
    static let maximumSize = 64 << 20
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private let path: String
    private var at = 0

    /// - Throws: `ProjectError` with line and column.
    static func parse(_ data: Data, path: String) throws -> ProjectValue {
        guard data.count <= maximumSize else { throw ProjectError(path, "The file is larger than 64 MB.") }
        var parser = PropertyListText([UInt8](data), path)
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.at == parser.bytes.count else { throw parser.mistake("There is text after the last value.") }
        return value
    }

    private init(_ bytes: [UInt8], _ path: String) {
        self.bytes = bytes
        self.path = path
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func mistake(_ text: String) -> ProjectError {
        let before = bytes[..<min(at, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return ProjectError(path, place: "\(line):\(before.count - start + 1)", text)
    }

    // MARK: Values

    private mutating func value(depth: Int) throws -> ProjectValue {
        guard depth < Self.maximumDepth else { throw mistake("Values are nested too deeply.") }
        skipBlanks()
        switch byte {
        case UInt8(ascii: "{"): return try dictionary(depth)
        case UInt8(ascii: "("): return try array(depth)
        case UInt8(ascii: "<"): return .string(try data())
        case nil: throw mistake("The file ends before a value.")
        default: return .string(try string())
        }
    }

    private mutating func dictionary(_ depth: Int) throws -> ProjectValue {
        var fields: [String: ProjectValue] = [:]
        at += 1
        while true {
            skipBlanks()
            guard let byte else { throw mistake("The file ends inside of a dictionary.") }
            if byte == UInt8(ascii: "}") {
                at += 1
                return .dictionary(fields)
            }
            let key = try string()
            try expect(UInt8(ascii: "="), "after the key '\(key)'")
            fields[key] = try value(depth: depth + 1)
            skipBlanks()
            if self.byte != UInt8(ascii: "}") { try expect(UInt8(ascii: ";"), "after the value of '\(key)'") }
        }
    }

    private mutating func array(_ depth: Int) throws -> ProjectValue {
        var members: [ProjectValue] = []
        at += 1
        while true {
            skipBlanks()
            guard let byte else { throw mistake("The file ends inside of an array.") }
            if byte == UInt8(ascii: ")") {
                at += 1
                return .array(members)
            }
            members.append(try value(depth: depth + 1))
            skipBlanks()
            if self.byte != UInt8(ascii: ")") { try expect(UInt8(ascii: ","), "after a member of an array") }
        }
    }

    private mutating func expect(_ sign: UInt8, _ place: String) throws {
        skipBlanks()
        guard byte == sign else { throw mistake("There is no '\(UnicodeScalar(sign))' \(place).") }
        at += 1
    }

    private mutating func data() throws -> String {
        let start = at + 1
        while let byte, byte != UInt8(ascii: ">") { at += 1 }
        guard byte != nil else { throw mistake("The file ends inside of data.") }
        at += 1
        return String(decoding: bytes[start..<(at - 1)], as: UTF8.self)
    }

    // MARK: Strings

    private mutating func string() throws -> String {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try quoted() }
        let start = at
        while let byte, Self.isPlain(byte), !beginsComment { at += 1 }
        guard at > start else { throw mistake("A key or a value is missing.") }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// Xcode quotes fewer characters than the format's description says; anything but signs and blanks is accepted.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...32, UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "="),
            UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
            UInt8(ascii: ">"):
            false
        default: true
        }
    }

    private mutating func quoted() throws -> String {
        let quote = bytes[at]
        var text: [UInt8] = []
        at += 1
        while let byte, byte != quote {
            at += 1
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
            } else if let escaped = self.byte {
                at += 1
                text += escape(escaped)
            }
        }
        guard byte == quote else { throw mistake("The file ends inside of a string.") }
        at += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "a"): return [7]
        case UInt8(ascii: "U"):
            let digits = bytes[at..<min(at + 4, bytes.count)].prefix { UnicodeScalar($0).properties.isASCIIHexDigit }
            at += digits.count
            let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(UnicodeScalar.init)
            return Array(String(scalar.map(Character.init) ?? "\u{FFFD}").utf8)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let digits = bytes[(at - 1)..<min(at + 2, bytes.count)].prefix { (48...55).contains($0) }
            at += digits.count - 1
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0
            return Array(String(UnicodeScalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
        default: return [byte]
        }
    }

    // MARK: Blanks

    private var beginsComment: Bool {
        at + 1 < bytes.count && bytes[at] == UInt8(ascii: "/")
            && (bytes[at + 1] == UInt8(ascii: "/") || bytes[at + 1] == UInt8(ascii: "*"))
            && (at == 0 || bytes[at - 1] <= 32 || bytes[at + 1] == UInt8(ascii: "*"))
    }

    private mutating func skipBlanks() {
        while let byte {
            if byte <= 32 {
                at += 1
            } else if beginsComment {
                let isLong = bytes[at + 1] == UInt8(ascii: "*")
                at += 2
                while at < bytes.count, isLong ? !endsComment : bytes[at] != UInt8(ascii: "\n") { at += 1 }
                at = min(at + (isLong ? 2 : 0), bytes.count)
            } else {
                return
            }
        }
    }

    private var endsComment: Bool {
        at + 1 < bytes.count && bytes[at] == UInt8(ascii: "*") && bytes[at + 1] == UInt8(ascii: "/")
    }
}
