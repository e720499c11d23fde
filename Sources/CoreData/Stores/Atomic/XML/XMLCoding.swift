// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Formats and parses the values of each attribute type in an XML store.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// The type of an attribute in XML stores. Documentation/Internals/Stores.md, "The XML file".
enum XMLCoding {
    /// With the type's name in the file, which only differs by width.
    case integer(String)
    case boolean, float, double, date, string, decimal, uuid, uri, binary
    case transformable(AttributeTransform)

    /// nil for types that the store does not support.
    init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType: self = .integer("int16")
        case .integer32AttributeType: self = .integer("int32")
        case .integer64AttributeType: self = .integer("int64")
        case .booleanAttributeType: self = .boolean
        case .floatAttributeType: self = .float
        case .doubleAttributeType: self = .double
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType: self = .binary
        case .transformableAttributeType: self = .transformable(AttributeTransform(attribute))
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .integer(let name): name
        case .boolean: "bool"
        case .float: "float"
        case .double: "double"
        case .date: "date"
        case .string: "string"
        case .decimal: "decimal"
        case .uuid: "uuid"
        case .uri: "uri"
        case .binary, .transformable: "binary"
        }
    }

    // MARK: Reading

    /// Parses a text into a slot. Returns false for a malformed text.
    func read(_ text: String, into row: Snapshot, _ slot: Int) -> Bool {
        switch self {
        case .string: row.setString(text, slot)
        case .integer:
            guard let number = Int64(text) else { return false }
            row.setInteger(number, slot)
        case .boolean:
            guard text == "0" || text == "1" else { return false }
            row.setBoolean(text == "1", slot)
        case .float, .double, .date:
            guard let number = Double(text) else { return false }
            if case .float = self { row.setDouble(Double(Float(number)), slot) } else { row.setDouble(number, slot) }
        case .transformable(let transform):
            guard let data = Base64Lines.decode(text) else { return false }
            row.setBox(ValueBox(encoded: data, transform), slot)
        default:
            guard let value = value(text) else { return false }
            row.setBox(ValueBox(value), slot)
        }
        return true
    }

    /// Parses a text into an object; nil for a malformed text.
    func value(_ text: String) -> Any? {
        switch self {
        case .string: text
        case .integer: Int64(text).map { NSNumber(value: $0) }
        case .boolean: text == "0" || text == "1" ? NSNumber(value: text == "1") : nil
        case .float: Double(text).map { NSNumber(value: Float($0)) }
        case .double: Double(text).map { NSNumber(value: $0) }
        case .date: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .decimal: Self.decimal(text)
        case .uuid: UUID(uuidString: text)
        case .uri: URL(string: text)
        case .binary: Base64Lines.decode(text)
        case .transformable(let transform): Base64Lines.decode(text).flatMap { transform.decode($0) }
        }
    }

    private static func decimal(_ text: String) -> NSDecimalNumber? {
        guard
            text == ExactDecimal.notANumber
                || text.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = ExactDecimal.of(text)
        else { return nil }
        return NSDecimalNumber(decimal: number)
    }

    // MARK: Writing

    /// The text of a slot that is not null.
    ///
    /// - Throws: `TransformFailure`.
    func text(_ row: Snapshot, _ slot: Int) throws -> String? {
        switch self {
        case .string: row.string(slot)
        case .integer: String(row.integer(slot))
        case .boolean: row.boolean(slot) ? "1" : "0"
        case .float: Self.text(Float(row.double(slot)))
        case .double: Self.text(row.double(slot))
        case .date: Self.date(row.double(slot))
        case .transformable:
            if let stored = row.box(slot)?.stored {
                Base64Lines.encode(stored)
            } else {
                try row.box(slot)?.value.flatMap { try text($0) }
            }
        default: try row.box(slot)?.value.flatMap { try text($0) }
        }
    }

    /// The text of an object; nil for one of another type.
    ///
    /// - Throws: `TransformFailure`.
    func text(_ value: Any) throws -> String? {
        switch self {
        case .string: return value as? String
        case .integer: return AttributeValues.number(value).flatMap(Snapshot.integer).map { String($0) }
        case .boolean: return AttributeValues.number(value).map { $0.boolValue ? "1" : "0" }
        case .float: return AttributeValues.number(value).map { Self.text($0.floatValue) }
        case .double: return AttributeValues.number(value).map { Self.text($0.doubleValue) }
        case .date: return (value as? Date).map { Self.date($0.timeIntervalSinceReferenceDate) }
        case .decimal: return AttributeValues.number(value).map { "\($0.decimalValue)" }
        case .uuid: return (value as? UUID)?.uuidString
        case .uri: return (value as? URL)?.absoluteString
        case .binary: return (value as? Data).map(Base64Lines.encode)
        case .transformable(let transform): return Base64Lines.encode(try transform.encode(value))
        }
    }

    /// The shortest text that parses to the same number, without ".0" for integers.
    private static func text<N: BinaryFloatingPoint & LosslessStringConvertible>(_ number: N) -> String {
        let text = String(number)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Seconds with 20 decimal places, which represent the number exactly enough to reproduce all its bits.
    private static func date(_ seconds: Double) -> String { String(format: "%.20f", seconds) }
}
