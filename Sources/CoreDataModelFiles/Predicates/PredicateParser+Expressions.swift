// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses the expressions in predicates: sets, sums, products, powers, key paths, functions and constants.

import Foundation

extension PredicateParser {
    mutating func expression() throws -> ExpressionNode {
        try nested { parser in
            var left = try parser.sum()
            while let word = parser.acceptWord("UNION", "INTERSECT", "MINUS") {
                let operation: ExpressionNode.SetOperation =
                    word == "UNION" ? .union : word == "INTERSECT" ? .intersection : .minus
                left = .set(operation, left, try parser.sum())
            }
            return left
        }
    }

    private mutating func sum() throws -> ExpressionNode {
        var left = try product()
        while let sign = accept("+", "-") {
            left = .function(sign == "+" ? "add:to:" : "from:subtract:", [left, try product()])
        }
        return left
    }

    private mutating func product() throws -> ExpressionNode {
        var left = try power()
        while let sign = accept("*", "/") {
            left = .function(sign == "*" ? "multiply:by:" : "divide:by:", [left, try power()])
        }
        return left
    }

    private mutating func power() throws -> ExpressionNode {
        let base = try postfix()
        guard accept("**") != nil else { return base }
        return .function("raise:toPower:", [base, try nested { try $0.power() }])
    }

    private mutating func postfix() throws -> ExpressionNode {
        var node = try primary()
        while true {
            if accept(".") != nil {
                let path = try keyPath()
                node =
                    switch node {
                    case .selfObject: .keyPath(nil, path)
                    case .keyPath(let base, let start): .keyPath(base, "\(start).\(path)")
                    default: .keyPath(node, path)
                    }
            } else if accept("[") != nil {
                let index: ExpressionNode =
                    if let word = acceptWord("FIRST", "LAST", "SIZE") { .constant(.string(word)) } else {
                        try expression()
                    }
                try expect("]")
                node = .function("objectFrom:withIndex:", [node, index])
            } else {
                return node
            }
        }
    }

    /// The names after the first dot of a path, with the dots between them.
    private mutating func keyPath() throws -> String {
        var parts: [String] = []
        repeat {
            switch current {
            case .word(let name), .name(let name): parts.append(name)
            default: throw failure("no name after a point")
            }
            position += 1
        } while accept(".") != nil
        return parts.joined(separator: ".")
    }

    private mutating func primary() throws -> ExpressionNode {
        let token = current
        position += 1
        switch token {
        case .number(let value): return .constant(value)
        case .string(let text): return .constant(.string(text))
        case .variable(let name): return .variable(name)
        case .name(let name): return .keyPath(nil, name)
        case .symbol("("):
            let inner = try expression()
            try expect(")")
            return inner
        case .symbol("{"): return .aggregate(try list(until: "}"))
        case .symbol("-"): return try negative()
        case .symbol("<") where acceptWord("NULL") != nil:
            // The printed form of `NSNull`.
            try expect(">")
            return .constant(.null)
        case .word(let word): return try named(word)
        default: throw failure("no expression where one belongs")
        }
    }

    private mutating func negative() throws -> ExpressionNode {
        switch try nested({ try $0.primary() }) {
        case .constant(.integer(let number)): .constant(.integer(-number))
        case .constant(.real(let number)): .constant(.real(-number))
        case let other: .function("from:subtract:", [.constant(.integer(0)), other])
        }
    }

    private mutating func named(_ word: String) throws -> ExpressionNode {
        let isCall = current == .symbol("(")
        switch (word.uppercased(), isCall) {
        case ("SELF", false): return .selfObject
        case ("ANYKEY", false): return .anyKey
        case ("NULL", false), ("NIL", false): return .constant(.null)
        case ("TRUE", false), ("YES", false): return .constant(.boolean(true))
        case ("FALSE", false), ("NO", false): return .constant(.boolean(false))
        case ("SUBQUERY", true): return try subquery()
        case ("TERNARY", true): return try ternary()
        case ("CAST", true): return try cast()
        case ("FUNCTION", true): return try call()
        case ("FETCH", true): return try fetch()
        case (_, true):
            position += 1
            let arguments = try list(until: ")")
            let selector = word.contains(":") || arguments.isEmpty ? word : word + ":"
            return .function(selector, arguments)
        default:
            guard !PredicateWords.reserved.contains(word.uppercased()) else {
                throw failure("the word '\(word)' in place of an expression")
            }
            return .keyPath(nil, word)
        }
    }

    private mutating func list(until close: String) throws -> [ExpressionNode] {
        if accept(close) != nil { return [] }
        var members: [ExpressionNode] = []
        repeat { members.append(try expression()) } while accept(",") != nil
        try expect(close)
        return members
    }

    private mutating func subquery() throws -> ExpressionNode {
        try expect("(")
        let collection = try expression()
        try expect(",")
        guard case .variable(let name) = current else { throw failure("no variable in a subquery") }
        position += 1
        try expect(",")
        let predicate = try disjunction()
        try expect(")")
        return .subquery(collection, name, predicate)
    }

    private mutating func ternary() throws -> ExpressionNode {
        try expect("(")
        let condition = try disjunction()
        try expect(",")
        let first = try expression()
        try expect(",")
        let second = try expression()
        try expect(")")
        return .ternary(condition, first, second)
    }

    /// A cast of a constant is the format's spelling of a constant without a literal.
    private mutating func cast() throws -> ExpressionNode {
        try expect("(")
        let arguments = try list(until: ")")
        guard arguments.count == 2 else { throw failure("a CAST without two parts") }
        switch (arguments[0], arguments[1]) {
        case (.constant(.integer(let seconds)), .constant(.string("NSDate"))):
            return .constant(.date(Date(timeIntervalSinceReferenceDate: Double(seconds))))
        case (.constant(.real(let seconds)), .constant(.string("NSDate"))):
            return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
        case (.constant(.string(let text)), .constant(.string("NSUUID"))):
            guard let uuid = UUID(uuidString: text) else { break }
            return .constant(.uuid(uuid))
        case (.constant(.string(let text)), .constant(.string("NSURL"))):
            guard let url = URL(string: text) else { break }
            return .constant(.url(url))
        default: break
        }
        return .function("castObject:toType:", arguments)
    }

    private mutating func call() throws -> ExpressionNode {
        try expect("(")
        let arguments = try list(until: ")")
        guard arguments.count >= 2, case .constant(.string(let selector)) = arguments[1] else {
            throw failure("a FUNCTION without a selector")
        }
        return .call(arguments[0], selector, Array(arguments.dropFirst(2)))
    }

    private mutating func fetch() throws -> ExpressionNode {
        try expect("(")
        let arguments = try list(until: ")")
        guard arguments.count == 3, case .constant(.boolean(let countsOnly)) = arguments[2] else {
            throw failure("a FETCH without request, context, and YES or NO")
        }
        return .fetch(arguments[0], context: arguments[1], countsOnly: countsOnly)
    }
}

extension PredicatePrinter {
    /// The same predicate in the spelling of compiled models; nil for malformed text.
    package static func canonical(predicate text: String) -> String? {
        (try? PredicateParser.predicate(text)).flatMap { try? Self.text(of: $0) }
    }

    package static func canonical(expression text: String) -> String? {
        (try? PredicateParser.expression(text)).flatMap { try? Self.text(of: $0) }
    }
}
