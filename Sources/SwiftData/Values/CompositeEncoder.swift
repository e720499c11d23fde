// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Structures and enumerations as the dictionaries of composite attributes, and back. SwiftData-V3, V4, V9.

import CoreDataModeling
import Foundation

/// Takes a value apart along its form.
struct CompositeEncoder {
    static func dictionary(_ value: any Encodable, _ leaves: [ValueForm.Leaf], isEnumeration: Bool) throws
        -> [String: Any]
    {
        let collector = Collector(leaves, isEnumeration: isEnumeration)
        try value.encode(to: CollectingEncoder(collector: collector))
        if collector.isOther { throw Collector.otherForm(value) }
        return collector.values
    }

    /// The value of a leaf in the form of the engine.
    static func leafValue(_ value: any Encodable, _ form: ValueForm) throws -> Any? {
        if let optional = value as? any OptionalType {
            guard let wrapped = optional.wrappedValue as? any Encodable else { return nil }
            return try leafValue(wrapped, form)
        }
        switch form {
        case .plain: return EngineValue.of(value)
        case .raw: return (value as? any RawRepresentable).flatMap { EngineValue.raw(of: $0) }
        case .structure(let leaves): return try dictionary(value, leaves, isEnumeration: false)
        case .cases(let leaves): return try dictionary(value, leaves, isEnumeration: true)
        case .archive, .json: return try JSONForm.data(value)
        }
    }
}

/// JSON as SwiftData's stores have it: UTF-8. Numbers that JSON lacks, such as infinity in a range, are texts.
enum JSONForm {
    private static let (infinity, negativeInfinity, nan) = ("Infinity", "-Infinity", "NaN")

    static func data(_ value: any Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: nan)
        return try encoder.encode(value)
    }

    /// - Parameter initial: the initial value of the property, for members that the data lacks; nil for none.
    static func value<Value: Decodable>(
        _ data: Data, as type: Value.Type, initial: () -> Value? = { nil }
    ) throws -> Value {
        do {
            return try decoder.decode(Wrapped<Value>.self, from: wrap(data)).value
        } catch let error as DecodingError {
            guard error.isMissingValue else { throw error }
            let stored = try decoder.decode(DecoderCapture.self, from: wrap(data)).inner
            let initial = (initial() as? any Encodable).flatMap { try? wrap(self.data($0)) }
                .flatMap { try? decoder.decode(DecoderCapture.self, from: $0).inner }
            return try Value(from: LenientDecoder(stored, initial: initial))
        }
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: nan)
        return decoder
    }

    /// Holds a fragment, since JSON decoders of some platforms accept only objects and arrays at the top.
    private struct Wrapped<Value: Decodable>: Decodable {
        let value: Value
    }

    private static func wrap(_ data: Data) -> Data { Data("{\"value\":".utf8) + data + Data("}".utf8) }

    /// The decoder of an object, to read a payload as the compiler's code does.
    static func decoder(of object: Data) throws -> any Decoder {
        try decoder.decode(DecoderCapture.self, from: object).decoder
    }

    private struct DecoderCapture: Decodable {
        let decoder: any Decoder

        init(from decoder: any Decoder) throws { self.decoder = decoder }

        /// The decoder of the fragment in a wrapping object.
        var inner: any Decoder {
            get throws { try decoder.container(keyedBy: Key.self).superDecoder(forKey: .value) }
        }

        private enum Key: CodingKey { case value }
    }
}

extension DecodingError {
    /// Whether a mandatory member is missing or null.
    fileprivate var isMissingValue: Bool {
        switch self {
        case .keyNotFound, .valueNotFound: true
        default: false
        }
    }
}

/// Converts values to and from those of the engine's attributes.
enum EngineValue {
    static func of(_ value: Any) -> Any {
        switch value {
        case let value as Int8: Int16(value)
        case let value as UInt8: Int16(value)
        case let value as UInt16: Int32(value)
        case let value as UInt32: Int64(value)
        case let value as UInt64: Int64(bitPattern: value)
        case let value as UInt: Int64(bitPattern: UInt64(value))
        case let value as CGFloat: Double(value)
        default: value
        }
    }

    static func raw<Value: RawRepresentable>(of value: Value) -> Any { of(value.rawValue) }

