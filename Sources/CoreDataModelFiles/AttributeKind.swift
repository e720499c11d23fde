// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The attribute types of model files: numbers, names in sources, value classes and default values.

import Foundation

/// The attribute types in files, with the raw values of `NSAttributeType`.
package enum AttributeKind: Int, CaseIterable, Sendable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    /// The name in an `.xcdatamodel`.
    init?(sourceName: String) {
        switch sourceName {
        case "", "Undefined": self = .undefined
        case "Integer 16": self = .integer16
        case "Integer 32": self = .integer32
        case "Integer 64": self = .integer64
        case "Decimal": self = .decimal
        case "Double": self = .double
        case "Float": self = .float
        case "String": self = .string
        case "Boolean": self = .boolean
        case "Date": self = .date
        case "Binary": self = .binary
        case "UUID": self = .uuid
        case "URI": self = .uri
        case "Transformable": self = .transformable
        case "Object ID", "ObjectID": self = .objectID
        case "Composite": self = .composite
        default: return nil
        }
    }

    /// The value of `NSAttributeValueClassName` that Apple's compiler writes; nil if it writes none.
    var valueClassName: String? {
        switch self {
        case .undefined, .transformable, .objectID: nil
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .composite: "NSDictionary"
        }
    }

    /// Converts a default value to the class of its type. Some compilers write `0` for false and for `0.0`.
    func natural(_ value: PropertyListValue) -> PropertyListValue {
        switch (self, value) {
        case (.boolean, .integer(let number)): .boolean(number != 0)
        case (.boolean, .real(let number)): .boolean(number != 0)
        case (.integer16, .boolean(let flag)), (.integer32, .boolean(let flag)), (.integer64, .boolean(let flag)):
            .integer(flag ? 1 : 0)
        case (.integer16, .real(let number)), (.integer32, .real(let number)), (.integer64, .real(let number)):
            Int64(exactly: number).map(PropertyListValue.integer) ?? value
        case (.double, .integer(let number)), (.float, .integer(let number)): .real(Double(number))
        case (.double, .boolean(let flag)), (.float, .boolean(let flag)): .real(flag ? 1 : 0)
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .real(let number)) where number.isFinite: .decimal(Decimal(number))
        default: value
        }
    }

    /// Parses a default value. A malformed text for a numeric type is the number at its start, or 0, because models of
    /// Xcode contain "YES" and "0.0" for integers; other types then have no default.
    func value(ofSourceText text: String) -> PropertyListValue? {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if self == .string { return .string(text) }
        guard !trimmed.isEmpty else { return nil }
        switch self {
        case .integer16, .integer32, .integer64:
            return .integer(Int64(trimmed) ?? Int64(exactly: leadingNumber(trimmed).rounded(.towardZero)) ?? 0)
        case .boolean:
            if let flag = ["YES": true, "NO": false, "TRUE": true, "FALSE": false][trimmed.uppercased()] {
                return .boolean(flag)
            }
            return .boolean(leadingNumber(trimmed) != 0)
        case .double, .float: return .real(leadingNumber(trimmed))
        case .decimal: return .decimal(Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX")) ?? 0)
        case .uuid: return UUID(uuidString: trimmed).map(PropertyListValue.uuid)
        case .uri: return URL(string: trimmed).map(PropertyListValue.url)
        case .transformable: return .string(text)
        case .string, .undefined, .date, .binary, .objectID, .composite: return nil
        }
    }

    private func leadingNumber(_ text: String) -> Double {
        if let number = Double(text), number.isFinite { return number }
        let prefix = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        return Double(prefix).flatMap { $0.isFinite ? $0 : nil } ?? 0
    }
}
