// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A JSON value with ordered keys in objects, and its text.

import Foundation

/// A JSON value.
public indirect enum JSONValue: Sendable, Equatable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// The digits in the output. The creator ensures that they are a valid JSON number.
    case number(String)
    /// A text without escapes.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members in the order of the output.
    case object([Member])

    /// A key with its value.
    public struct Member: Sendable, Equatable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue
        /// Makes a member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// A number without a fraction.
    public static func integer(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

    /// "NaN", "Infinity" and "-Infinity" are strings, because JSON has no such numbers and they are not null.
    public static func real(_ value: Double) -> JSONValue {
        value.isFinite ? .number(numberText(value)) : .string(numberText(value))
    }

    /// A string; null for nil.
    public static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    /// An object from pairs, without those that have no value.
    public static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(pairs.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// The shortest digits that parse to the same number; whole numbers without ".0".
    public static func numberText(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int64(value))" }
        return "\(value)"
    }

    // MARK: Text

    /// The text on one line.
    public var text: String {
        var result = ""
        write(to: &result, indent: nil)
        return result
    }

    /// The text on several lines; arrays and objects without nested ones stay on one line.
    public var prettyText: String {
        var result = ""
        write(to: &result, indent: 0)
        return result
    }

    private var isFlat: Bool {
        switch self {
        case .array(let values): values.allSatisfy { !$0.isContainer }
        case .object(let members): members.count <= 3 && members.allSatisfy { !$0.value.isContainer }
        default: true
        }
    }

    private var isContainer: Bool {
        switch self {
        case .array(let values): !values.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            Self.write(values, "[", "]", to: &text, indent: isFlat ? nil : indent) { value, text, indent in
                value.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.write(members, "{", "}", to: &text, indent: isFlat ? nil : indent) { member, text, indent in
                Self.quote(member.key, to: &text)
                text += ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part], _ open: String, _ close: String, to text: inout String, indent: Int?,
        _ each: (Part, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 2 }
        for (position, part) in parts.enumerated() {
            if position > 0 { text += inner == nil ? ", " : "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            each(part, &text, inner)
        }
        if let indent, !parts.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
        text += close
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
