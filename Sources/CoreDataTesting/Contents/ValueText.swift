// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the values of attributes as text. The folder imports CoreData alone: Scripts/golden compiles it with earlier
// commits. Golden stores have these texts, so their form stays.

import CoreData
import Foundation

enum ValueText {
    /// Data up to this size is written in full.
    private static let longestData = 32

    /// Calls the body with a line for each value: one, or one for each element of a composite attribute.
    static func lines(
        _ name: String, _ value: Any?, _ attribute: NSAttributeDescription, _ body: (String, String) -> Void
    ) {
        guard let value, !(value is NSNull) else { return }
        guard let composite = attribute as? NSCompositeAttributeDescription, let values = value as? [String: Any] else {
            return body(name, text(value, attribute))
        }
        for element in composite.elements.sorted(by: { $0.name < $1.name }) {
            lines("\(name).\(element.name)", values[element.name], element, body)
        }
    }

    static func text(_ value: Any, _ attribute: NSAttributeDescription) -> String {
        switch attribute.attributeType {
        case .booleanAttributeType: (value as? NSNumber).map { $0.boolValue ? "true" : "false" } ?? text(value)
        case .floatAttributeType: (value as? NSNumber).map { "\($0.floatValue)" } ?? text(value)
        case .doubleAttributeType: (value as? NSNumber).map { "\($0.doubleValue)" } ?? text(value)
        default: text(value)
        }
    }

    /// The text of a value of any type. Members of sets and keys of dictionaries are sorted.
    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: quoted(text)
        case let date as Date: text(date)
        case let data as Data: text(data)
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let number as NSDecimalNumber: "\(number)"
        case let number as NSNumber: "\(number)"
        case let array as [Any]: "[\(array.map(text).joined(separator: ", "))]"
        case let set as Set<AnyHashable>: "{\(set.map { text($0.base) }.sorted().joined(separator: ", "))}"
        case let values as [AnyHashable: Any]:
            "{\(values.map { "\(text($0.key.base)): \(text($0.value))" }.sorted().joined(separator: ", "))}"
        case let array as NSArray: "[\(array.map(text).joined(separator: ", "))]"
        default: "\(value)"
        }
    }

    /// In quotes, on one line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// With as many digits of a second, up to six, as the date has.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite, abs(seconds) < 2e11 else { return "\(seconds) s since 2001" }
        var whole = seconds.rounded(.down)
        var micros = ((seconds - whole) * 1e6).rounded()
        if micros >= 1e6 { (whole, micros) = (whole + 1, 0) }
        let base = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        guard micros > 0, base.hasSuffix("Z") else { return base }
        var digits = String(Int(micros))
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(base.dropLast()).\(digits)Z"
    }

    static func text(_ data: Data) -> String {
        guard data.count > longestData else { return "<\(data.map { hex($0) }.joined())>" }
        return "\(data.count) bytes, hash \(Fingerprint.text(Fingerprint.of(data)))"
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
