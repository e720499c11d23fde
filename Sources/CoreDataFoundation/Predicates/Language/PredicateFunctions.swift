// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions and operators of the language by their selector names.

enum PredicateFunctions {
    /// A method call by name: the arguments are the object, the method's name, and its arguments.
    static let call = "FUNCTION"
    static let cast = "castObject:toType:"
    static let element = "objectFrom:withIndex:"

    static let names: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "add:to:", "from:subtract:",
        "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:", "raise:toPower:", "exp:", "floor:",
        "ceiling:", "abs:", "trunc:", "random", "random:", "randomn:", "now", "bitwiseAnd:with:", "bitwiseOr:with:",
        "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:", "uppercase:", "lowercase:",
        "noindex:",
        "canonical:", "length:", "distinct:", "tokenize:using:", "distanceToLocation:fromLocation:", cast, element,
    ]

    /// Those that take a collection or any number of values.
    static let overMany: Set<String> = ["sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:"]

    private static let namesIgnoringCase = Dictionary(
        names.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

    /// The selector that a written name means, with or without its colons.
    static func selector(_ written: String, argumentCount: Int) -> String? {
        let name = written.contains(":") || argumentCount == 0 ? written : written + ":"
        guard let selector = namesIgnoringCase[name.lowercased()] else { return nil }
        if overMany.contains(selector) { return argumentCount > 0 ? selector : nil }
        return selector.count { $0 == ":" } == argumentCount ? selector : nil
    }

    struct Infix {
        let symbol: String
        let selector: String
        /// Higher binds tighter.
        let precedence: Int
    }

    static let powerPrecedence = 8
    static let infix = [
        Infix(symbol: "|", selector: "bitwiseOr:with:", precedence: 2),
        Infix(symbol: "^", selector: "bitwiseXor:with:", precedence: 3),
        Infix(symbol: "&", selector: "bitwiseAnd:with:", precedence: 4),
        Infix(symbol: "<<", selector: "leftshift:by:", precedence: 5),
        Infix(symbol: ">>", selector: "rightshift:by:", precedence: 5),
        Infix(symbol: "+", selector: "add:to:", precedence: 6),
        Infix(symbol: "-", selector: "from:subtract:", precedence: 6),
        Infix(symbol: "*", selector: "multiply:by:", precedence: 7),
        Infix(symbol: "/", selector: "divide:by:", precedence: 7),
        Infix(symbol: "**", selector: "raise:toPower:", precedence: powerPrecedence),
    ]
    static let infixBySymbol = Dictionary(uniqueKeysWithValues: infix.map { ($0.symbol, $0) })
    static let infixBySelector = Dictionary(uniqueKeysWithValues: infix.map { ($0.selector, $0) })
    static let setOperations: [String: ExpressionSyntax.SetOperation] = [
        "UNION": .union, "INTERSECT": .intersection, "MINUS": .minus,
    ]
}

extension ExpressionSyntax {
    /// A function by its selector name; taking an element has a case of its own.
    static func calling(_ selector: String, _ arguments: [ExpressionSyntax]) -> ExpressionSyntax {
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
