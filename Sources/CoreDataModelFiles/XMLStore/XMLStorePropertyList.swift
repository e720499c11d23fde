// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the property list with a store's metadata between XML and Foundation values.

import Foundation

enum XMLStorePropertyList {
    /// Reads the content of `<metadata>`, which has just started, up to its end; empty without content.
    static func readMetadata(_ events: inout XMLEventReader) throws -> [String: Any] {
        guard try events.nextTag() == .start else { return [:] }
        guard events.name == "plist", try events.nextTag() == .start,
            let values = try value(&events) as? [String: Any], try events.nextTag() == .end,
            try events.nextTag() == .end
        else { throw events.failure("The metadata is no property list with a dictionary") }
        return values
    }

    /// Reads the value of an element that has just started, up to its end. The nesting limit of elements applies.
    private static func value(_ events: inout XMLEventReader) throws -> Any {
        let kind = events.name
        switch kind {
        case "dict": return try dictionary(&events)
        case "array": return try array(&events)
        case "string": return try events.wholeText()
        case "true", "false":
            _ = try events.wholeText()
            return NSNumber(value: kind == "true")
        case "integer": return try number(events.wholeText(), Int64.init, events)
        case "real": return try number(events.wholeText(), Double.init, events)
        case "date":
            let text = try events.wholeText()
            guard let date = try? Date(text, strategy: .iso8601) else { throw events.failure("'\(text)' is no date") }
            return date
        case "data":
            guard let data = Base64Lines.decode(try events.wholeText()) else {
                throw events.failure("A <data> is not in base64")
            }
            return data
        default: throw events.failure("<\(kind)> means nothing in a property list")
        }
    }

    private static func number<N>(_ text: String, _ make: (String) -> N?, _ events: XMLEventReader) throws -> NSNumber {
        switch make(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
        case let number as Int64: return NSNumber(value: number)
        case let number as Double: return NSNumber(value: number)
        default: throw events.failure("'\(text)' is no number")
        }
    }

    private static func dictionary(_ events: inout XMLEventReader) throws -> [String: Any] {
        var result: [String: Any] = [:]
        while try events.nextTag() == .start {
            guard events.name == "key" else { throw events.failure("A <key> is missing") }
            let key = try events.wholeText()
            guard try events.nextTag() == .start else { throw events.failure("The key '\(key)' has no value") }
            guard result.updateValue(try value(&events), forKey: key) == nil else {
                throw events.failure("The key '\(key)' is there twice")
            }
        }
        return result
    }

    private static func array(_ events: inout XMLEventReader) throws -> [Any] {
        var result: [Any] = []
        while try events.nextTag() == .start { result.append(try value(&events)) }
        return result
    }

    // MARK: Writing

    /// The lines of `<plist>`, as Apple indents them.
    ///
    /// - Throws: `unsupportedForm` for a value that no property list can contain.
    static func lines(_ values: [String: Any]) throws -> [String] {
        let indent = String(repeating: " ", count: 12)
        return [indent + "<plist version=\"1.0\">"] + (try lines(values as Any, depth: 0)) + [indent + "</plist>"]
    }

    private static func lines(_ value: Any, depth: Int) throws -> [String] {
        let indent = String(repeating: " ", count: 16 + 4 * depth)
        func text(_ element: String, _ content: String) -> [String] {
            [indent + "<\(element)>" + XMLText.escaped(content) + "</\(element)>"]
        }
        switch value {
        case let value as [String: Any]:
            guard depth < 32 else { throw refusal("values nested more than 32 deep") }
            let pairs = try value.sorted { $0.key < $1.key }.flatMap { key, value in
                [indent + "    <key>" + XMLText.escaped(key) + "</key>"] + (try lines(value, depth: depth + 1))
            }
            return [indent + "<dict>"] + pairs + [indent + "</dict>"]
        case let value as [Any]:
            guard depth < 32 else { throw refusal("values nested more than 32 deep") }
            let elements = try value.flatMap { try lines($0, depth: depth + 1) }
            return [indent + "<array>"] + elements + [indent + "</array>"]
        case let value as String:
            guard XMLText.canHold(value) else { throw refusal("a string with characters that XML does not have") }
            return text("string", value)
        case let value as Data: return [indent + "<data>" + data(value, depth: depth) + "</data>"]
        case let value as Date: return text("date", value.formatted(.iso8601))
        case let value as Bool where !(value as Any is NSNumber): return text(value ? "true" : "false", "")
        default:
            guard let number = value as? NSNumber ?? (value as? any BinaryInteger).map({ NSNumber(value: Int64($0)) })
            else { throw refusal("a value of type \(type(of: value))") }
            let (element, content) = Self.text(of: number)
            return text(element, content)
        }
    }

    private static func text(of number: NSNumber) -> (element: String, content: String) {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): (number.boolValue ? "true" : "false", "")
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): ("real", "\(number.doubleValue)")
        default: ("integer", number.stringValue)
        }
    }

    /// The line length includes the width of tabs, as in the system's own writer.
    private static func data(_ data: Data, depth: Int) -> String {
        let depth = min(depth, 8)
        let tabs = String(repeating: "\t", count: depth)
        let text = Array(data.base64EncodedString().utf8)
        let length = max(76 - 8 * depth, 4)
        var result = "\n"
        for start in stride(from: 0, to: text.count, by: length) {
            result += tabs + String(decoding: text[start..<min(start + length, text.count)], as: UTF8.self) + "\n"
        }
        return result + tabs
    }

    private static func refusal(_ what: String) -> ModelFileError {
        ModelFileError(.unsupportedForm, "The metadata cannot be written: it holds \(what).")
    }
}
