// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The coding of an attribute's values in its column.

import Foundation

/// The coding of an attribute's value in its column.
package enum ColumnCoding {
    case integer, boolean, float, double, date, decimal, string, uri, uuid, binary
    /// Data with a first byte that distinguishes inline data from a file reference.
    case externalBinary
    case transformable(AttributeTransform)

    /// nil for types without a column.
    package init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .floatAttributeType: self = .float
        case .doubleAttributeType: self = .double
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType:
            self = attribute.allowsExternalBinaryDataStorage ? .externalBinary : .binary
        case .transformableAttributeType: self = .transformable(AttributeTransform(attribute))
        default: return nil
        }
    }

    /// The group of the column, which determines its position in the table.
    package var group: Int {
        switch self {
        case .integer, .boolean: 0
        case .date, .double, .float: 2
        case .decimal: 3
        case .string: 4
        case .uri: 5
        case .uuid: 6
        case .transformable: 7
        case .binary, .externalBinary: 8
        }
    }
}
