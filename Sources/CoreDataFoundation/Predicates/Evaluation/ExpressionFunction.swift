// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions of expressions, by Foundation's names.

import Foundation

/// One function. For a nil argument the result is nil, as with NULL in SQL.
struct ExpressionFunction {
    let name: String
    let isPure: Bool
    private let body: ([Any]) throws -> Any?

    func apply(_ arguments: [Any?]) throws -> Any? {
        var present: [Any] = []
        for argument in arguments {
            guard let argument = presentValue(argument) else { return nil }
            present.append(argument)
        }
        return try body(present)
    }

    /// - Throws: `PredicateEvaluationError` for an unknown function or a wrong number of arguments.
    static func named(_ name: String, argumentCount: Int) throws -> ExpressionFunction {
        if name == PredicateFunctions.tooDeep { throw PredicateEvaluationError.tooDeep }
        guard let body = body(name) else { throw PredicateEvaluationError.unsupportedFunction(name) }
        let expected = name.count { $0 == ":" }
        guard argumentCount == expected else {
            throw PredicateEvaluationError.wrongArgumentCount(function: name, expected: expected, found: argumentCount)
        }
        return ExpressionFunction(
            name: name, isPure: !["now", "random", "random:", "randomn:"].contains(name), body: body)
    }

    private static func body(_ name: String) -> (([Any]) throws -> Any?)? {
        switch name {
        case "add:to:": return { try calculate(.add, $0[0], $0[1], name) }
        case "from:subtract:": return { try calculate(.subtract, $0[0], $0[1], name) }
        case "multiply:by:": return { try calculate(.multiply, $0[0], $0[1], name) }
        case "divide:by:": return { try calculate(.divide, $0[0], $0[1], name) }
        case "modulus:by:": return { try calculate(.modulus, $0[0], $0[1], name) }
        case "raise:toPower:": return { try power($0[0], $0[1], name) }
        case "sqrt:": return { try number($0[0], name).double.squareRoot() }
        case "log:": return { log10(try number($0[0], name).double) }
        case "ln:": return { log(try number($0[0], name).double) }
        case "exp:": return { exp(try number($0[0], name).double) }
        case "floor:": return { try rounded($0[0], .down, name) }
        case "ceiling:": return { try rounded($0[0], .up, name) }
        case "trunc:": return { try rounded($0[0], .towardZero, name) }
        case "abs:": return { try absolute($0[0], name) }
        case "random": return { _ in Int(UInt32.random(in: 0...UInt32(Int32.max))) }
        case "random:", "randomn:":
            return { try integer($0[0], name).map { Int(Int64.random(in: 0..<max(1, $0))) } }
        case "now": return { _ in Date() }
        case "noindex:": return { $0[0] }
        case "distinct:": return { Aggregation.distinct(members(of: $0[0]) ?? [$0[0]]) }
        case "objectFrom:withIndex:": return { try IndexedElement.value(of: $0[0], at: $0[1]) }
        case "castObject:toType:": return { try CastFunction.cast($0[0], to: $0[1]) }
        default: return text(name) ?? bits(name)
        }
    }

    private static func text(_ name: String) -> (([Any]) throws -> Any?)? {
        switch name {
        case "uppercase:": return { try string($0[0], name).uppercased() }
        case "lowercase:": return { try string($0[0], name).lowercased() }
        case "length:": return { try string($0[0], name).utf16.count }
        case "canonical:":
            let folding = StringFolding([.caseInsensitive, .diacriticInsensitive])
            return { folding.folded(try string($0[0], name)) }
        default: return nil
        }
    }

    private static func bits(_ name: String) -> (([Any]) throws -> Any?)? {
        func two(_ body: @escaping (Int64, Int64) -> Int64) -> ([Any]) throws -> Any? {
            { arguments in
                guard let left = try integer(arguments[0], name), let right = try integer(arguments[1], name) else {
                    return nil
                }
                return Int(body(left, right))
            }
        }
        switch name {
        case "bitwiseAnd:with:": return two { $0 & $1 }
        case "bitwiseOr:with:": return two { $0 | $1 }
        case "bitwiseXor:with:": return two { $0 ^ $1 }
        case "onesComplement:": return { try integer($0[0], name).map { Int(~$0) } }
        // Swift's shifts accept any distance: an excessive left shift is 0, an excessive right shift contains
        // only the sign.
        case "leftshift:by:": return two { $0 << $1 }
        case "rightshift:by:": return two { $0 >> $1 }
        default: return nil
        }
    }

    // MARK: Arguments

    private static func number(_ value: Any, _ function: String) throws -> Number {
        guard let number = Number(value) else { throw wrong(value, function) }
        return number
    }

    /// nil for a number beyond the integers of 64 bits.
    private static func integer(_ value: Any, _ function: String) throws -> Int64? {
        try number(value, function).integer
    }

    private static func string(_ value: Any, _ function: String) throws -> String {
        guard case .string(let text) = ComparableValue(value) else { throw wrong(value, function) }
        return text
    }

    private static func wrong(_ value: Any, _ function: String) -> PredicateEvaluationError {
        .wrongArgument(function: function, type: String(describing: type(of: value)))
    }

    // MARK: Calculations

    /// Dates can be shifted by seconds; the difference of two dates is in seconds.
    private static func calculate(
        _ operation: Arithmetic.Operation, _ left: Any, _ right: Any, _ function: String
    ) throws -> Any? {
        switch (operation, ComparableValue(left), ComparableValue(right)) {
        case (.subtract, .date(let left), .date(let right)): return left.timeIntervalSince(right)
        case (.add, .date(let date), _): return date.addingTimeInterval(try number(right, function).double)
        case (.add, _, .date(let date)): return date.addingTimeInterval(try number(left, function).double)
        case (.subtract, .date(let date), _): return date.addingTimeInterval(-(try number(right, function).double))
        default:
            let (left, right) = (try number(left, function), try number(right, function))
            // A division by zero and a result that is no number are null, as in SQL, so that a predicate has the same
            // result in every store.
            if operation == .divide || operation == .modulus, right.double == 0 { return nil }
            return Arithmetic.calculate(operation, left, right).presentValue
        }
    }

    private static func power(_ base: Any, _ exponent: Any, _ function: String) throws -> Any? {
        pow(try number(base, function).double, try number(exponent, function).double)
    }

    private static func absolute(_ value: Any, _ function: String) throws -> Any? {
        switch try number(value, function) {
        case .integer(let value): value == .min ? -Double(value) : Int(abs(value)) as Any
        case .double(let value): abs(value)
        case .decimal(let value): NSDecimalNumber(decimal: abs(value))
        }
    }

    private static func rounded(
        _ value: Any, _ rule: FloatingPointRoundingRule, _ function: String
    ) throws -> Any? {
        switch try number(value, function) {
        case .integer(let value): return Int(value)
        case .double(let value): return value.rounded(rule)
        case .decimal(let value):
            let mode: NSDecimalNumber.RoundingMode = rule == .up || rule == .towardZero && value < 0 ? .up : .down
            return NSDecimalNumber(decimal: DecimalRounding.whole(value, mode))
        }
    }
}

enum DecimalRounding {
    static func whole(_ value: Decimal, _ mode: NSDecimalNumber.RoundingMode) -> Decimal {
        var (source, result) = (value, Decimal())
        NSDecimalRound(&result, &source, 0, mode)
        return result
    }
}