    /// The Swift value for a value of the engine.
    static func swift<Value>(_ value: Any, as type: Value.Type) -> Value? {
        if let value = value as? Value { return value }
        if let number = value as? NSDecimalNumber, type == Decimal.self { return number.decimalValue as? Value }
        guard let number = value as? NSNumber ?? (value as? Int).map({ NSNumber(value: $0) }) else { return nil }
        if let integer = type as? any FixedWidthInteger.Type {
            return truncated(integer, number.int64Value) as? Value
        }
        if let float = type as? any BinaryFloatingPoint.Type { return floating(float, number.doubleValue) as? Value }
        return type == Bool.self ? number.boolValue as? Value : nil
    }

    private static func truncated<Integer: FixedWidthInteger>(_ type: Integer.Type, _ value: Int64) -> Any {
        Integer(truncatingIfNeeded: value)
    }

    private static func floating<Float: BinaryFloatingPoint>(_ type: Float.Type, _ value: Double) -> Any {
        Float(value)
    }
}

private final class Collector {
    private let forms: [String: ValueForm]
    let isEnumeration: Bool
    var values: [String: Any] = [:]
    /// Whether the value requested another container than one with members or a case.
    var isOther = false

    init(_ leaves: [ValueForm.Leaf], isEnumeration: Bool) {
        forms = Dictionary(leaves.map { ($0.name, $0.form) }, uniquingKeysWith: { first, _ in first })
        self.isEnumeration = isEnumeration
    }

    func set(_ value: any Encodable, _ name: String) throws {
        // The record would lose a value without a leaf.
        guard let form = forms[name] else { throw Self.otherForm(value) }
        values[name] = try CompositeEncoder.leafValue(value, form)
    }

    func form(_ name: String) -> ValueForm? { forms[name] }

    /// An encoder for a value that no leaf can hold.
    func refusing() -> any Encoder {
        isOther = true
        return CollectingEncoder(collector: self)
    }

    static func otherForm(_ value: Any) -> EncodingError {
        .invalidValue(
            value,
            .init(
                codingPath: [],
                debugDescription: "The type encodes itself in another form than it decodes: mark the property "
                    + "'@Attribute(.codable)'."))
    }
}

private struct CollectingEncoder: Encoder {
    let collector: Collector
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(CollectingContainer<Key>(collector: collector))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusal(collector: collector) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Refusal(collector: collector) }
}

/// Takes no values, and notes each attempt to encode one.
private struct Refusal: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    private let collector: Collector
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    init(collector: Collector) {
        self.collector = collector
        collector.isOther = true
    }

    mutating func encodeNil() throws { throw Collector.otherForm("") }
    mutating func encode<T: Encodable>(_ value: T) throws { throw Collector.otherForm(value) }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        CollectingEncoder(collector: collector).container(keyedBy: keyType)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { CollectingEncoder(collector: collector) }
}

private struct CollectingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let collector: Collector
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try collector.set(value, key.stringValue)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        // The members of a structure would be lost.
        if !collector.isEnumeration { collector.isOther = true }
        // A case without a payload is encoded as its name.
        if collector.values[key.stringValue] == nil { collector.values[key.stringValue] = key.stringValue }
        return KeyedEncodingContainer(
            PayloadContainer<NestedKey>(
                collector: collector, name: key.stringValue, payload: Payload()))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Refusal(collector: collector)
    }
    mutating func superEncoder() -> any Encoder { collector.refusing() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { collector.refusing() }
}

private final class Payload {
    var values: [String: any Encodable] = [:]
}

/// Encodes several values as one JSON object.
private struct PayloadObject: Encodable {
    let values: [String: any Encodable]

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in values { try container.encode(value, forKey: Key(stringValue: name)) }
    }
}

/// The payload of a case: a single plain value as it is, others as JSON in the form that the compiler gives them.
private struct PayloadContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let collector: Collector
    let name: String
    let payload: Payload
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        payload.values[key.stringValue] = value
        if case .plain? = collector.form(name) {
            collector.values[name] = EngineValue.of(value)
        } else {
            collector.values[name] = try JSONForm.data(PayloadObject(values: payload.values))
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(PayloadContainer<NestedKey>(collector: collector, name: name, payload: payload))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Refusal(collector: collector)
    }
    mutating func superEncoder() -> any Encoder { CollectingEncoder(collector: collector) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { CollectingEncoder(collector: collector) }
}
