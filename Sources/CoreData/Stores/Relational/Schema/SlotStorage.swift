// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where the value of each slot stands: columns, links, and how a column codes its values.

import Foundation

/// How an attribute's value stands in its column.
enum ColumnCoding {
    case integer, boolean, float, double, date, decimal, string, uri, uuid, binary
    /// Data with a first byte that says whether it is here or in a file of its own.
    case externalBinary
    case transformable(AttributeTransform)

    /// nil: attributes of this type have no column.
    init?(_ attribute: NSAttributeDescription) {
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

    var declaredType: String {
        switch self {
        case .integer, .boolean: "INTEGER"
        case .float, .double: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary, .externalBinary, .transformable: "BLOB"
        }
    }

    /// Columns of a table stand in the order of these groups.
    var group: Int {
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

struct AttributeColumn {
    var name: String
    var coding: ColumnCoding
}

struct CompositeLeaf {
    /// Names of the elements from the composite inwards.
    var path: [String]
    var column: AttributeColumn
}

struct ToOneColumns {
    var key: String
    /// Holds the number of the destination's entity; nil where the destination has no subentities.
    var entity: String?
}

/// Where the members of a to-many are found.
enum ToManyStorage {
    /// Rows of `table` whose `column` holds the owner's key.
    case column(String, order: String?, table: EntityTable)
    case join(JoinTable, isOwner: Bool)
}

/// Where a slot is kept.
enum SlotStorage {
    case none
    case attribute(AttributeColumn)
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    case toMany(ToManyStorage)
}
