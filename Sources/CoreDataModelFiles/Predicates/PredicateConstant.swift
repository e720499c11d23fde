// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes constants in the spelling of Apple's predicate format.

import Foundation

enum PredicateConstant {
    /// - Throws: `unsupportedForm` for bytes, which the format language cannot express.
    static func text(of value: PropertyListValue) throws -> String {
        switch value {
        case .string(let string): return text(of: string)
        case .integer(let number): return "\(number)"
        case .real(let number): return text(of: number)
        case .decimal(let number): return "\(number)"
        case .boolean(let flag): return flag ? "1" : "0"
        case .date(let date): return text(ofDate: date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): return "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
        case .url(let url): return "CAST(\(text(of: url.absoluteString)), \"NSURL\")"
        case .null: return "nil"
        case .array(let members): return "{\(try members.map { try text(of: $0) }.joined(separator: ", "))}"
        case .data, .dictionary:
            throw ModelFileError(.unsupportedForm, "A predicate holds a constant that its format language cannot say.")
        }
    }

    static func text(of string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Whole numbers are written without a fraction, like the description of a number object.
    static func text(of number: Double) -> String {
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return "\(number)"
    }

    /// - Parameter seconds: since 2001-01-01 UTC.
    static func text(ofDate seconds: Double) -> String {
        "CAST(\(String(format: "%.6f", seconds)), \"NSDate\")"
    }
}
