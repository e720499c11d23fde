// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a value inside of an attribute's value: of a property list, or of JSON. StructuredValues-2, 3.

import CoreDataFoundation
import Foundation

/// A path into the value of an attribute. Evaluation reads it by one key, "meta/tags/name" for "meta.tags.name", so
/// that a value without such a member is nil and no error.
package struct InsidePath: Equatable {
    private static let separator: Character = "/"

    package let attribute: String
    let members: [String]

    package init(_ attribute: String, _ members: [String]) {
        self.attribute = attribute
        self.members = members
    }

    /// nil for the key of a property. No property has a name with a slash.
    package init?(key: String) {
        guard key.utf8.contains(UInt8(ascii: "/")) else { return nil }
        let parts = key.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        self.init(parts[0], Array(parts[1...]))
    }

    package var key: String { ([attribute] + members).joined(separator: String(Self.separator)) }

    /// The value at the end of the path; nil for a missing member.
    ///
    /// - Parameter value: the attribute's value.
    package func value(in value: Any?) -> Any? { self.value(inDecoded: Self.decoded(value)) }

    /// - Parameter value: the attribute's value, decoded.
    func value(inDecoded value: Any?) -> Any? { Self.value(members[...], in: value) }

    private static func value(_ members: ArraySlice<String>, in value: Any?) -> Any? {
        guard let value = presentValue(value) else { return nil }
        guard let name = members.first else { return value }
        if let list = value as? [Any] { return list.compactMap { Self.value(members, in: $0) } }
        guard let dictionary = value as? [String: Any] else { return nil }
        return Self.value(members.dropFirst(), in: dictionary[name])
    }

    /// Data that is JSON, as a dictionary, a list or a plain value; nil for other data.
    static func decoded(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return value }
        guard JSONBounds.allow(data) else { return nil }
        return try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }
}

extension NSAttributeDescription {
    /// Whether a key path may continue in the values: in property lists, and in data that is JSON.
    var hasMembers: Bool {
        !(self is NSCompositeAttributeDescription)
            && (attributeType == .transformableAttributeType || attributeType == .binaryDataAttributeType)
    }
}
