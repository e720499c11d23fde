// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The storage of each slot: its columns or links, and the coding of column values.

import Foundation

/// The coding of an attribute's value in its column.
enum ColumnCoding {
    case integer, boolean, float, double, date, decimal, string, uri, uuid, binary
    /// Data with a first byte that distinguishes inline data from a file reference.
    case externalBinary
    case transformable(AttributeTransform)

    /// nil for types without a column.
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

    /// The group of the column, which determines its position in the table.
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
    /// The names of nested elements, from the composite attribute inwards.
    var path: [String]
    var column: AttributeColumn
}

struct ToOneColumns {
    var key: String
    /// The column with the destination's entity number; nil if the destination has no subentities.
    var entity: String?
}

/// The storage of a to-many relationship's members.
enum ToManyStorage {
    /// Members are the rows of `table` with the owner's key in `column`.
    case column(String, order: String?, table: EntityTable)
    case join(JoinTable, isOwner: Bool)
}

/// The storage of a slot.
enum SlotStorage {
    case none
    case attribute(AttributeColumn)
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    case toMany(ToManyStorage)

    /// The columns that may name files of large data.
    var externalColumns: [String] {
        let columns: [AttributeColumn] =
            switch self {
            case .attribute(let column): [column]
            case .composite(let leaves): leaves.map(\.column)
            case .none, .toOne, .toMany: []
            }
        return columns.filter { if case .externalBinary = $0.coding { true } else { false } }.map(\.name)
    }
}
