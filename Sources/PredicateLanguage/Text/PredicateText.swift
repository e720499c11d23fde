// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A predicate's text as bytes, with the values of its tokens.

/// The input of the parser.
struct PredicateText {
    let format: String
    /// Well-formed UTF-8.
    let bytes: [UInt8]
    var tokens: [PredicateToken] = []
    /// Arguments, and constants that no token can contain.
    var values: [Any?] = []

    /// The operator of a full-text search, in any case. It is no keyword, because keys of Apple's texts may have its
    /// name: it has a meaning only between two values.
    static let searchOperator = "MATCHING"

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
        tokens.reserveCapacity(bytes.count / 4 + 2)
    }

    /// The text of a name, a variable or a string.
    func string(_ token: PredicateToken) -> String { string(token.start..<token.end) }

    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func hasColon(_ token: PredicateToken) -> Bool { bytes[token.start..<token.end].contains(UInt8(ascii: ":")) }

    func isSearchOperator(_ token: PredicateToken) -> Bool {
        token.kind == .plainName && string(token).uppercased() == Self.searchOperator
    }

    /// For messages.
    func spelling(_ token: PredicateToken) -> String {
        switch token.kind {
        case .name, .plainName, .keyword: "'\(string(token))'"
        case .variable: "'$\(string(token))'"
        case .string, .escapedString: "a string"
        case .integer(let number): "'\(number)'"
        case .number(let index): values[index].map { "'\($0)'" } ?? "a number"
        case .argument: "an argument"
        case .keyPath(let index): values[index].map { "'\($0)'" } ?? "a key path"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .end: "the end"
        }
    }

    /// - Parameter offset: in bytes.
    func error(_ message: String, at offset: Int) -> PredicateFormatError {
        // Counts all bytes except UTF-8 continuation bytes.
        let scalars = bytes.prefix(offset).count { $0 & 0xC0 != 0x80 }
        return PredicateFormatError(message, format: format, offset: scalars)
    }

    /// The scalar that starts at a position.
    func scalar(at place: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard place < bytes.count else { return nil }
        let first = bytes[place]
        if first < 0x80 { return (Unicode.Scalar(first), 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard place + length <= bytes.count else { return nil }
        var code = UInt32(first) & (0xFF >> UInt32(length + 1))
        for byte in bytes[place + 1..<place + length] { code = code << 6 | UInt32(byte & 0x3F) }
        return Unicode.Scalar(code).map { ($0, length) }
    }
}
