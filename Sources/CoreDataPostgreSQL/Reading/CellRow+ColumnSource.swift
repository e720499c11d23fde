// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the cells of a row that the server sends.

package import CoreData
import CoreDataFoundation
package import Foundation
package import PostgreSQLDriver

extension CellRow: ColumnSource {
    package func key(at column: Int) -> Int64 { self[column].integer ?? 0 }
    package func integer(at column: Int) -> Int64? { self[column].integer }
    package func number(at column: Int) -> Double? { self[column].double }
    package func date(at column: Int) -> Double? { self[column].timestamp }
    package func text(at column: Int) -> String? { self[column].text }
    package func decimal(at column: Int) -> NSDecimalNumber? {
        self[column].decimal.map { NSDecimalNumber(decimal: $0) }
    }
    package func uuid(at column: Int) -> UUID? { self[column].uuid }
    package func bytes(at column: Int) -> Data? { self[column].data }
    package func largeData(at column: Int, in folder: URL?) -> ValueBox? { self[column].data.map { ValueBox($0) } }

    package func entity(at column: Int, _ schema: Schema) -> Int? {
        self[column].text.flatMap(schema.model.layout(named:))?.index
    }

    /// By the type that the server says.
    package func computed(at column: Int, _ kind: ValueKind) -> Any? {
        let (cell, type) = (self[column], type(column))
        if cell.isNull { return nil }
        if kind == .url { return cell.text.flatMap { URL(string: $0) } }
        if kind == .decimal, type == TypeNumber.numeric { return decimal(at: column) }
        switch type {
        case TypeNumber.int16, TypeNumber.int32, TypeNumber.int64: return cell.integer.map { NSNumber(value: $0) }
        case TypeNumber.boolean: return cell.integer.map { NSNumber(value: $0 != 0) }
        case TypeNumber.float, TypeNumber.double: return cell.double.map { NSNumber(value: $0) }
        case TypeNumber.numeric: return cell.decimal.map(Self.number)
        case TypeNumber.timestamp: return cell.timestamp.map { Date(timeIntervalSinceReferenceDate: $0) }
        case TypeNumber.uuid: return cell.uuid
        case TypeNumber.bytes: return cell.data
        default: return cell.text
        }
    }

    /// A sum of integers is an integer if it fits, although the server may sum in another type.
    private static func number(_ decimal: Decimal) -> NSNumber {
        let number = NSDecimalNumber(decimal: decimal)
        let integer = number.int64Value
        return Decimal(integer) == decimal ? NSNumber(value: integer) : number
    }
}
