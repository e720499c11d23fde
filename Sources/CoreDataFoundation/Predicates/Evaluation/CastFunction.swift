// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The function CAST: converts a value to another type.

import Foundation

enum CastFunction {
    /// Converts between dates and numbers by seconds since the reference date, 1 January 2001.
    ///
    /// - Returns: nil for a value that cannot be converted, such as a text that spells no number: the text of one row
    ///   must not fail a whole fetch.
    /// - Throws: `PredicateEvaluationError.cannotCast` if the type is unknown.
    static func cast(_ value: Any, to type: Any) throws -> Any? {
        guard let name = type as? String else {
            throw PredicateEvaluationError.wrongArgument(
                function: "CAST", type: String(describing: Swift.type(of: type)))
        }
        guard let conversion = conversion(to: name) else {
            throw PredicateEvaluationError.cannotCast(
                TextValue.text(of: value) ?? PredicateConstants.text(of: value), to: name)
        }
        return conversion(ComparableValue(value))
    }

    private static func conversion(to type: String) -> ((ComparableValue) -> Any?)? {
        switch type {
        case "NSString", "String": text
        case "NSNumber", "Number", "Double", "Int": number
        case "NSDecimalNumber", "Decimal": decimal
        case "NSDate", "Date": date
        case "NSUUID", "UUID": uuid
        case "NSURL", "URL": url
        case "NSData", "Data": data
        default: nil
        }
    }

    private static func uuid(_ value: ComparableValue) -> Any? {
        switch value {
        case .uuid(let uuid): uuid
        case .string(let text): UUID(uuidString: text)
        default: nil
        }
    }

    private static func url(_ value: ComparableValue) -> Any? {
        switch value {
        case .url(let url): url
        case .string(let text): URL(string: text)
        default: nil
        }
    }

    private static func data(_ value: ComparableValue) -> Any? {
        switch value {
        case .data(let data): data
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }

    private static func text(_ value: ComparableValue) -> Any? {
        switch value {
        case .date(let date): text(date)
        case .string(let text): text
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): NSNumber(value: value).stringValue
        case .decimal(let value): NSDecimalNumber(decimal: value).stringValue
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        default: nil
        }
    }

    /// nil for a date outside of the calendar's range, for which Foundation's formatters trap.
    private static func text(_ date: Date) -> String? {
        abs(date.timeIntervalSinceReferenceDate) < 1e11 ? date.formatted(.iso8601) : nil
    }

    private static func number(_ value: ComparableValue) -> Any? {
        switch value {
        case .integer(let value): Int(value)
        case .unsigned(let value): value
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .string(let text): Int(text) ?? Double(text) as Any?
        default: nil
        }
    }

    private static func decimal(_ value: ComparableValue) -> Any? {
        switch value {
        case .integer(let value): NSDecimalNumber(decimal: Decimal(value))
        case .unsigned(let value): NSDecimalNumber(decimal: Decimal(value))
        case .double(let value): NumberComparison.decimal(value).map(NSDecimalNumber.init(decimal:))
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let text): Decimal(string: text, locale: nil).map(NSDecimalNumber.init(decimal:))
        default: nil
        }
    }

    private static func date(_ value: ComparableValue) -> Any? {
        switch value {
        case .date(let date): date
        case .integer(let value): Date(timeIntervalSinceReferenceDate: Double(value))
        case .double(let value): Date(timeIntervalSinceReferenceDate: value)
        case .decimal(let value):
            Date(timeIntervalSinceReferenceDate: Number.decimal(value).double)
        case .string(let text):
            (try? Date(text, strategy: .iso8601)) ?? Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
        default: nil
        }
    }
}
