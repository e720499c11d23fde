// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the members of a structure, and the cases of an enumeration, by decoding a sample.

import CoreData
import CoreDataModelFiles
import Foundation

/// A decoder that notes each request, and answers with samples.
///
/// Synthesized `init(from:)` requests all stored properties in declared order, or, of an enumeration, the one key that
/// is a case. A type that decodes or encodes itself in another way has no outline, and is kept as JSON.
enum ValueOutline {
    /// - Parameter open: the types that contain it, and the type itself.
    static func form(of type: any Decodable.Type, _ open: OpenTypes) -> ValueForm? {
        let notes = Notes(open)
        let sample = sample(type, notes) as? any Encodable
        if let keys = notes.keyType, isEnumeration(type) { return cases(of: type, keys, open) }
        guard let sample, notes.isKeyed, !notes.isOther, !notes.leaves.isEmpty, areNames(notes.leaves) else {
            return nil
        }
        // A type may encode itself in another way than it decodes itself.
        let isWhole = (try? CompositeEncoder.dictionary(sample, notes.leaves, isEnumeration: false)) != nil
        return isWhole ? .structure(notes.leaves) : nil
    }

    /// A sample value of a type; nil if none can be made.
    static func sample(_ type: any Any.Type) -> Any? { sample(type, in: OpenTypes()) }

    /// - Parameter open: the types whose samples need this one.
    fileprivate static func sample(_ type: any Any.Type, in open: OpenTypes) -> Any? {
        if let optional = type as? any OptionalType.Type { return optional.nothing }
        if let plain = PlainSamples.value(of: type) { return plain }
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) { return first }
        if let raw = type as? any RawRepresentable.Type, let value = rawSample(raw) { return value }
        if let array = type as? any RangeReplaceableCollection.Type { return empty(array) }
        if let set = type as? any SetAlgebra.Type { return emptySet(set) }
        if let entries = type as? any ExpressibleByDictionaryLiteral.Type { return noEntries(entries) }
        guard let type = type as? any Decodable.Type else { return nil }
        return open.within(type) { sample(type, Notes(samples: open)) }
    }

    private static func sample(_ type: any Decodable.Type, _ notes: Notes) -> Any? {
        if let value = try? type.init(from: OutlineDecoder(notes: notes)) { return value }
        guard isEnumeration(type), let keys = notes.keyType else { return nil }
        // Any case will do.
        for name in EnumerationCases.names(of: keys) {
            let notes = Notes(samples: notes.samples, chosen: name)
            if let value = try? type.init(from: OutlineDecoder(notes: notes)) { return value }
        }
        return nil
    }

    private static func cases(
        of type: any Decodable.Type, _ keys: any CodingKey.Type, _ open: OpenTypes
    ) -> ValueForm? {
        let names = EnumerationCases.names(of: keys)
        guard !names.isEmpty else { return nil }
        var leaves: [ValueForm.Leaf] = []
        for name in names {
            let notes = Notes(open, chosen: name)
            _ = try? type.init(from: OutlineDecoder(notes: notes))
            // Synthesized code requests only the payload of a case.
            guard notes.leaves.isEmpty else { return nil }
            leaves.append(leaf(ofCase: name, notes.payload))
        }
        return areNames(leaves) ? .cases(leaves) : nil
    }

    /// Coding keys may be any text, such as "24h" of a locale, but elements of a model need valid names.
    private static func areNames(_ leaves: [ValueForm.Leaf]) -> Bool {
        leaves.allSatisfy { ModelNames.fault(ofElement: $0.name) == nil }
    }

    private static func leaf(ofCase name: String, _ payload: [ValueForm.Leaf]) -> ValueForm.Leaf {
        guard payload.count == 1, let only = payload.first else {
            let form: ValueForm = payload.isEmpty ? .plain(.stringAttributeType) : .json
            return .init(name: name, form: form, type: payload.isEmpty ? String.self : Data.self)
        }
        if case .plain = only.form { return .init(name: name, form: only.form, type: only.type) }
        return .init(name: name, form: .json, type: only.type)
    }

    static func isEnumeration(_ type: any Any.Type) -> Bool { EnumerationCases.isEnumeration(type) }

    private static func firstCase<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { Cases.allCases.first }
    private static func empty<Elements: RangeReplaceableCollection>(_ type: Elements.Type) -> Any { Elements() }
    private static func emptySet<Members: SetAlgebra>(_ type: Members.Type) -> Any { Members() }
    private static func noEntries<Entries: ExpressibleByDictionaryLiteral>(_ type: Entries.Type) -> Any {
        let entries: Entries = [:]
        return entries
    }

    private static func rawSample<Value: RawRepresentable>(_ type: Value.Type) -> Any? {
        if let value = PlainSamples.value(of: Value.RawValue.self) as? Value.RawValue, let made = Value(rawValue: value)
        {
            return made
        }
        // Raw values of enumerations usually begin near zero.
        for number in 1...8 {
            if let raw = PlainSamples.number(number, as: Value.RawValue.self) as? Value.RawValue,
                let made = Value(rawValue: raw)
            {
                return made
            }
        }
        return EnumerationCases.first(Value.self)
    }
}

