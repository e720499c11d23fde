// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses calls: functions, casts, conditional expressions and subqueries.

import Foundation

extension PredicateParser {
    /// The name and the opening parenthesis are already consumed.
    mutating func call(_ name: PredicateToken) throws(PredicateFormatError) -> ExpressionSyntax {
        switch PredicateKeyword(text.bytes[name.start..<name.end]) {
        case .subquery: return try subquery()
        case .ternary: return try conditional()
        case .cast: return Self.cast(try list(count: 2, of: "CAST"))
        case .function: return try method()
        case .fetch: return try fetch()
        default: break
        }
        let name = text.string(name)
        let start = position
        let arguments = try list(upTo: .closeParenthesis)
        guard let selector = PredicateFunctions.selector(name, argumentCount: arguments.count) else {
            if reading.allowsUnknownFunctions {
                return .function(
                    name: name.contains(":") || arguments.isEmpty ? name : name + ":", arguments: arguments)
            }
            position = start
            throw error("There is no function '\(name)' of \(arguments.count) arguments.")
        }
        return selector == PredicateFunctions.cast ? Self.cast(arguments) : .calling(selector, arguments)
    }

    private mutating func subquery() throws(PredicateFormatError) -> ExpressionSyntax {
        let collection = try nestedExpression(for: "SUBQUERY")
        try expect(.comma)
        guard current.kind == .variable else {
            throw error("The second argument of SUBQUERY is a variable, such as $x.")
        }
        let variable = text.string(current)
        position += 1
        try expect(.comma)
        // A level more: the condition takes as much of the stack as the expression around it.
        try enter()
        let condition = try predicate(try disjunction(), for: "SUBQUERY")
        depth -= 1
        try expect(.closeParenthesis)
        return .subquery(collection: collection, variable: variable, predicate: condition)
    }

    private mutating func conditional() throws(PredicateFormatError) -> ExpressionSyntax {
        try enter()
        let condition = try predicate(try disjunction(), for: "TERNARY")
        depth -= 1
        try expect(.comma)
        let first = try nestedExpression(for: "TERNARY")
        try expect(.comma)
        let second = try nestedExpression(for: "TERNARY")
        try expect(.closeParenthesis)
        return .conditional(condition, first, second)
    }

    private mutating func method() throws(PredicateFormatError) -> ExpressionSyntax {
        let arguments = try list(upTo: .closeParenthesis)
        guard arguments.count >= 2, case .constant(let selector) = arguments[1], selector is String else {
            throw error("FUNCTION takes an object, the quoted name of a method, and the method's arguments.")
        }
        return .function(name: PredicateFunctions.call, arguments: arguments)
    }

    /// Request, context, and whether the result is a number.
    private mutating func fetch() throws(PredicateFormatError) -> ExpressionSyntax {
        let arguments = try list(count: 3, of: "FETCH")
        guard case .constant(let countsOnly) = arguments[2], countsOnly is Bool else {
            throw error("The third argument of FETCH is YES or NO.")
        }
        return .function(name: PredicateFunctions.fetch, arguments: arguments)
    }

    private mutating func list(count: Int, of name: String) throws(PredicateFormatError) -> [ExpressionSyntax] {
        let arguments = try list(upTo: .closeParenthesis)
        guard arguments.count == count else { throw error("\(name) takes \(count) arguments, not \(arguments.count).") }
        return arguments
    }

    /// Dates and similar constants are written as casts of constants, so such casts are evaluated here.
    private static func cast(_ arguments: [ExpressionSyntax]) -> ExpressionSyntax {
        if case .constant(let value?) = arguments[0], case .constant(let type) = arguments[1],
            let type = type as? String, let constant = constant(value, as: type)
        {
            return .constant(constant)
        }
        return .function(name: PredicateFunctions.cast, arguments: arguments)
    }

    private static func constant(_ value: Any, as type: String) -> Any? {
        switch type {
        case "NSDate": (value as? NSNumber).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
        case "NSUUID": (value as? String).flatMap { UUID(uuidString: $0) }
        case "NSURL": (value as? String).flatMap { URL(string: $0) }
        case "NSDecimalNumber":
            (value as? String).flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
        case "NSData": (value as? String).flatMap { Data(base64Encoded: $0) }
        default: nil
        }
    }
}
