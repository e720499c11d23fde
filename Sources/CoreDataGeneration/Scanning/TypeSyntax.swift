// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A type in source code.

import Foundation

indirect enum TypeSyntax: Equatable, Sendable {
    /// `Foundation.Date`, `Set<Tag>`, `Outer.Inner`.
    case named([Step])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    /// Types without accessors: functions, tuples, metatypes, compositions.
    case other(String)

    struct Step: Equatable, Sendable {
        var name: String
        var arguments: [TypeSyntax] = []
    }

    static func name(_ path: String, _ arguments: [TypeSyntax] = []) -> TypeSyntax {
        var steps = path.split(separator: ".").map { Step(name: String($0)) }
        if !steps.isEmpty { steps[steps.count - 1].arguments = arguments }
        return .named(steps)
    }

    /// The type without any `?` and `!`.
    var unwrapped: TypeSyntax {
        switch self {
        case .optional(let inner): inner.unwrapped
        case .named(let steps) where steps.last?.name == "Optional" && steps.last?.arguments.count == 1:
            steps[steps.count - 1].arguments[0].unwrapped
        default: self
        }
    }

    var isOptional: Bool { unwrapped != self }

    /// The last name, without module and arguments; nil for other types.
    var simpleName: String? {
        if case .named(let steps) = self { return steps.last?.name }
        return nil
    }

    /// Equivalent source code.
    var text: String {
        switch self {
        case .named(let steps):
            steps.map { step in
                let arguments = step.arguments.map(\.text).joined(separator: ", ")
                return SwiftNames.escaped(step.name, isMember: false) + (arguments.isEmpty ? "" : "<\(arguments)>")
            }.joined(separator: ".")
        case .optional(let inner):
            if case .other(let text) = inner { "(\(text))?" } else { "\(inner.text)?" }
        case .array(let element): "[\(element.text)]"
        case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
        case .other(let text): text
        }
    }
}

/// Parses a type from tokens.
struct TypeParser {
    let tokens: [SwiftToken]
    /// The first token after the type.
    private(set) var at: Int

    init(_ tokens: [SwiftToken], at: Int) {
        self.tokens = tokens
        self.at = at
    }

    /// Parses a type; nil for malformed text.
    static func type(_ text: String) -> TypeSyntax? {
        let tokens = SwiftLexer.tokens(Array(text.utf8))
        var parser = TypeParser(tokens, at: 0)
        let type = parser.parse()
        return parser.at == tokens.count ? type : nil
    }

    private var token: SwiftToken? { at < tokens.count ? tokens[at] : nil }

    private mutating func take(_ sign: String) -> Bool {
        guard token?.is(sign) == true else { return false }
        at += 1
        return true
    }

    mutating func parse() -> TypeSyntax {
        let start = at
        while take("@") {
            at += 1
            if token?.is("(") == true, token?.startsLine == false { skipBalanced() }
        }
        var type = primary()
        while let token, !token.startsLine {
            if token.is("?") || token.is("!") {
                at += 1
                type = .optional(type)
            } else if token.is("&") || isArrow || isMetatype {
                at += token.is("&") ? 1 : 2
                if !token.is(".") { _ = parse() }
                type = .other(text(from: start))
            } else {
                break
            }
        }
        return type
    }

    private var isArrow: Bool {
        token?.is("-") == true && at + 1 < tokens.count && tokens[at + 1].is(">")
    }

    private var isMetatype: Bool {
        token?.is(".") == true && at + 1 < tokens.count && (tokens[at + 1].is("Type") || tokens[at + 1].is("Protocol"))
    }

    private func text(from start: Int) -> String {
        tokens[start..<at].reduce("") { text, token in
            let isTight = text.isEmpty || "([<.?@".contains(text.last ?? " ") || ")]>,:.?!<".contains(token.text)
            let isArrow = text.hasSuffix("-") || token.is("-")
            return text + (isTight && !isArrow || text.hasSuffix("-") ? "" : " ") + token.text
        }
    }

    private mutating func primary() -> TypeSyntax {
        let start = at
        if take("[") {
            let first = parse()
            if take(":") {
                let value = parse()
                _ = take("]")
                return .dictionary(first, value)
            }
            _ = take("]")
            return .array(first)
        }
        if token?.is("(") == true {
            let inner = at + 1
            skipBalanced()
            var parser = TypeParser(Array(tokens[..<max(at - 1, 0)]), at: inner)
            let only = parser.parse()
            // Parentheses around one type denote that type.
            return parser.at == at - 1 && at - 1 > inner ? only : .other(text(from: start))
        }
        if token?.is("any") == true || token?.is("some") == true || token?.is("inout") == true {
            let word = tokens[at].text
            at += 1
            let inner = primary()
            return .other("\(word) \(inner.text)")
        }
        return named()
    }

    private mutating func named() -> TypeSyntax {
        var steps: [TypeSyntax.Step] = []
        while let token, token.kind == .word {
            var step = TypeSyntax.Step(name: token.text)
            at += 1
            if self.token?.is("<") == true {
                at += 1
                while let next = self.token, !next.is(">") {
                    step.arguments.append(parse())
                    if !take(",") { break }
                }
                _ = take(">")
            }
            steps.append(step)
            guard self.token?.is(".") == true, !isMetatype, at + 1 < tokens.count, tokens[at + 1].kind == .word else {
                break
            }
            at += 1
        }
        if steps.isEmpty {
            at += 1
            return .other("")
        }
        return .named(steps)
    }

    private mutating func skipBalanced() {
        var depth = 0
        repeat {
            if token?.is("(") == true { depth += 1 }
            if token?.is(")") == true { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
    }
}
