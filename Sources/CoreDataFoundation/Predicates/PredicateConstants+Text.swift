// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes constants in the format language.

package import Foundation

extension PredicateConstants {
    /// A value that the language cannot express is represented by its description.
    package static func text(of value: Any?) -> String {
        switch value {
        case nil: PredicateSpelling.null
        case is NSNull: "<null>"
        case let string as String: PredicateSpelling.text(of: string)
        case let number as NSNumber: text(of: number)
        case let date as Date: PredicateSpelling.text(ofDate: date.timeIntervalSinceReferenceDate)
        case let identifier as UUID: PredicateSpelling.text(of: identifier)
        case let address as URL: PredicateSpelling.text(of: address)
        case let bytes as Data: PredicateSpelling.text(of: bytes)
        case let members as [Any]: list(members)
        case let members as NSOrderedSet: list(members.array)
        case let members as Set<AnyHashable>: "{\(members.map { text(of: $0.base) }.sorted().joined(separator: ", "))}"
        case let members as NSSet: "{\(members.allObjects.map { text(of: $0) }.sorted().joined(separator: ", "))}"
        case let dictionary as any ValueDictionary:
            "{\(dictionary.entries.map { "\($0.key) = \(text(of: $0.value))" }.sorted().joined(separator: ", "))}"
        case let value?: String(describing: value)
        }
    }

    /// Whole numbers are written without a fraction, and Booleans as 1 and 0.
    package static func text(of number: NSNumber) -> String {
        if number is NSDecimalNumber { return number.stringValue }
        guard [0x64, 0x66].contains(number.objCType.pointee) else {
            // The description of a Boolean would be "true".
            return number.int64Value < 0 || number.uint64Value <= UInt64(Int64.max)
                ? "\(number.int64Value)" : "\(number.uint64Value)"
        }
        return PredicateSpelling.text(of: number.doubleValue)
    }

    private static func list(_ members: [Any]) -> String {
        "{\(members.map { text(of: $0) }.joined(separator: ", "))}"
    }
}
