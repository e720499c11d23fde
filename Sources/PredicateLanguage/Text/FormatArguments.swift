// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes the arguments of a format to its placeholders in order, and checks their types.

import Foundation

/// Interprets arguments that are objects of higher modules.
package protocol FormatArgumentReading {
    /// The name of a typed key path; nil for any other value.
    static func keyPath(_ argument: Any) -> String?
    /// The tree of a predicate or an expression, with its depth; nil for any other value, which is a constant.
    static func tree(_ argument: Any) -> (tree: FormatArgumentTree, depth: Int)?
    /// Whether texts may contain functions of any name. Texts of models may, because they are converted and never
    /// evaluated.
    static var allowsUnknownFunctions: Bool { get }
}

package enum FormatArgumentTree {
    case predicate(PredicateSyntax)
    case expression(ExpressionSyntax)
}

/// The value of a placeholder.
enum FormatArgument {
    case value(Any?)
    case keyPath(String)
}

/// The arguments of a format, used in order. Surplus arguments are ignored, as by Apple's parser.
package struct FormatArguments {
    private let arguments: [Any?]
    private let reading: any FormatArgumentReading.Type
    private var next = 0

    init(_ arguments: [Any?], _ reading: any FormatArgumentReading.Type) {
        self.arguments = arguments
        self.reading = reading
    }

    /// - Returns: a failure with a sentence if there is no argument or its type is wrong.
    mutating func take(_ placeholder: FormatPlaceholder) -> Result<FormatArgument, Refusal> {
        guard next < arguments.count else {
            return .failure(
                Refusal("%\(placeholder.spelling) has no argument: there are only \(next)."))
        }
        let argument = Self.unwrapped(arguments[next])
        next += 1
        switch placeholder.kind {
        case .any: return .success(.value(argument))
        case .keyPath:
            guard let path = keyPath(argument), !path.isEmpty else {
                return refusal(placeholder, argument, "a key path")
            }
            return .success(.keyPath(path))
        case .string:
            guard let text = argument as? String else { return refusal(placeholder, argument, "a string") }
            return .success(.value(text))
        case .character: return character(placeholder, argument)
        case .number: return number(placeholder, argument)
        }
    }

    private func keyPath(_ argument: Any?) -> String? {
        if Self.isPlain(argument) { return argument as? String }
        return argument.flatMap(reading.keyPath) ?? argument as? String
    }

    /// Whether a value has one of the usual types of arguments. Comparing types is cheap; a failing cast searches for
    /// conformances and bridges.
    static func isPlain(_ value: Any?) -> Bool {
        value.map { isPlain(type(of: $0)) } ?? false
    }

    package static func isPlain(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Int64.self || type == Double.self || type == Bool.self
            || type == Date.self || type == [String].self || type == [Int].self
    }

    struct Refusal: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    private func character(_ placeholder: FormatPlaceholder, _ argument: Any?) -> Result<FormatArgument, Refusal> {
        if let character = argument as? Character { return .success(.value(String(character))) }
        if let text = argument as? String, text.count == 1 { return .success(.value(text)) }
        return number(placeholder, argument)
    }

    private func number(_ placeholder: FormatPlaceholder, _ argument: Any?) -> Result<FormatArgument, Refusal> {
        guard let argument, Self.isPlainNumber(argument) || argument is NSNumber else {
            return refusal(placeholder, argument, "a number")
        }
        return .success(.value(argument))
    }

    private static func isPlainNumber(_ value: Any) -> Bool {
        let type = type(of: value)
        return type == Int.self || type == Double.self || type == Bool.self
    }

    private func refusal(
        _ placeholder: FormatPlaceholder, _ argument: Any?, _ wanted: String
    ) -> Result<FormatArgument, Refusal> {
        let given = argument.map { "\(type(of: $0))" } ?? "nil"
        return .failure(Refusal("%\(placeholder.spelling) takes \(wanted), but argument \(next) is \(given)."))
    }

    /// The value as an object of a class, also in an optional or an `AnyHashable`; nil for any other value.
    ///
    /// A mere cast would also turn a Swift collection into a collection of Foundation, and hash its members. The hash
    /// of a decimal overflows the stack there.
    package static func object<Class: AnyObject>(_ value: Any, as class: Class.Type = Class.self) -> Class? {
        guard let value = unwrapped(value), type(of: value) is AnyClass else { return nil }
        return value as? Class
    }

    /// An optional or an `AnyHashable` inside an `Any` is a distinct value, and would never equal the wrapped one.
    package static func unwrapped(_ value: Any?) -> Any? {
        guard let value, !isPlain(value) else { return value }
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable { return unwrapped(hashable.base) }
        guard let optional = value as? any OptionalValue else { return value }
        return unwrapped(optional.wrapped)
    }
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? {
        switch self {
        case .some(let value): value
        case .none: nil
        }
    }
}
