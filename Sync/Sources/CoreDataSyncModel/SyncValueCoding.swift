// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns values of attributes into values that travel, and back.
package import CoreData
package import CoreDataSyncProtocol
import Foundation

/// A value that an attribute cannot have, or that cannot travel.
package struct SyncValueError: Error {
    package let property: String
    package let reason: String
}

/// Conversions for one attribute.
package enum SyncValueCoding {
    /// - Parameter value: a value of the attribute as `value(forKey:)` gives it.
    package static func encode(_ value: Any?, _ attribute: NSAttributeDescription) throws -> SyncValue {
        guard let value, !(value is NSNull) else { return .null }
        let encoded: SyncValue? =
            switch attribute.attributeType {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                (value as? NSNumber).map { .integer($0.int64Value) }
            case .booleanAttributeType: (value as? NSNumber).map { .bool($0.boolValue) }
            case .doubleAttributeType: (value as? NSNumber).map { .double($0.doubleValue.bitPattern) }
            case .floatAttributeType: (value as? NSNumber).map { .float($0.floatValue.bitPattern) }
            case .decimalAttributeType: decimal(value).map { .decimal($0.description) }
            case .stringAttributeType: (value as? String).map { .string($0) }
            case .dateAttributeType: (value as? Date).map { .date($0.timeIntervalSinceReferenceDate.bitPattern) }
            case .binaryDataAttributeType: (value as? Data).map { .data($0) }
            case .UUIDAttributeType: (value as? UUID).map { .uuid($0) }
            case .URIAttributeType: (value as? URL).map { .uri($0.absoluteString) }
            case .compositeAttributeType: try composite(value, attribute)
            case .transformableAttributeType: .transformed(try SyncTransform(attribute).encode(value))
            default: nil
            }
        guard let encoded else {
            throw SyncValueError(property: attribute.name, reason: "a value of type \(type(of: value)) cannot travel")
        }
        return encoded
    }

    /// - Returns: a value for `setValue(_:forKey:)`.
    package static func decode(_ value: SyncValue, _ attribute: NSAttributeDescription) throws -> Any? {
        switch (value, attribute.attributeType) {
        case (.null, _): return nil
        case (.integer(let number), .integer16AttributeType) where Int16(exactly: number) != nil: return number
        case (.integer(let number), .integer32AttributeType) where Int32(exactly: number) != nil: return number
        case (.integer(let number), .integer64AttributeType): return number
        case (.bool(let bool), .booleanAttributeType): return bool
        case (.double(let bits), .doubleAttributeType): return Double(bitPattern: bits)
        case (.float(let bits), .floatAttributeType): return Float(bitPattern: bits)
        case (.decimal(let text), .decimalAttributeType):
            if text == "NaN" { return NSDecimalNumber.notANumber }
            if let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) {
                return NSDecimalNumber(decimal: decimal)
            }
        case (.string(let text), .stringAttributeType): return text
        case (.date(let bits), .dateAttributeType):
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        case (.data(let data), .binaryDataAttributeType): return data
        case (.uuid(let uuid), .UUIDAttributeType): return uuid
        case (.uri(let text), .URIAttributeType): if let url = URL(string: text) { return url }
        case (.composite(let values), .compositeAttributeType):
            if let attribute = attribute as? NSCompositeAttributeDescription {
                return try decode(values, attribute)
            }
        case (.transformed(let data), .transformableAttributeType):
            if let object = try SyncTransform(attribute).decode(data) { return object }
        default: break
        }
        throw SyncValueError(property: attribute.name, reason: "the value is not of the attribute's type")
    }

    private static func decimal(_ value: Any) -> Decimal? {
        (value as? NSDecimalNumber)?.decimalValue ?? value as? Decimal
    }

    private static func composite(_ value: Any, _ attribute: NSAttributeDescription) throws -> SyncValue? {
        guard let attribute = attribute as? NSCompositeAttributeDescription, let values = value as? [String: Any] else {
            return nil
        }
        var encoded: [String: SyncValue] = [:]
        for element in attribute.elements {
            if let part = values[element.name] { encoded[element.name] = try encode(part, element) }
        }
        return .composite(encoded)
    }

    private static func decode(
        _ values: [String: SyncValue], _ attribute: NSCompositeAttributeDescription
    ) throws -> [String: Any] {
        var decoded: [String: Any] = [:]
        for element in attribute.elements {
            if let part = values[element.name], let value = try decode(part, element) { decoded[element.name] = value }
        }
        return decoded
    }
}

/// The bytes of transformable values: a keyed archive, or those of the attribute's registered transformer.
private struct SyncTransform {
    private static let archivers: Set<String> = [
        "", "NSKeyedUnarchiveFromData", "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
        "NSSecureUnarchiveFromDataTransformer",
    ]
    private static let allowed: [AnyClass] = [
        NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self,
        NSURL.self, NSSet.self,
    ]
    let attribute: NSAttributeDescription

    init(_ attribute: NSAttributeDescription) { self.attribute = attribute }

    func encode(_ value: Any) throws -> Data {
        let data: Data? =
            if let transformer = try transformer() {
                (transformer is NSSecureUnarchiveFromDataTransformer
                    ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)) as? Data
            } else {
                try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            }
        guard let data else {
            throw SyncValueError(property: attribute.name, reason: "the value has no archive")
        }
        return data
    }

    func decode(_ data: Data) throws -> Any? {
        if let transformer = try transformer() {
            return transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowed, from: data)
    }

    /// nil for a keyed archive.
    private func transformer() throws -> ValueTransformer? {
        let name = attribute.valueTransformerName ?? ""
        if Self.archivers.contains(name) { return nil }
        guard let transformer = ValueTransformer(forName: NSValueTransformerName(name)) else {
            throw SyncValueError(property: attribute.name, reason: "no value transformer has the name '\(name)'")
        }
        return transformer
    }
}
