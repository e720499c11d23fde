// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes types, defaults and limits in the spelling of model sources.

import Foundation
import PredicateLanguage

extension AttributeKind {
    /// The name of an attribute type by its raw value, known or not, for display.
    package static func title(of type: Int) -> String { AttributeKind(rawValue: type)?.sourceName ?? "type \(type)" }

    /// The name in an `.xcdatamodel`, also used for display.
    package var sourceName: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }
}

enum SourceDefault {
    /// The XML attribute for a default value; nil for values that no source can contain.
    static func field(_ value: PropertyListValue) -> (name: String, text: String)? {
        switch value {
        case .date(let date):
            ("defaultDateTimeInterval", PredicateSpelling.text(of: date.timeIntervalSinceReferenceDate))
        case .string(let text): ("defaultValueString", text)
        case .integer(let number): ("defaultValueString", "\(number)")
        case .real(let number): ("defaultValueString", "\(number)")
        case .decimal(let number): ("defaultValueString", "\(number)")
        case .boolean(let flag): ("defaultValueString", flag ? "YES" : "NO")
        case .uuid(let uuid): ("defaultValueString", uuid.uuidString)
        case .url(let url): ("defaultValueString", url.absoluteString)
        case .data, .array, .dictionary, .null: nil
        }
    }
}

extension SourceLimits {
    /// The XML attribute for a rule; nil for a rule that no source can contain.
    static func field(of rule: ModelDocument.Validation) -> (name: String, text: String)? {
        let format = rule.format
        for (prefix, name, date) in bounds where format.hasPrefix(prefix) {
            let text = String(format.dropFirst(prefix.count))
            if Double(text) != nil { return (name, text) }
            guard let date, text.hasPrefix("CAST("), text.hasSuffix(", \"NSDate\")"),
                let seconds = Double(text.dropFirst(5).dropLast(11))
            else { return nil }
            return (date, PredicateSpelling.text(of: seconds))
        }
        let matches = "SELF MATCHES "
        guard format.hasPrefix(matches) else { return nil }
        return unquoted(String(format.dropFirst(matches.count))).map { ("regularExpressionString", $0) }
    }

    private static let bounds: [(prefix: String, name: String, date: String?)] = [
        ("SELF >= ", "minValueString", "minDateTimeInterval"), ("SELF <= ", "maxValueString", "maxDateTimeInterval"),
        ("length >= ", "minValueString", nil), ("length <= ", "maxValueString", nil),
    ]

    /// The text for a literal written by `PredicateConstant.text(of:)`; nil for anything else.
    private static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return nil }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if isEscaped {
                result.append(["n": "\n", "r": "\r", "t": "\t"][character] ?? character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return nil
            } else {
                result.append(character)
            }
        }
        return isEscaped ? nil : result
    }
}
