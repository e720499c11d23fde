// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values to column values.

import Foundation
import SQLiteDriver

/// Converts values to column values.
enum ColumnArgument {
    /// The floating-point number nearest to a decimal. `NSDecimalNumber.doubleValue` is inexact in the last digits
    /// outside of Apple's systems.
    static func double(_ decimal: Decimal) -> Double {
        Double(decimal.description) ?? NSDecimalNumber(decimal: decimal).doubleValue
    }

    /// nil if the column cannot store the value's type.
    static func value(_ value: Any, _ coding: ColumnCoding) -> SQLiteValue? {
        switch coding {
        case .integer: return AttributeValues.number(value).map { .integer($0.int64Value) }
        case .boolean: return AttributeValues.number(value).map { .integer($0.boolValue ? 1 : 0) }
        case .float, .double: return AttributeValues.number(value).map { .real($0.doubleValue) }
        case .decimal: return AttributeValues.number(value).map { .real(double($0.decimalValue)) }
        case .date:
            return (value as? Date ?? (value as? NSDate).map { $0 as Date }).map {
                .real($0.timeIntervalSinceReferenceDate)
            }
        case .string: return (value as? String ?? (value as? NSString).map { String($0) }).map { .text($0) }
        case .uri:
            return (value as? URL ?? (value as? NSURL).map { $0 as URL }).map { .text($0.absoluteString) }
        case .uuid:
            guard let uuid = value as? UUID ?? (value as? NSUUID).map({ $0 as UUID }) else { return nil }
            return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .binary, .externalBinary:
            return (value as? Data ?? (value as? NSData).map { Data(referencing: $0) }).map { .blob($0) }
        case .transformable: return nil
        }
    }
}
