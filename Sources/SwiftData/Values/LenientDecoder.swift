// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decodes JSON that an earlier version of a type has written: missing members get default values. SwiftData-V4.

import CoreDataModeling
import Foundation

/// Passes each request on to a decoder of JSON. The default of a missing member is that of the initial value, or the
/// zero of its type.
struct LenientDecoder: Decoder {
    private let base: any Decoder
    /// The initial value of the property, if it has one.
    private let initial: (any Decoder)?
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    init(_ base: any Decoder, initial: (any Decoder)? = nil) {
        self.base = base
        self.initial = initial
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            LenientMembers(try base.container(keyedBy: type), try? initial?.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { LenientList(base: try base.unkeyedContainer()) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        LenientValue(base: try base.singleValueContainer(), decoder: self)
    }

    /// Whether the decoder below decodes a type as a whole, without defaults for its members.
    fileprivate static func isWhole(_ type: any Any.Type) -> Bool { type is any ManagedAttributeValue.Type }
}

private struct LenientMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let base: KeyedDecodingContainer<Key>
    private let initial: KeyedDecodingContainer<Key>?
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    init(_ base: KeyedDecodingContainer<Key>, _ initial: KeyedDecodingContainer<Key>?) {
        self.base = base
        self.initial = initial
    }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard base.contains(key), try type is any OptionalType.Type || !base.decodeNil(forKey: key) else {
            return try missingValueDefault(type, key)
        }
        if LenientDecoder.isWhole(type) { return try base.decode(type, forKey: key) }
        return try T(from: LenientDecoder(try base.superDecoder(forKey: key), initial: initial(at: key)))
    }

    private func initial(at key: Key) -> (any Decoder)? {
        initial.flatMap { $0.contains(key) ? try? $0.superDecoder(forKey: key) : nil }
    }

    private func missingValueDefault<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        if let initial, initial.contains(key) { return try initial.decode(type, forKey: key) }
        guard let sample = ValueOutline.sample(type) as? T else { return try base.decode(type, forKey: key) }
        return sample
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try LenientDecoder(try base.superDecoder(forKey: key), initial: initial(at: key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        LenientList(base: try base.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { LenientDecoder(try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { LenientDecoder(try base.superDecoder(forKey: key)) }
}

private struct LenientList: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if LenientDecoder.isWhole(type) { return try base.decode(type) }
        if let optional = type as? any OptionalType.Type, try base.decodeNil(), let nothing = optional.nothing as? T {
            return nothing
        }
        return try T(from: LenientDecoder(try base.superDecoder()))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try LenientDecoder(try base.superDecoder()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        LenientList(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { LenientDecoder(try base.superDecoder()) }
}

private struct LenientValue: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let decoder: LenientDecoder
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        LenientDecoder.isWhole(type) ? try base.decode(type) : try T(from: decoder)
    }
}