/// The requests of a type.
final class Notes {
    /// The types whose forms need these; nil if only a sample is made.
    private let forms: OpenTypes?
    fileprivate let samples: OpenTypes
    /// The case that an enumeration decodes.
    let chosen: String?
    var keyType: (any CodingKey.Type)?
    var leaves: [ValueForm.Leaf] = []
    var payload: [ValueForm.Leaf] = []
    var isKeyed = false
    /// Whether it requested an array or a single value.
    var isOther = false

    init(_ forms: OpenTypes? = nil, samples: OpenTypes = OpenTypes(), chosen: String? = nil) {
        self.forms = forms
        self.samples = samples
        self.chosen = chosen
    }

    func note(_ key: any CodingKey, _ type: any Any.Type, isPayload: Bool) {
        guard let forms else { return }
        let leaf = ValueForm.Leaf(name: key.stringValue, form: ValueForms.form(of: type, in: forms), type: type)
        if isPayload {
            payload.append(leaf)
        } else if !leaves.contains(where: { $0.name == leaf.name }) {
            leaves.append(leaf)
        }
    }
}

/// Samples of attribute types.
enum PlainSamples {
    static func value(of type: any Any.Type) -> Any? {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(String.self): ""
        case ObjectIdentifier(Bool.self): false
        case ObjectIdentifier(Date.self): Date(timeIntervalSinceReferenceDate: 0)
        case ObjectIdentifier(Data.self): Data()
        case ObjectIdentifier(UUID.self): UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case ObjectIdentifier(URL.self): URL(filePath: "/")
        case ObjectIdentifier(Decimal.self): Decimal(0)
        default: number(0, as: type)
        }
    }

    /// Another value, which few functions map to itself; nil for other types.
    static func unusual(of type: any Any.Type) -> Any? {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(String.self): " Ünüsual 1_967 sAMPLE "
        case ObjectIdentifier(Bool.self): true
        case ObjectIdentifier(Date.self): Date(timeIntervalSinceReferenceDate: 123_456_789.25)
        case ObjectIdentifier(Data.self): Data([83, 7, 0, 255, 1])
        case ObjectIdentifier(UUID.self): UUID(uuid: (7, 1, 9, 6, 7, 0, 3, 5, 2, 4, 8, 6, 1, 3, 9, 7))
        case ObjectIdentifier(URL.self): URL(string: "https://user@sample.example:81/a%20b/../c?d=e#f")
        case ObjectIdentifier(Decimal.self): Decimal(string: "-1967.375")
        default: number(97, as: type)
        }
    }

    static func number(_ value: Int, as type: any Any.Type) -> Any? {
        if let integer = type as? any FixedWidthInteger.Type { return integer.init(exactly: value) }
        if let float = type as? any BinaryFloatingPoint.Type { return float.init(exactly: value) }
        return nil
    }
}

private struct OutlineDecoder: Decoder {
    let notes: Notes
    var isPayload = false
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if !isPayload { notes.keyType = type }
        notes.isKeyed = true
        return KeyedDecodingContainer(OutlineContainer<Key>(notes: notes, isPayload: isPayload))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        notes.isOther = true
        throw OutlineUnavailable()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        notes.isOther = true
        throw OutlineUnavailable()
    }
}

private struct OutlineUnavailable: Error {}

private struct OutlineContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let notes: Notes
    let isPayload: Bool
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { isPayload ? [] : notes.chosen.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { true }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        notes.note(key, type, isPayload: isPayload)
        guard let value = ValueOutline.sample(type, in: notes.samples) as? T else { throw OutlineUnavailable() }
        return value
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { absent(type, key) }

    // The protocol has defaults for these methods, which would bypass this container.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { absent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { absent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { absent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { absent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { absent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { absent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { absent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { absent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { absent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { absent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { absent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { absent(type, key) }

    private func absent<T>(_ type: T.Type, _ key: Key) -> T? {
        notes.note(key, type, isPayload: isPayload)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        // In an enumeration this is the payload. A structure that requests one has members that no leaf can hold.
        if notes.chosen == nil { notes.isOther = true }
        return KeyedDecodingContainer(OutlineContainer<NestedKey>(notes: notes, isPayload: true))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw OutlineUnavailable() }
    func superDecoder() throws -> any Decoder { throw OutlineUnavailable() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw OutlineUnavailable() }
}
