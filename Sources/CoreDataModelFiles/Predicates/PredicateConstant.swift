// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes constants in the spelling of Apple's predicate format.

import Foundation
import PredicateLanguage

/// A tree from an archive holds constants as `PropertyListValue`, one from text as Swift's values.
enum PredicateConstant {
    /// - Throws: `unsupportedForm` for a value that no archive of a model holds.
    static func value(of constant: Any?) throws -> PropertyListValue {
        switch constant {
        case nil: return .null
        case let value as PropertyListValue: return value
        case let flag as Bool: return .boolean(flag)
        case let number as Int: return .integer(Int64(number))
        case let number as UInt64: return .decimal(Decimal(number))
        case let number as Double: return .real(number)
        case let number as Decimal: return .decimal(number)
        case let string as String: return .string(string)
        case let date as Date: return .date(date)
        case let uuid as UUID: return .uuid(uuid)
        case let url as URL: return .url(url)
        case let data as Data: return .data(data)
        case let value?:
            throw ModelFileError(.unsupportedForm, "A predicate holds a constant of the type \(type(of: value)).")
        }
    }

    /// - Throws: `unsupportedForm` for bytes, which the format language cannot express.
    static func text(of constant: Any?) throws -> String {
        switch try value(of: constant) {
        case .string(let string): return PredicateSpelling.text(of: string)
        case .integer(let number): return "\(number)"
        case .real(let number): return PredicateSpelling.text(of: number)
        case .decimal(let number): return "\(number)"
        case .boolean(let flag): return flag ? "1" : "0"
        case .date(let date): return PredicateSpelling.text(ofDate: date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): return PredicateSpelling.text(of: uuid)
        case .url(let url): return PredicateSpelling.text(of: url)
        case .null: return PredicateSpelling.null
        case .array(let members): return "{\(try members.map { try text(of: $0) }.joined(separator: ", "))}"
        case .data, .dictionary:
            throw ModelFileError(.unsupportedForm, "A predicate holds a constant that its format language cannot say.")
        }
    }
}
