// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The selector names of the language's functions and operators.

package enum PredicateFunctions {
    /// A method call by name: the arguments are the object, the method's name, and its arguments.
    package static let call = "FUNCTION"
    /// A fetch: the arguments are the request, the context, and whether the result is the number of objects.
    package static let fetch = "FETCH"
    package static let cast = "castObject:toType:"
    package static let element = "objectFrom:withIndex:"
    /// A placeholder for parts of a tree beyond `PredicateDepth`, not a function.
    package static let tooDeep = "TOODEEP"

    package static let names: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "add:to:", "from:subtract:",
        "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:", "raise:toPower:", "exp:", "floor:",
        "ceiling:", "abs:", "trunc:", "random", "random:", "randomn:", "now", "bitwiseAnd:with:", "bitwiseOr:with:",
        "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:", "uppercase:", "lowercase:",
        "noindex:",
        "canonical:", "length:", "distinct:", "tokenize:using:", "distanceToLocation:fromLocation:", cast, element,
    ]

    /// Functions of a collection or of any number of values.
    package static let aggregateFunctions: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    private static let namesIgnoringCase = Dictionary(
        names.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

    /// The selector for a name in a text, with or without its colons.
    static func selector(_ written: String, argumentCount: Int) -> String? {
        let name = written.contains(":") || argumentCount == 0 ? written : written + ":"
        guard let selector = namesIgnoringCase[name.lowercased()] else { return nil }
        if aggregateFunctions.contains(selector) { return argumentCount > 0 ? selector : nil }
        return selector.count { $0 == ":" } == argumentCount ? selector : nil
    }

    static let powerPrecedence = 8
    static let setPrecedence = 1
}

extension PredicateSymbol {
    /// The function of an infix operator; a higher precedence binds tighter.
    var infix: (selector: String, precedence: Int)? {
        switch self {
        case .bitOr: ("bitwiseOr:with:", 2)
        case .bitXor: ("bitwiseXor:with:", 3)
        case .bitAnd: ("bitwiseAnd:with:", 4)
        case .shiftLeft: ("leftshift:by:", 5)
        case .shiftRight: ("rightshift:by:", 5)
        case .plus: ("add:to:", 6)
        case .minus: ("from:subtract:", 6)
        case .times: ("multiply:by:", 7)
        case .divided: ("divide:by:", 7)
        case .power: ("raise:toPower:", PredicateFunctions.powerPrecedence)
        default: nil
        }
    }

    var comparison: ComparisonSyntax.Operator? {
        switch self {
        case .equal, .doubleEqual: .equalTo
        case .unequal, .lessOrGreater: .notEqualTo
        case .less: .lessThan
        case .greater: .greaterThan
        case .lessOrEqual, .equalOrLess: .lessThanOrEqualTo
        case .greaterOrEqual, .equalOrGreater: .greaterThanOrEqualTo
        default: nil
        }
    }
}

extension PredicateKeyword {
    var comparison: ComparisonSyntax.Operator? {
        switch self {
        case .between: .between
        case .in: .in
        case .beginsWith: .beginsWith
        case .contains: .contains
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        default: nil
        }
    }

    var setOperation: ExpressionSyntax.SetOperation? {
        switch self {
        case .union: .union
        case .intersect: .intersection
        case .minus: .minus
        default: nil
        }
    }

    /// ANY and similar keywords. NONE is the negation of ANY.
    var quantifier: (modifier: ComparisonSyntax.Modifier, isNegated: Bool)? {
        switch self {
        case .any, .some: (.any, false)
        case .all: (.all, false)
        case .none: (.any, true)
        default: nil
        }
    }

    /// Keywords that are valid only between brackets, and are common attribute names elsewhere.
    var indexPosition: ExpressionSyntax.IndexPosition? {
        switch self {
        case .first: .first
        case .last: .last
        case .size: .size
        default: nil
        }
    }

    /// Whether a parenthesis after the keyword starts a call.
    var isCall: Bool {
        switch self {
        case .subquery, .cast, .ternary, .function, .fetch: true
        default: false
        }
    }
}

extension ExpressionSyntax {
    /// A function by its selector name; element access has a separate case.
    package static func calling(_ selector: String, _ arguments: [ExpressionSyntax]) -> ExpressionSyntax {
        guard selector == PredicateFunctions.element, arguments.count == 2 else {
            return .function(name: selector, arguments: arguments)
        }
        if case .constant(let word as String) = arguments[1] {
            switch word {
            case "FIRST": return .index(arguments[0], .first)
            case "LAST": return .index(arguments[0], .last)
            case "SIZE": return .index(arguments[0], .size)
            default: break
            }
        }
        return .index(arguments[0], .at(arguments[1]))
    }
}
