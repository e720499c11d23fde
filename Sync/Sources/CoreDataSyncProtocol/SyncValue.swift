// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value of an attribute or a to-one relationship, exactly as the store has it.
public import Foundation

/// A value of an attribute or of a to-one relationship.
///
/// As JSON a value is an object with one key that names the kind: `{"string": "Ada"}`. Numbers are text, so that no
/// parser rounds them; `Documentation/Protocol.md` has the table.
public enum SyncValue: Hashable, Sendable {
    /// No value; for a to-one relationship no destination.
    case null
    /// An integer of any width.
    case integer(Int64)
    /// A Boolean.
    case bool(Bool)
    /// The bits of a 64-bit number, so that not-a-number and negative zero arrive as they were.
    case double(UInt64)
    /// The bits of a 32-bit number.
    case float(UInt32)
    /// A decimal number of up to 38 digits, as text.
    case decimal(String)
    /// Text, unchanged: no normalization.
    case string(String)
    /// The bits of the seconds since 2001, so that a date arrives to the bit.
    case date(UInt64)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// The text of a URI.
    case uri(String)
    /// The values of a composite attribute by name.
    case composite([String: SyncValue])
    /// The bytes that the attribute's transformer makes of a transformable value.
    case transformed(Data)
    /// The name of the destination of a to-one relationship.
    case link(UUID)
    /// The size and the hash of bytes or text of at least 256 KiB. Indirect, so that other values are smaller.
    indirect case large(SyncLargeValue)
}

extension SyncValue: Codable {
    private enum Kind: String, CodingKey {
        case null, integer, bool, double, float, decimal, string, date, data, uuid, uri, composite, transformed, link,
            large
    }

    /// - Throws: `DecodingError` for an object without exactly one known key, and for text that is no such value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard container.allKeys.count == 1, let kind = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A value has exactly one key, its kind."))
        }
        func text<Value>(_ make: (String) -> Value?) throws -> Value {
            guard let value = make(try container.decode(String.self, forKey: kind)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: kind, in: container,
                    debugDescription: "The text is no value of the kind '\(kind.rawValue)'.")
            }
            return value
        }
        switch kind {
        case .null: self = .null
        case .integer: self = .integer(try text { Int64($0) })
        case .bool: self = .bool(try container.decode(Bool.self, forKey: kind))
        case .double: self = .double(try text { SyncClockText.clock($0) })
        case .float: self = .float(try text { $0.utf8.count == 8 ? UInt32($0, radix: 16) : nil })
        case .decimal: self = .decimal(try text { SyncValue.isDecimal($0) ? $0 : nil })
        case .string: self = .string(try container.decode(String.self, forKey: kind))
        case .date: self = .date(try text { SyncClockText.clock($0) })
        case .data: self = .data(try text { Data(base64Encoded: $0) })
        case .uuid: self = .uuid(try text { UUID(text: $0) })
        case .uri: self = .uri(try container.decode(String.self, forKey: kind))
        case .composite: self = .composite(try container.decode([String: SyncValue].self, forKey: kind))
        case .transformed: self = .transformed(try text { Data(base64Encoded: $0) })
        case .link: self = .link(try text { UUID(text: $0) })
        case .large: self = .large(try container.decode(SyncLargeValue.self, forKey: .large))
        }
    }

    /// Encodes an object with one key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .null: try container.encode(true, forKey: .null)
        case .integer(let value): try container.encode(String(value), forKey: .integer)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .double(let bits): try container.encode(SyncClockText.text(bits), forKey: .double)
        case .float(let bits):
            try container.encode(String(SyncClockText.text(UInt64(bits)).suffix(8)), forKey: .float)
        case .decimal(let text): try container.encode(text, forKey: .decimal)
        case .string(let text): try container.encode(text, forKey: .string)
        case .date(let bits): try container.encode(SyncClockText.text(bits), forKey: .date)
        case .data(let bytes): try container.encode(bytes.base64EncodedString(), forKey: .data)
        case .uuid(let value): try container.encode(value.text, forKey: .uuid)
        case .uri(let text): try container.encode(text, forKey: .uri)
        case .composite(let values): try container.encode(values, forKey: .composite)
        case .transformed(let bytes): try container.encode(bytes.base64EncodedString(), forKey: .transformed)
        case .link(let name): try container.encode(name.text, forKey: .link)
        case .large(let large): try container.encode(large, forKey: .large)
        }
    }

    /// Digits with an optional sign, point and exponent, or `NaN`.
    private static func isDecimal(_ text: String) -> Bool {
        if text == "NaN" { return true }
        guard text.utf8.count <= 200, text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) })
        else { return false }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) != nil
    }
}
