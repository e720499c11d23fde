// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values that travel as a hash, and the parts of their bytes.
public import Foundation

/// A value of at least 256 KiB, in place of which its hash travels. Its bytes travel apart, in parts of 1 MiB.
///
/// As JSON: `{"large": {"kind": "data", "size": 1048576, "hash": "64 hexadecimal digits"}}`.
/// - SeeAlso: `Documentation/LargeData.md`.
public struct SyncLargeValue: Hashable, Sendable, Codable {
    /// The kinds of values that can be large, with the names of the cases of `SyncValue`.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Bytes.
        case data
        /// Text; its bytes are UTF-8.
        case string
    }

    /// The kind of the value.
    public var kind: Kind
    /// The number of bytes.
    public var size: Int64
    /// SHA-256 of the bytes, 64 lower-case hexadecimal digits.
    public var hash: String

    /// Creates a description of a value.
    public init(_ kind: Kind, size: Int64, hash: String) {
        self.kind = kind
        self.size = size
        self.hash = hash
    }

    private enum CodingKeys: String, CodingKey {
        case kind, size, hash
    }

    /// - Throws: `DecodingError.dataCorrupted` for a size below 1, and for a hash of another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        size = try container.decode(Int64.self, forKey: .size)
        hash = try container.decode(String.self, forKey: .hash)
        guard size >= 1, Self.isHash(hash) else {
            throw DecodingError.dataCorruptedError(
                forKey: .hash, in: container, debugDescription: "A hash is 64 lower-case hexadecimal digits.")
        }
    }

    /// Whether a text has the form of a hash.
    public static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// A part of a large value's bytes on the way to the server.
///
/// A part begins at a multiple of 1 MiB and has 1 MiB, the last one the rest. A part without bytes asks how many bytes
/// the server has.
public struct SyncPart: Hashable, Sendable {
    /// The hash of the whole value.
    public var hash: String
    /// The number of bytes of the whole value.
    public var size: Int64
    /// The place of the part's first byte.
    public var offset: Int64
    /// The bytes.
    public var bytes: Data

    /// Creates a part.
    public init(hash: String, size: Int64, offset: Int64, bytes: Data) {
        self.hash = hash
        self.size = size
        self.offset = offset
        self.bytes = bytes
    }
}

/// The server's answer to a part.
public struct SyncPartAnswer: Hashable, Sendable, Codable {
    /// The number of bytes that the server has, from the first one on: the offset of the next part. 0 again if the
    /// bytes did not have the hash.
    public var received: Int64

    /// Creates an answer.
    public init(received: Int64) { self.received = received }
}

/// Asks for a part of the bytes of a record's value.
public struct SyncPartRequest: Hashable, Sendable {
    /// The name of the record.
    public var record: UUID
    /// The property of the record that has the value.
    public var property: String
    /// The hash that a page gave for the value.
    public var hash: String
    /// The place of the part's first byte.
    public var offset: Int64

    /// Creates a request.
    public init(record: UUID, property: String, hash: String, offset: Int64) {
        self.record = record
        self.property = property
        self.hash = hash
        self.offset = offset
    }
}

/// The sizes from which values are large, and of their parts. Those of the protocol, except in tests.
package struct LargeDataSizes: Sendable {
    /// The least number of bytes of a large value.
    package var least = 256 << 10
    /// The number of bytes of a part.
    package var part = 1 << 20

    package init() {}

    package init(least: Int, part: Int) {
        self.least = least
        self.part = part
    }
}

extension SyncValue {
    /// The bytes of a value that can be large; nil for other kinds.
    package var bytes: Data? {
        switch self {
        case .data(let data): data
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }

    /// Whether the value has so many bytes that its hash travels.
    package func isLarge(_ sizes: LargeDataSizes) -> Bool {
        switch self {
        case .data(let data): data.count >= sizes.least
        case .string(let text): text.utf8.count >= sizes.least
        default: false
        }
    }

    /// The description of the value, which has the bytes already; nil for a kind that cannot be large.
    package func described(_ bytes: Data) -> SyncLargeValue? {
        let kind: SyncLargeValue.Kind
        switch self {
        case .data: kind = .data
        case .string: kind = .string
        default: return nil
        }
        return SyncLargeValue(kind, size: Int64(bytes.count), hash: SyncDigest.text(of: bytes))
    }

    /// The value with its hash in place of many bytes.
    package func withoutBytes(_ sizes: LargeDataSizes) -> SyncValue {
        guard isLarge(sizes), let bytes, let large = described(bytes) else { return self }
        return .large(large)
    }

    /// A value from the bytes that it travelled as.
    ///
    /// - Returns: nil for text that is no UTF-8.
    package init?(_ kind: SyncLargeValue.Kind, _ bytes: Data) {
        switch kind {
        case .data: self = .data(bytes)
        case .string:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .string(text)
        }
    }
}

extension SyncChange {
    /// The large values of the change.
    package var largeValues: [SyncLargeValue] {
        fields.values.compactMap { if case .large(let large) = $0.value { large } else { nil } }
    }
}

extension SyncPush {
    /// The large values of the batch, each once, in the order of their hashes.
    package var largeValues: [SyncLargeValue] {
        let all = changes.flatMap(\.largeValues)
        return Dictionary(all.map { ($0.hash, $0) }) { first, _ in first }.values.sorted { $0.hash < $1.hash }
    }
}
