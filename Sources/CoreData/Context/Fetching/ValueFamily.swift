// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups of values that can be compared with each other.

import Foundation

/// A group of values that can only be compared with values of the same group.
enum ValueFamily: String {
    case number = "numbers"
    case text = "text"
    case date = "dates"
    case uuid = "UUIDs"
    case data = "data"
    case url = "URLs"

    /// nil for classes that are compared in another way: objects, ids, collections.
    init?(value: Any) {
        switch value {
        case is String, is NSString: self = .text
        case is Date, is NSDate: self = .date
        case is UUID, is NSUUID: self = .uuid
        case is Data, is NSData: self = .data
        case is URL, is NSURL: self = .url
        default:
            guard AttributeValues.number(value) != nil else { return nil }
            self = .number
        }
    }

    /// nil for attributes that may have values of any class.
    init?(_ attribute: NSAttributeDescription) { self.init(attribute.attributeType) }

    /// nil for types that may have values of any class.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            self = .number
        case .stringAttributeType: self = .text
        case .dateAttributeType: self = .date
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType: self = .data
        case .URIAttributeType: self = .url
        default: return nil
        }
    }

    /// Whether a value may be compared with the attribute's values.
    ///
    /// Text is accepted for a number or a UUID, as its written form, and a number for its text (`ConstantConversion`).
    /// The text of a URL equals no URL.
    func accepts(_ value: Any, of family: ValueFamily) -> Bool {
        switch (self, family) {
        case (.number, .text), (.text, .number): true
        case (.uuid, .text): (value as? String).flatMap { UUID(uuidString: $0) } != nil
        default: self == family
        }
    }

    /// Whether text operators apply to such values, through their written form.
    var hasText: Bool { self == .text || self == .number }
}

extension EntityLayout {
    /// The attributes that have values of a family, as suggestions in messages.
    func attributes(holding family: ValueFamily) -> String {
        let names = properties.compactMap { property -> String? in
            guard let attribute = property as? NSAttributeDescription, ValueFamily(attribute) == family else {
                return nil
            }
            return attribute.name
        }
        return names.isEmpty
            ? "'\(name)' has no \(family.rawValue)."
            : "'\(name)' has \(family.rawValue) in \(names.joined(separator: ", "))."
    }
}
