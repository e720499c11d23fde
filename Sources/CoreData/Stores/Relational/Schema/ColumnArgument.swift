// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values to column values.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// Converts values to column values.
package enum ColumnArgument {
    /// The floating-point number nearest to a decimal. `NSDecimalNumber.doubleValue` is inexact in the last digits
    /// outside of Apple's systems.
    package static func double(_ decimal: Decimal) -> Double { ExactDecimal.double(decimal) }

    /// nil if a column of this coding cannot store the value's type, and for transformable attributes.
    package static func column(_ value: Any, _ coding: ColumnCoding) -> ColumnValue? {
        switch coding {
        case .integer: return AttributeValues.number(value).map { .integer($0.int64Value) }
        case .boolean: return AttributeValues.number(value).map { .boolean($0.boolValue) }
        case .float, .double: return AttributeValues.number(value).map { .double(ExactDecimal.double($0)) }
        case .decimal: return AttributeValues.number(value).map { .decimal(ExactDecimal.of($0)) }
        case .date: return (value as? Date ?? (value as? NSDate).map { $0 as Date }).map { .date($0) }
        case .string: return (value as? String ?? (value as? NSString).map { String($0) }).map { .text($0) }
        case .uri: return (value as? URL ?? (value as? NSURL).map { $0 as URL }).map { .text($0.absoluteString) }
        case .uuid: return (value as? UUID ?? (value as? NSUUID).map { $0 as UUID }).map { .uuid($0) }
        case .binary, .externalBinary:
            return (value as? Data ?? (value as? NSData).map { Data(referencing: $0) }).map { .bytes($0) }
        case .transformable: return nil
        }
    }

    /// The value in one of SQLite's storage classes. Apple's framework writes a decimal that is not a number as text,
    /// because SQLite would store the number as null.
    static func value(_ value: Any, _ coding: ColumnCoding) -> SQLiteValue? {
        let column = column(value, coding)
        if case .decimal(let number)? = column, number.isNaN { return .text(ExactDecimal.notANumber) }
        return column?.sqlite
    }
}

extension ColumnValue {
    /// The value in one of SQLite's storage classes. A list has none, because statements for SQLite list single values.
    var sqlite: SQLiteValue {
        switch self {
        case .null, .list: .null
        case .integer(let number): .integer(number)
        case .boolean(let value): .integer(value ? 1 : 0)
        case .double(let number): .real(number)
        case .decimal(let number): .real(ColumnArgument.double(number))
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .text(let text): .text(text)
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .bytes(let data): .blob(data)
        }
    }
}
