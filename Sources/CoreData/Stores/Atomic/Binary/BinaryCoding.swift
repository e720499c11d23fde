// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Encodes and decodes the values of each attribute type in a binary store.

import CoreDataFoundation
import Foundation

/// The raw values are part of the file format. Documentation/Internals/Stores.md, "The binary file".
enum BinaryCoding: UInt8 {
    case integer = 1
    case boolean = 2
    case float = 3
    case double = 4
    case date = 5
    case string = 6
    case decimal = 7
    case uuid = 8
    case uri = 9
    case data = 10
    case transformable = 11
    case toOne = 100
    case toMany = 101
    case orderedToMany = 102

    /// nil for types that the store does not support.
    init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .floatAttributeType: self = .float
        case .doubleAttributeType: self = .double
        case .dateAttributeType: self = .date
        case .stringAttributeType: self = .string
        case .decimalAttributeType: self = .decimal
        case .UUIDAttributeType: self = .uuid
        case .URIAttributeType: self = .uri
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .transformable
        default: return nil
        }
    }

    init(_ relationship: NSRelationshipDescription) {
        self = !relationship.isToMany ? .toOne : relationship.isOrdered ? .orderedToMany : .toMany
    }

    // MARK: Reading

    /// Reads the next value into a slot.
    func read(_ bytes: inout ByteReader, into row: Snapshot, _ slot: Int, _ attribute: NSAttributeDescription) throws {
        switch self {
        case .integer: row.setInteger(try bytes.signed(), slot)
        case .boolean: row.setBoolean(try bytes.byte() != 0, slot)
        case .float, .double, .date: row.setDouble(Double(bitPattern: try bytes.word()), slot)
        case .string: row.setString(try bytes.string(), slot)
        case .transformable:
            row.setBox(ValueBox(encoded: try bytes.data(), AttributeTransform(attribute)), slot)
        default: row.setBox(ValueBox(try value(&bytes, attribute)), slot)
        }
    }

    /// Reads the next value as an object.
    func value(_ bytes: inout ByteReader, _ attribute: NSAttributeDescription) throws -> Any {
        switch self {
        case .integer: return NSNumber(value: try bytes.signed())
        case .boolean: return NSNumber(value: try bytes.byte() != 0)
        case .float: return NSNumber(value: Float(Double(bitPattern: try bytes.word())))
        case .double: return NSNumber(value: Double(bitPattern: try bytes.word()))
        case .date: return Date(timeIntervalSinceReferenceDate: Double(bitPattern: try bytes.word()))
        case .string: return try bytes.string()
        case .decimal:
            let text = try bytes.string()
            guard let number = ExactDecimal.of(text) else {
                throw AtomicDamage(reason: "'\(text)' is no decimal number.")
            }
            return NSDecimalNumber(decimal: number)
        case .uuid: return UUID(uuid: try bytes.uuid())
        case .uri:
            let text = try bytes.string()
            guard let url = URL(string: text) else { throw AtomicDamage(reason: "'\(text)' is no URI.") }
            return url
        case .data: return try bytes.data()
        case .transformable:
            guard let value = AttributeTransform(attribute).decode(try bytes.data()) else {
                throw AtomicDamage(reason: "The bytes of \(attribute.name) cannot be decoded.")
            }
            return value
        case .toOne, .toMany, .orderedToMany: throw AtomicDamage(reason: "'\(attribute.name)' is no attribute.")
        }
    }

    // MARK: Writing

    /// Whether a slot needs to be written: it is not null and its value is readable.
    func isPresent(_ row: Snapshot, _ slot: Int) -> Bool {
        guard !row.isNull(slot) else { return false }
        return row.layout[slot].kind != .box || row.box(slot)?.stored != nil || row.box(slot)?.value != nil
    }

    func write(_ row: Snapshot, _ slot: Int, _ attribute: NSAttributeDescription, to bytes: inout ByteWriter) throws {
        switch self {
        case .integer: bytes.add(signed: row.integer(slot))
        case .boolean: bytes.add(byte: row.boolean(slot) ? 1 : 0)
        case .float, .double, .date: bytes.add(word: row.double(slot).bitPattern)
        case .string: bytes.add(row.string(slot))
        case .transformable:
            if let stored = row.box(slot)?.stored { return bytes.add(stored) }
            fallthrough
        default: if let value = row.box(slot)?.value { try write(value, attribute, to: &bytes) }
        }
    }

    /// - Throws: `TransformFailure`, or `AtomicRefusal` for a value of another type.
    func write(_ value: Any, _ attribute: NSAttributeDescription, to bytes: inout ByteWriter) throws {
        let number = AttributeValues.number(value)
        switch (self, value) {
        case (.integer, _) where number.flatMap(Snapshot.integer) != nil:
            bytes.add(signed: number.flatMap(Snapshot.integer) ?? 0)
        case (.boolean, _) where number != nil: bytes.add(byte: number?.boolValue == true ? 1 : 0)
        case (.float, _) where number != nil: bytes.add(word: Double(number?.floatValue ?? 0).bitPattern)
        case (.double, _) where number != nil: bytes.add(word: (number?.doubleValue ?? 0).bitPattern)
        case (.decimal, _) where number != nil: bytes.add("\(number?.decimalValue ?? 0)")
        case (.date, let value as Date): bytes.add(word: value.timeIntervalSinceReferenceDate.bitPattern)
        case (.string, let value as String): bytes.add(value)
        case (.uuid, let value as UUID): bytes.add(value)
        case (.uri, let value as URL): bytes.add(value.absoluteString)
        case (.data, let value as Data): bytes.add(value)
        case (.transformable, _): bytes.add(try AttributeTransform(attribute).encode(value))
        default:
            throw AtomicRefusal(reason: "'\(attribute.name)' holds a \(type(of: value)), which is none of its type.")
        }
    }
}
