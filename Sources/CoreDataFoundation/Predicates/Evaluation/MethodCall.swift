// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// FUNCTION(object, 'selector', …): the supported methods without Objective-C.

import Foundation

/// Reads a property of an object, or calls one of the methods of Foundation's values that predicates use.
enum MethodCall {
    /// - Returns: nil for a nil object.
    /// - Throws: `PredicateEvaluationError` for an unsupported method or unsuitable arguments.
    static func value(_ selector: String, of receiver: Any?, _ arguments: [Any?]) throws -> Any? {
        guard let receiver = presentValue(receiver) else { return nil }
        if let receiver = receiver as? any FunctionAnswering {
            return try receiver.value(ofFunction: selector, arguments: arguments)
        }
        if let value = try result(selector, ComparableValue(receiver), arguments) { return value.value }
        if arguments.isEmpty, !selector.contains(":") { return try KeyReading.value(forKey: selector, of: receiver) }
        if arguments.count == 1, let path = presentValue(arguments[0]) as? String {
            switch selector {
            case "valueForKey:", "valueForKeyPath:", "objectForKey:":
                return try CoreDataFoundation.value(atKeyPath: path, of: receiver)
            default: break
            }
        }
        throw PredicateEvaluationError.unsupportedFunction("FUNCTION(…, '\(selector)')")
    }

    private struct Result {
        let value: Any?
        init(_ value: Any?) { self.value = value }
    }

    /// nil if the value has no such method.
    private static func result(_ selector: String, _ receiver: ComparableValue, _ arguments: [Any?]) throws -> Result? {
        switch receiver {
        case .string(let text): try result(selector, text, arguments)
        case .date(let date): try result(selector, date, arguments)
        case .url(let url): result(selector, url)
        case .uuid(let uuid): selector == "UUIDString" ? Result(uuid.uuidString) : nil
        case .integer, .unsigned, .double, .decimal: result(selector, receiver)
        default: nil
        }
    }

    private static func result(_ selector: String, _ text: String, _ arguments: [Any?]) throws -> Result? {
        switch selector {
        case "uppercaseString": return Result(text.uppercased())
        case "lowercaseString": return Result(text.lowercased())
        case "capitalizedString": return Result(text.capitalized)
        case "length": return Result(text.utf16.count)
        case "doubleValue": return Result(Double(text) ?? 0)
        case "integerValue", "intValue", "longLongValue": return Result(Int(text) ?? 0)
        case "stringByAppendingString:": return Result(text + (try argument(selector, arguments) as String))
        case "hasPrefix:": return Result(text.hasPrefix(try argument(selector, arguments)))
        case "hasSuffix:": return Result(text.hasSuffix(try argument(selector, arguments)))
        case "substringFromIndex:", "substringToIndex:":
            let (utf16, place) = (text.utf16, max(0, try argument(selector, arguments) as Int))
            let part = selector == "substringToIndex:" ? utf16.prefix(place) : utf16.dropFirst(place)
            return Result(String(decoding: part, as: UTF16.self))
        default: return nil
        }
    }

    private static func result(_ selector: String, _ date: Date, _ arguments: [Any?]) throws -> Result? {
        switch selector {
        case "timeIntervalSinceReferenceDate": Result(date.timeIntervalSinceReferenceDate)
        case "timeIntervalSince1970": Result(date.timeIntervalSince1970)
        case "timeIntervalSinceNow": Result(date.timeIntervalSinceNow)
        case "timeIntervalSinceDate:": Result(date.timeIntervalSince(try argument(selector, arguments)))
        case "dateByAddingTimeInterval:":
            Result(date.addingTimeInterval(try number(selector, arguments).double))
        default: nil
        }
    }

    private static func result(_ selector: String, _ url: URL) -> Result? {
        switch selector {
        case "absoluteString": Result(url.absoluteString)
        case "path": Result(url.path)
        case "host": Result(url.host)
        case "scheme": Result(url.scheme)
        case "lastPathComponent": Result(url.lastPathComponent)
        case "pathExtension": Result(url.pathExtension)
        default: nil
        }
    }

    private static func result(_ selector: String, _ number: ComparableValue) -> Result? {
        guard let value = Number(numeric: number) else { return nil }
        switch selector {
        case "doubleValue", "floatValue": return Result(value.double)
        case "integerValue", "intValue", "longLongValue": return Result(value.integer.map { Int($0) })
        case "boolValue": return Result(value.double != 0)
        case "stringValue", "description": return Result(TextValue.text(of: value.value))
        default: return nil
        }
    }

    private static func argument<Value>(_ selector: String, _ arguments: [Any?]) throws -> Value {
        guard arguments.count == 1, let value = presentValue(arguments[0]) as? Value else {
            throw PredicateEvaluationError.wrongArgument(
                function: selector,
                type: arguments.map { $0.map { String(describing: type(of: $0)) } ?? "nil" }.joined(separator: ", "))
        }
        return value
    }

    private static func number(_ selector: String, _ arguments: [Any?]) throws -> Number {
        guard let number = Number(try argument(selector, arguments) as Any) else {
            throw PredicateEvaluationError.wrongArgument(function: selector, type: "\(type(of: arguments))")
        }
        return number
    }
}
