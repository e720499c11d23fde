// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the declarations of a source and their extents, so that they can be cut.

import CoreDataGeneration

/// A declaration at the top level or a member.
struct OutlineDeclaration: Equatable {
    enum Kind: Equatable {
        case type
        /// A function, an initializer, a computed or static property, an alias: a type can do without it.
        case member
        /// A stored property or a case: a type without it is another type.
        case storage
        case importing
        /// A statement of a program, or the expansion of a macro such as `#Preview`.
        case statement
    }

    var kind: Kind
    /// "Item", "Item.color", "extension Item".
    var name: String
    /// The bytes from the first attribute to the end.
    var bytes: Range<Int>
    var lines: ClosedRange<Int>
    /// The tokens from the first attribute to the opening brace, or to the end.
    var head: Range<Int>
    var tokens: Range<Int>
    var members: [OutlineDeclaration] = []
}

/// A scanner on the tokens that are active on Linux. It knows where declarations end and nothing of their meaning.
struct SourceOutline {
    let tokens: [SwiftToken]
    private(set) var declarations: [OutlineDeclaration] = []

    private static let typeWords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "extension"]
    private static let memberWords: Set<String> = [
        "func", "init", "deinit", "subscript", "typealias", "associatedtype", "operator", "precedencegroup", "macro",
    ]
    private static let modifiers: Set<String> = [
        "public", "open", "internal", "private", "fileprivate", "package", "final", "override", "dynamic", "static",
        "lazy", "weak", "unowned", "nonisolated", "isolated", "required", "convenience", "indirect", "mutating",
        "nonmutating", "prefix", "postfix", "infix", "optional", "consuming", "borrowing", "distributed",
    ]

    init(_ tokens: [SwiftToken]) {
        self.tokens = tokens
        declarations = declarations(in: 0..<tokens.count, owner: nil, depth: 0)
    }

    private func `is`(_ index: Int, _ text: String) -> Bool { index < tokens.count && tokens[index].is(text) }

    private func isWord(_ index: Int) -> Bool { index < tokens.count && tokens[index].kind == .word }

    // MARK: Declarations

    private func declarations(in range: Range<Int>, owner: String?, depth: Int) -> [OutlineDeclaration] {
        var found: [OutlineDeclaration] = []
        var at = range.lowerBound
        while at < range.upperBound {
            if `is`(at, "}") || `is`(at, ";") || `is`(at, ",") {
                at += 1
                continue
            }
            let declaration = declaration(at, range.upperBound, owner, depth)
            found.append(declaration)
            at = max(declaration.tokens.upperBound, at + 1)
        }
        return found
    }

    private func declaration(_ start: Int, _ limit: Int, _ owner: String?, _ depth: Int) -> OutlineDeclaration {
        var (at, isStatic, isManaged) = (start, false, false)
        while at < limit {
            if `is`(at, "@"), isWord(at + 1) {
                isManaged = isManaged || `is`(at + 1, "NSManaged")
                at += 2
                while `is`(at, "."), isWord(at + 1) { at += 2 }
                if `is`(at, "("), !tokens[at].startsLine, tokens[at].range.lowerBound == tokens[at - 1].range.upperBound
                {
                    at = closing(at, limit)
                }
            } else if isWord(at), Self.modifiers.contains(tokens[at].text) || beginsClassMember(at) {
                isStatic = isStatic || `is`(at, "static") || `is`(at, "class")
                at += 1
                if `is`(at, "("), !tokens[at].startsLine { at = closing(at, limit) }
            } else {
                break
            }
        }
        guard at < limit else { return make(.statement, "", start, at, limit) }
        let word = tokens[at].kind == .word ? tokens[at].text : ""
        if Self.typeWords.contains(word), isWord(at + 1) { return type(start, at, limit, owner, depth) }
        if Self.memberWords.contains(word) {
            let name = word == "init" || word == "deinit" || word == "subscript" ? word : text(at + 1)
            return make(.member, path(owner, name), start, end(at, limit), limit)
        }
        switch word {
        case "import": return make(.importing, text(at + 1), start, end(at, limit), limit)
        case "var", "let":
            let end = end(at, limit)
            let isStored = !isStatic && !isManaged && owner != nil && !isComputed(at, end)
            return make(isStored ? .storage : .member, path(owner, text(at + 1)), start, end, limit)
        case "case" where owner != nil:
            return make(.storage, path(owner, text(at + 1)), start, end(at, limit), limit)
        default:
            let name = `is`(at, "#") ? "#\(text(at + 1))" : ""
            return make(.statement, path(owner, name), start, end(at, limit), limit)
        }
    }

    /// `class func` and `class var`.
    private func beginsClassMember(_ index: Int) -> Bool {
        `is`(index, "class") && isWord(index + 1)
            && (["func", "var", "let", "subscript"].contains(tokens[index + 1].text)
                || Self.modifiers.contains(tokens[index + 1].text))
    }

    private func text(_ index: Int) -> String { index < tokens.count ? tokens[index].text : "" }

    private func path(_ owner: String?, _ name: String) -> String { owner.map { "\($0).\(name)" } ?? name }

    private func make(
        _ kind: OutlineDeclaration.Kind, _ name: String, _ start: Int, _ end: Int, _ limit: Int
    ) -> OutlineDeclaration {
        let last = max(start, min(end, limit) - 1)
        let open = tokens[start...last].firstIndex { $0.is("{") } ?? last + 1
        return OutlineDeclaration(
            kind: kind, name: name, bytes: tokens[start].range.lowerBound..<tokens[last].range.upperBound,
            lines: tokens[start].line...endLine(last), head: start..<open, tokens: start..<(last + 1))
    }

    /// A string of several lines ends on a later line than it begins.
    private func endLine(_ index: Int) -> Int {
        tokens[index].line + (tokens[index].kind == .literal ? tokens[index].text.count { $0 == "\n" } : 0)
    }

    private func type(
        _ start: Int, _ keyword: Int, _ limit: Int, _ owner: String?, _ depth: Int
    ) -> OutlineDeclaration {
        var name = text(keyword + 1)
        var at = keyword + 2
        while `is`(at, "."), isWord(at + 1) {
            name += ".\(text(at + 1))"
            at += 2
        }
        while at < limit, !`is`(at, "{") { at = `is`(at, "(") || `is`(at, "[") ? closing(at, limit) : at + 1 }
        let end = at < limit ? closing(at, limit) : limit
        let isExtension = `is`(keyword, "extension")
        let path = isExtension ? name : self.path(owner, name)
        var declaration = make(.type, isExtension ? "extension \(name)" : path, start, end, limit)
        if at + 1 < end, depth < 32 {
            declaration.members = declarations(in: (at + 1)..<(end - 1), owner: path, depth: depth + 1)
        }
        return declaration
    }

    /// Whether a `var` has a body and no initial value. A body of observers belongs to a stored property.
    private func isComputed(_ start: Int, _ end: Int) -> Bool {
        guard `is`(start, "var") else { return false }
        var at = start
        while at < end {
            if `is`(at, "="), !`is`(at + 1, "=") { return false }
            if `is`(at, "{") { return !`is`(at + 1, "didSet") && !`is`(at + 1, "willSet") }
            at = `is`(at, "(") || `is`(at, "[") ? closing(at, end) : at + 1
        }
        return false
    }

    // MARK: Extents

    /// The token after the declaration or statement that has its keyword at `start`.
    func end(_ start: Int, _ limit: Int) -> Int {
        var at = start
        while at < limit {
            if at > start, tokens[at].startsLine, !continues(at) { return at }
            if `is`(at, ";") { return at + 1 }
            if `is`(at, "}") || `is`(at, ")") { return at }
            at = `is`(at, "(") || `is`(at, "[") || `is`(at, "{") ? closing(at, limit) : at + 1
        }
        return limit
    }

    /// The token after the sign that closes the one at `open`.
    func closing(_ open: Int, _ limit: Int) -> Int {
        var (depth, at) = (0, open)
        while at < limit {
            if tokens[at].kind == .sign {
                switch tokens[at].text {
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                default: break
                }
            }
            at += 1
            if depth == 0 { return at }
        }
        return limit
    }

    /// Whether a token at the start of a line belongs to the declaration before it.
    private func continues(_ index: Int) -> Bool {
        let token = tokens[index]
        if token.kind == .sign, ".?:)],&|=+*/<>{-".contains(token.text) { return true }
        let words: Set<String> = ["where", "throws", "rethrows", "async", "else", "catch", "in", "as", "is"]
        if token.kind == .word, words.contains(token.text) { return true }
        let before = tokens[index - 1]
        if before.kind == .word { return ["func", "var", "let", "case", "import", "return"].contains(before.text) }
        guard before.kind == .sign else { return false }
        // A type may end with ">", "?" or "!".
        if before.is(">") { return index > 1 && tokens[index - 2].is("-") }
        return "([,=.&|+-*/<:".contains(before.text)
    }
}
