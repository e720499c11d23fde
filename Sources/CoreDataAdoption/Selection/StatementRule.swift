// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which statements a function can do without (Adoption, invariant 10).

import CoreDataGeneration
import Foundation

/// A statement may be cut if nothing uses its value, if its subject is missing on Linux, and if nothing in it can
/// change the objects of a store. All doubts keep the statement, so that its function is cut.
struct StatementRule {
    /// The names of types and functions that the project declares.
    var declared: Set<String> = []
    /// The names of cut declarations without effect on a store. Their calls may be cut.
    var harmless: Set<String> = []
    /// The names of cut stored properties. Their assignments may be cut.
    var properties: Set<String> = []

    /// - Parameters:
    ///   - statement: its tokens.
    ///   - missing: the name that the compiler does not find; nil if the statement uses a name of an interface.
    func allows(_ statement: ArraySlice<SwiftToken>, missing: String?) -> Bool {
        guard let root = root(of: statement) else { return false }
        let name = statement[root].text
        if name == "if" { return allowsCondition(statement, missing) }
        guard !Self.keywords.contains(name) else { return false }
        if name == "let" || name == "var" { return allowsBinding(statement, missing) }
        if Self.observers.contains(name), mentions(statement.dropFirst(), missing), !assigns(statement, depth: 0) {
            return true
        }
        let path = path(statement, root)
        let isMissing = isForeign(name, missing) || missing.map { harmless.contains($0) && path.contains($0) } == true
        if isMissing { return isQuiet(statement, besides: name) }
        guard let last = path.last, last == missing || missing == nil, properties.contains(last) else { return false }
        return assigns(statement, depth: 0) && isQuiet(statement, besides: name)
    }

    /// Whether a declaration has no effect on a store, so that its calls may be cut with it.
    func isHarmless(_ declaration: ArraySlice<SwiftToken>) -> Bool {
        isQuiet(declaration, besides: "self")
            && !declaration.contains { Self.flow.contains($0.text) && $0.kind == .word }
    }

    // MARK: Forms

    /// The first word after `_ =`, `try?` and `await`.
    private func root(of statement: ArraySlice<SwiftToken>) -> Int? {
        var at = statement.startIndex
        while at < statement.endIndex {
            let token = statement[at]
            let isPrefix = ["try", "await", "_", "=", "?", "!"].contains(token.text) && token.kind != .literal
            let isSelf = token.is("self") && at + 1 < statement.endIndex && statement[at + 1].is(".")
            if !isPrefix, !isSelf { return token.kind == .word ? at : nil }
            at += isSelf ? 2 : 1
        }
        return nil
    }

    /// The names of `a.b?.c` from the root on.
    private func path(_ statement: ArraySlice<SwiftToken>, _ root: Int) -> [String] {
        var found = [statement[root].text]
        var at = root + 1
        while at < statement.endIndex {
            if statement[at].is("?") || statement[at].is("!") {
                at += 1
            } else if statement[at].is("."), at + 1 < statement.endIndex, statement[at + 1].kind == .word {
                found.append(statement[at + 1].text)
                at += 2
            } else {
                break
            }
        }
        return found
    }

    /// A name of an interface, or one that neither the project nor Linux has.
    private func isForeign(_ name: String, _ missing: String?) -> Bool {
        guard !declared.contains(name) else { return false }
        return name == missing || InterfaceNames.contains(name)
    }

    /// `let view = UIView()`: each later use of the name is an error that is judged by itself.
    private func allowsBinding(_ statement: ArraySlice<SwiftToken>, _ missing: String?) -> Bool {
        guard statement.count > 3, let sign = statement.firstIndex(where: { $0.is("=") }),
            statement[..<sign].count == 2 || statement[statement.startIndex + 2].is(":"),
            let root = root(of: statement[(sign + 1)...]), isForeign(statement[root].text, missing)
        else { return false }
        return isQuiet(statement[root...], besides: statement[root].text)
    }

    /// `if UIApplication.shared.isActive { … }` without `else`.
    private func allowsCondition(_ statement: ArraySlice<SwiftToken>, _ missing: String?) -> Bool {
        guard let open = statement.firstIndex(where: { $0.is("{") }), mentions(statement[..<open], missing),
            !statement.contains(where: { $0.is("else") })
        else { return false }
        return isHarmless(statement)
    }

    /// Whether an interface, or the missing name, is among the tokens.
    private func mentions(_ tokens: ArraySlice<SwiftToken>, _ missing: String?) -> Bool {
        tokens.contains { $0.kind == .word && ($0.text == missing || isForeign($0.text, missing)) }
    }

    // MARK: Effects

    /// Whether no token names an effect on a store, and each assignment has a target of the root.
    private func isQuiet(_ tokens: ArraySlice<SwiftToken>, besides root: String) -> Bool {
        let words = tokens.filter { $0.kind == .word && $0.text != root }.map { $0.text.lowercased() }
        guard !words.contains(where: { word in Self.effects.contains { word.contains($0) } }) else { return false }
        return !assigns(tokens, depth: 1, besides: root)
    }

    /// Whether there is an assignment at a depth of braces, or deeper, that neither begins a name nor changes the root.
    private func assigns(_ tokens: ArraySlice<SwiftToken>, depth least: Int, besides root: String? = nil) -> Bool {
        var depth = 0
        for index in tokens.indices where tokens[index].kind == .sign {
            if tokens[index].is("{") { depth += 1 }
            if tokens[index].is("}") { depth -= 1 }
            guard tokens[index].is("="), depth >= least, isAssignment(index, tokens) else { continue }
            let target = target(of: index, tokens)
            if target != root, target != "let", target != "var" { return true }
        }
        return false
    }

    private func isAssignment(_ index: Int, _ tokens: ArraySlice<SwiftToken>) -> Bool {
        let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
        let before = index > tokens.startIndex ? tokens[index - 1] : nil
        return next?.is("=") != true && !["=", "!", "<", ">"].contains(before?.text ?? "")
    }

    /// The first word of the line of an assignment.
    private func target(of index: Int, _ tokens: ArraySlice<SwiftToken>) -> String {
        var at = index
        while at > tokens.startIndex, !tokens[at].startsLine, !tokens[at - 1].is("{"), !tokens[at - 1].is(";") {
            at -= 1
        }
        return tokens[at...index].first { $0.kind == .word }?.text ?? ""
    }

    private static let keywords: Set<String> = [
        "return", "throw", "guard", "switch", "for", "while", "repeat", "do", "defer", "break", "continue", "func",
        "fallthrough", "class", "struct", "enum", "extension", "case", "default", "import", "typealias", "super",
        "yield", "else", "catch",
    ]

    private static let observers: Set<String> = ["NotificationCenter", "notificationCenter", "nc"]

    /// Words that end or continue the work of others.
    private static let flow: Set<String> = ["return", "throw", "break", "continue"]

    /// Parts of names of calls that change objects, stores, or the flow of a program.
    private static let effects = [
        "save", "insert", "delet", "persist", "perform", "execut", "managedobject", "context", "container", "rollback",
        "undo", "migrat", "setvalue", "setprimitive", "completion", "continuation", "resume", "fulfill", "signal",
        "leave", "yield", "batch", "record", "store",
    ]
}
