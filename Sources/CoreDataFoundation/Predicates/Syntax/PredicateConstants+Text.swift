// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes constants in the format language.

package import Foundation

extension PredicateConstants {
    /// A value that the language cannot express is represented by its description.
    package static func text(of value: Any?) -> String {
        switch value {
        case nil: "nil"
        case is NSNull: "<null>"
        case let string as String: quoted(string)
        case let number as NSNumber: text(of: number)
        case let date as Date: "CAST(\(String(format: "%.6f", date.timeIntervalSinceReferenceDate)), \"NSDate\")"
        case let identifier as UUID: "CAST(\"\(identifier.uuidString)\", \"NSUUID\")"
        case let address as URL: "CAST(\(quoted(address.absoluteString)), \"NSURL\")"
        case let bytes as Data: "CAST(\"\(bytes.base64EncodedString())\", \"NSData\")"
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
        let real = number.doubleValue
        return Int64(exactly: real).map { "\($0)" } ?? "\(real)"
    }

    private static func list(_ members: [Any]) -> String {
        "{\(members.map { text(of: $0) }.joined(separator: ", "))}"
    }

    static func quoted(_ string: String) -> String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            case "\r": text.append(contentsOf: "\\r".unicodeScalars)
            case "\t": text.append(contentsOf: "\\t".unicodeScalars)
            default: text.append(scalar)
            }
        }
        text.append("\"")
        return String(text)
    }
}
