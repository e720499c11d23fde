// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values that a history keeps of deleted objects, as one property list for each object.

import CoreDataModelFiles
import Foundation

/// The attributes of one entity with values to keep.
package struct TombstoneList {
    private let columns: [(name: String, column: AttributeColumn)]

    package var isEmpty: Bool { columns.isEmpty }

    package init(_ mapping: EntityMapping) {
        columns = mapping.layout.keptSlots.compactMap { slot in
            guard case .attribute(let column) = mapping.storage[slot] else { return nil }
            return (mapping.layout.properties[slot].name, column)
        }
    }

    /// The columns to select, in the order of `list`.
    package var names: [String] { columns.map(\.column.name) }

    /// - Parameter first: the first of the selected columns.
    package func list(_ row: some ColumnSource, first: Int) throws -> Data? {
        var values: [String: Any] = [:]
        for (offset, kept) in columns.enumerated() {
            values[kept.name] = Self.encoded(kept.column.coding, row, first + offset)
        }
        if values.isEmpty { return nil }
        return try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    }

    /// nil for data that is not a property list, and for values of another version of the entity.
    package func values(_ list: Data) -> [AnyHashable: Any]? {
        guard let stored = try? PropertyListBounds.values(of: list) as? [String: Any] else { return nil }
        var result: [AnyHashable: Any] = [:]
        for kept in columns {
            guard let value = stored[kept.name] else { continue }
            result[kept.name] = Self.decoded(kept.column.coding, value)
        }
        return result.isEmpty ? nil : result
    }

    private static func encoded(_ coding: ColumnCoding, _ row: some ColumnSource, _ column: Int) -> Any? {
        switch coding {
        case .decimal: row.decimal(at: column)?.stringValue
        case .uri: row.text(at: column)
        case .uuid: row.uuid(at: column)?.uuidString
        case .transformable: row.bytes(at: column)
        default: row.value(coding, at: column)
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
