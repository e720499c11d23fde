// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference of a record in a custom store (a number, a string or a UUID), and its form in a URI.

import Foundation

enum ReferenceValue: Hashable, Sendable {
    case integer(Int64)
    case string(String)
    case uuid(UUID)

    /// nil for a value of any other type, and for numbers with a fraction.
    init?(_ value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as UUID: self = .uuid(value)
        case let value as NSString: self = .string(String(value))
        case let value as NSUUID: self = .uuid(value as UUID)
        default:
            guard let number = AttributeValues.number(value), let integer = Snapshot.integer(number),
                number == NSNumber(value: integer)
            else { return nil }
            self = .integer(integer)
        }
    }

    /// The value in the form that stores receive: numbers as `NSNumber`.
    var object: Any {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .string(let value): value
        case .uuid(let value): value
        }
    }
}

/// # Text in a URI
/// After the "p": a number in decimal digits (`p17`, `p-3`); a UUID in capitals
/// (`pE621E1F8-C36C-495A-93FC-0C247A3E6E5F`); a string
/// with everything except letters, digits and `-._` percent-encoded, including slashes (`pa%2Fb`). A string that would
/// read as a number or a UUID, or begins with a tilde, is preceded by a tilde (`p~17`). So each text has exactly one
/// meaning.
extension ReferenceValue {
    var text: String {
        switch self {
        case .integer(let value): return String(value)
        case .uuid(let value): return value.uuidString
        case .string(let value):
            let isPlain = Self.number(value) == nil && Self.identifier(value) == nil && !value.hasPrefix("~")
            return (isPlain ? "" : "~") + (value.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "")
        }
    }

    /// nil for a text with invalid percent-encoding.
    init?(text: Substring) {
        if let number = Self.number(text) {
            self = .integer(number)
        } else if let uuid = Self.identifier(text) {
            self = .uuid(uuid)
        } else {
            let rest = text.hasPrefix("~") ? text.dropFirst() : text
            guard let string = String(rest).removingPercentEncoding else { return nil }
            self = .string(string)
        }
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// A number has the form that `String(_:)` writes: "007" and "+7" are strings.
    private static func number(_ text: some StringProtocol) -> Int64? {
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    private static func identifier(_ text: some StringProtocol) -> UUID? {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: String(text)), uuid.uuidString == text else {
            return nil
        }
        return uuid
    }
}
