// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands the arguments of a format to its placeholders, in order, and checks their types.

import Foundation

/// What a placeholder stands for.
enum FormatArgument {
    case value(Any?)
    case keyPath(String)
}

/// The arguments that are still to be used. Those that no placeholder asks for are passed over, as Apple's parser does.
struct FormatArguments {
    /// Longest first, so that `%ld` is not read as `%l`.
    static let placeholders = [
        "lld", "lli", "llu", "llx", "llo", "ld", "li", "lu", "lx", "lo", "lf", "qd", "qu", "qx", "hd", "hu", "zd", "zu",
        "@", "K", "d", "D", "i", "u", "U", "o", "x", "X", "c", "C", "f", "F", "e", "E", "g", "G", "s", "S",
    ]

    private let arguments: [Any?]
    private var next = 0

    init(_ arguments: [Any?]) { self.arguments = arguments }

    /// - Returns: nil with a sentence when there is none or its type is wrong.
    mutating func take(_ placeholder: String) -> Result<FormatArgument, Refusal> {
        guard next < arguments.count else {
            return .failure(
                Refusal("%\(placeholder) has no argument: there are only \(next)."))
        }
        let argument = Self.unwrapped(arguments[next])
        next += 1
        switch placeholder {
        case "@": return .success(.value(argument is NSNull ? nil : argument))
        case "K":
            let name = (argument as? AnyKeyPath).map(KeyPathNames.name) ?? argument as? String
            guard let path = name, !path.isEmpty else {
                return refusal(placeholder, argument, "a key path")
            }
            return .success(.keyPath(path))
        case "s", "S":
            guard let text = argument as? String else { return refusal(placeholder, argument, "a string") }
            return .success(.value(text))
        case "c", "C": return character(placeholder, argument)
        default: return number(placeholder, argument)
        }
    }

    struct Refusal: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    private func character(_ placeholder: String, _ argument: Any?) -> Result<FormatArgument, Refusal> {
        if let character = argument as? Character { return .success(.value(String(character))) }
        if let text = argument as? String, text.count == 1 { return .success(.value(text)) }
        return number(placeholder, argument)
    }

    private func number(_ placeholder: String, _ argument: Any?) -> Result<FormatArgument, Refusal> {
        guard let argument, argument is NSNumber else { return refusal(placeholder, argument, "a number") }
        return .success(.value(argument))
    }

    private func refusal(_ placeholder: String, _ argument: Any?, _ wanted: String) -> Result<FormatArgument, Refusal> {
        let given = argument.map { "\(type(of: $0))" } ?? "nil"
        return .failure(Refusal("%\(placeholder) takes \(wanted), but argument \(next) is \(given)."))
    }

    /// An optional inside `Any` is a value of its own and would never compare equal to nil.
    static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
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
