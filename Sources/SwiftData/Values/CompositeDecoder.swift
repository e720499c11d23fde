// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes structures and enumerations of the dictionaries of composite attributes.

import Foundation

/// Optional members that the record lacks read as nil, others as the initial value of the property has them, or as the
/// zero of their type: a structure may gain members (S82).
struct CompositeDecoder: Decoder {
    /// The values of mandatory members that the record lacks.
    enum MissingMemberDefaults {
        /// The zero of the member's type.
        case zeros
        /// The member in the initial value of the property; else the zero.
        case initial([String: Any])
        /// Decoding ends with `MemberMissing`.
        case refused
    }

    struct MemberMissing: Error {}

    let values: [String: Any]
    let leaves: [ValueForm.Leaf]
    var memberDefaults = MissingMemberDefaults.zeros
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CompositeContainer<Key>(values: values, leaves: leaves, memberDefaults: memberDefaults))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw otherForm }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw otherForm }

    private var otherForm: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "The record holds members, not one value."))
    }

    static func value<Value>(
        _ type: Value.Type, _ values: [String: Any], _ leaves: [ValueForm.Leaf],
        _ memberDefaults: MissingMemberDefaults = .zeros
    ) throws -> Value? {
        guard let type = type as? any Decodable.Type else { return nil }
        return try type.init(from: CompositeDecoder(values: values, leaves: leaves, memberDefaults: memberDefaults))
            as? Value
    }

    /// A leaf's value as a Swift value.
    static func leaf<Value: Decodable>(
        _ type: Value.Type, _ value: Any, _ form: ValueForm, _ memberDefaults: MissingMemberDefaults = .zeros
    ) throws -> Value? {
        if let optional = type as? any OptionalType.Type {
            guard let wrapped = optional.wrappedType as? any Decodable.Type else { return nil }
            return try leaf(wrapped, value, form, memberDefaults) as? Value
        }
        switch form {
        case .plain: return EngineValue.swift(value, as: type)
        case .raw: return (type as? any RawRepresentable.Type).flatMap { RawForm.value($0, value) } as? Value
        case .structure(let leaves), .cases(let leaves):
            guard let values = value as? [String: Any] else { return nil }
            return try self.value(type, values, leaves, memberDefaults)
        case .archive, .json:
            return try (value as? Data).map { try JSONForm.value($0, as: type) } ?? value as? Value
        }
    }
}

/// Enumerations with raw values.
enum RawForm {
    static func value<Value: RawRepresentable>(_ type: Value.Type, _ raw: Any) -> Value? {
        EngineValue.swift(raw, as: Value.RawValue.self).flatMap { Value(rawValue: $0) }
    }
}

private struct CompositeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: [String: Any]
    let leaves: [ValueForm.Leaf]
    let memberDefaults: CompositeDecoder.MissingMemberDefaults
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] {
        leaves.map(\.name).filter { values[$0] != nil && !(values[$0] is NSNull) }.compactMap { Key(stringValue: $0) }
    }

    private func value(_ key: Key) -> Any? { values[key.stringValue].flatMap { $0 is NSNull ? nil : $0 } }

    private func form(_ key: Key) -> ValueForm { leaves.first { $0.name == key.stringValue }?.form ?? .json }

    func contains(_ key: Key) -> Bool { value(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { value(key) == nil }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let stored = value(key) {
            guard let decoded = try CompositeDecoder.leaf(type, stored, form(key), memberDefaults(below: key)) else {
                throw DecodingError.typeMismatch(
                    type, .init(codingPath: [key], debugDescription: "The record has a \(Swift.type(of: stored))."))
            }
            return decoded
        }
        if let missingValueDefault = try missingValueDefault(type, key) { return missingValueDefault }
        throw DecodingError.valueNotFound(type, .init(codingPath: [key], debugDescription: "The record has none."))
    }

    private func missingValueDefault<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        switch memberDefaults {
        case .refused: throw CompositeDecoder.MemberMissing()
        case .initial(let values):
            if let value = values[key.stringValue], !(value is NSNull) {
                return try CompositeDecoder.leaf(type, value, form(key))
            }
        case .zeros: break
        }
        return ValueOutline.sample(type) as? T
    }

    private func memberDefaults(below key: Key) -> CompositeDecoder.MissingMemberDefaults {
        guard case .initial(let values) = memberDefaults else { return memberDefaults }
        return (values[key.stringValue] as? [String: Any]).map { .initial($0) } ?? .zeros
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try value(key).flatMap { try CompositeDecoder.leaf(type, $0, form(key), memberDefaults(below: key)) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        // The payload of a case.
        if case .json = form(key), let data = value(key) as? Data {
            return try LenientDecoder(JSONForm.decoder(of: data)).container(keyedBy: type)
        }
        return KeyedDecodingContainer(PlainPayloadContainer<NestedKey>(value: value(key), form: form(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw DecodingError.dataCorrupted(.init(codingPath: [key], debugDescription: "The record has no list there."))
    }

    func superDecoder() throws -> any Decoder { CompositeDecoder(values: values, leaves: leaves) }
    func superDecoder(forKey key: Key) throws -> any Decoder { CompositeDecoder(values: values, leaves: leaves) }
}

/// A payload of one plain value, or none.
private struct PlainPayloadContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let value: Any?
    let form: ValueForm
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { value != nil }
    func decodeNil(forKey key: Key) throws -> Bool { value == nil }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let value, let decoded = try CompositeDecoder.leaf(type, value, form) else {
            throw DecodingError.valueNotFound(type, .init(codingPath: [key], debugDescription: "The record has none."))
        }
        return decoded
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(PlainPayloadContainer<NestedKey>(value: value, form: form))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw DecodingError.dataCorrupted(.init(codingPath: [key], debugDescription: "The record has no list there."))
    }

    func superDecoder() throws -> any Decoder { CompositeDecoder(values: [:], leaves: []) }
    func superDecoder(forKey key: Key) throws -> any Decoder { CompositeDecoder(values: [:], leaves: []) }
}
