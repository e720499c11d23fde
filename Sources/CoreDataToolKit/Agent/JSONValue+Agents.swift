// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// JSON of agents: reads values from messages, and writes answers without invisible characters.

import CoreDataExchange
import Foundation

extension JSONValue {
    /// Reads a text. Depth is limited to 64.
    ///
    /// - Throws: `ToolError` for text that is no JSON.
    init(reading bytes: [UInt8]) throws {
        self = ContentText.json(try ExactJSON.value(bytes))
    }

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var integerValue: Int? {
        if case .number(let digits) = self { return Int(digits) }
        return nil
    }

    var booleanValue: Bool? {
        if case .boolean(let value) = self { return value }
        return nil
    }

    var arrayValue: [JSONValue]? {
        if case .array(let values) = self { return values }
        return nil
    }

    /// The text on one line, with escapes for characters that a reader does not see: instructions could hide in them.
    var visibleText: String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .control:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
