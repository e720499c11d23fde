// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values to column values.

import CoreDataFoundation
import Foundation

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
}
