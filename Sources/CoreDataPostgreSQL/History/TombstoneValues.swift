// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values that a history keeps of deleted objects, as property lists.

import CoreData
import Foundation
import PostgreSQLDriver

/// The attributes of one entity with values to keep.
struct TombstoneValues {
    private let columns: [(name: String, column: AttributeColumn)]

    var isEmpty: Bool { columns.isEmpty }

    init(_ mapping: EntityMapping) {
        let layout = mapping.layout
        columns = layout.attributeSlots.compactMap { slot -> (name: String, column: AttributeColumn)? in
            guard !layout[slot].isTransient, layout.attribute(slot)?.preservesValueInHistoryOnDeletion == true,
                case .attribute(let column) = mapping.storage[slot]
            else { return nil }
            return (layout.properties[slot].name, column)
        }
    }

    /// The columns as part of a SELECT, in the order of `list`.
    func selection(_ dialect: PostgreSQLDialect) -> String {
        columns.map { dialect.quoted($0.column.name) }.joined(separator: ", ")
    }

    /// - Parameter first: the first column of the selection.
    func list(_ cells: CellRow, first: Int) throws -> Data? {
        var values: [String: Any] = [:]
        for (offset, kept) in columns.enumerated() {
            values[kept.name] = Self.encoded(kept.column.coding, cells, first + offset)
        }
        if values.isEmpty { return nil }
        return try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    }

    /// nil for data that is not a property list, and for values of another version of the entity.
    func values(_ list: Data) -> [AnyHashable: Any]? {
        guard
            let stored = try? PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
        else { return nil }
        var result: [AnyHashable: Any] = [:]
        for kept in columns {
            guard let value = stored[kept.name] else { continue }
            result[kept.name] = Self.decoded(kept.column.coding, value)
        }
        return result.isEmpty ? nil : result
    }

    private static func encoded(_ coding: ColumnCoding, _ cells: CellRow, _ column: Int) -> Any? {
        switch coding {
        case .decimal: cells.decimal(at: column)?.stringValue
        case .uri: cells.text(at: column)
        case .uuid: cells.uuid(at: column)?.uuidString
        case .transformable: cells.bytes(at: column)
        default: cells.value(coding, at: column)
        }
    }

    private static func decoded(_ coding: ColumnCoding, _ value: Any) -> Any? {
        switch coding {
        case .decimal: (value as? String).map { NSDecimalNumber(string: $0) }
        case .uri: (value as? String).flatMap { URL(string: $0) }
        case .uuid: (value as? String).flatMap { UUID(uuidString: $0) }
        case .transformable(let transform): (value as? Data).flatMap { transform.decode($0) }
        case .integer: AttributeValues.number(value).map { NSNumber(value: $0.int64Value) }
        case .boolean: AttributeValues.number(value).map { NSNumber(value: $0.boolValue) }
        case .float: AttributeValues.number(value).map { NSNumber(value: $0.floatValue) }
        case .double: AttributeValues.number(value).map { NSNumber(value: $0.doubleValue) }
        default: value
        }
    }
}
