// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the values of a snapshot of any type by encoding it. SwiftData-W2.

import Foundation

/// One snapshot with its values by name.
final class SnapshotReading {
    let snapshot: any DataStoreSnapshot
    private var known: [String: any Encodable]?

    init(_ snapshot: any DataStoreSnapshot) { self.snapshot = snapshot }

    /// - Throws: the error of encoding; another error for a type that encodes no values by name.
    func values() throws -> [String: any Encodable] {
        if let known { return known }
        let collector = ValueCollector()
        try snapshot.encode(to: ValueEncoder(collector: collector))
        if collector.hasOtherForm {
            throw EncodingError.invalidValue(
                snapshot,
                .init(
                    codingPath: [],
                    debugDescription: "A \(type(of: snapshot)) does not encode each value under a property's name."))
        }
        known = collector.values
        return collector.values
    }
}

private final class ValueCollector {
    var values: [String: any Encodable] = [:]
    var hasOtherForm = false
}

private struct ValueEncoder: Encoder {
    let collector: ValueCollector
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ValueContainer<Key>(collector: collector))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { other() }
    func singleValueContainer() -> any SingleValueEncodingContainer { other() }

    func other() -> OtherForm {
        collector.hasOtherForm = true
        return OtherForm()
    }
}

private struct ValueContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let collector: ValueCollector
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) {}

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
        // The names of properties are those of the coding keys, in both kinds of types.
        switch DataStoreSnapshotCodingKey(stringValue: key.stringValue) {
        case .modeledProperty(let name)?: collector.values[name] = value
        case .persistentIdentifier?, nil: break
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        collector.hasOtherForm = true
        return ValueEncoder(collector: ValueCollector()).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.other() }
    mutating func superEncoder() -> any Encoder { refused() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { refused() }

    private var encoder: ValueEncoder { ValueEncoder(collector: collector) }

    private func refused() -> any Encoder {
        collector.hasOtherForm = true
        return ValueEncoder(collector: ValueCollector())
    }
}

/// Accepts every value and keeps none: the snapshot is refused afterwards.
private struct OtherForm: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    mutating func encodeNil() {}
    mutating func encode<T: Encodable>(_ value: T) {}
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        ValueEncoder(collector: ValueCollector()).container(keyedBy: keyType)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { OtherForm() }
    mutating func superEncoder() -> any Encoder { ValueEncoder(collector: ValueCollector()) }
}
