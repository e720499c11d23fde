// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the types, statements and expressions that enclose a token.

import CoreDataGeneration

extension PortedFile {
    struct DeclaredBlock {
        let name: String
        let keyword: Int
        /// The tokens between the braces.
        let body: Range<Int>
    }

    private static let typeWords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "extension"]

    /// Types and extensions, each before the ones inside of it. An extension has the last part of its name.
    func declaredTypes() -> [DeclaredBlock] {
        tokens.indices.compactMap { index in
            guard tokens[index].kind == .word, Self.typeWords.contains(tokens[index].text), !`is`(index - 1, "."),
                tokens.indices.contains(index + 1), tokens[index + 1].kind == .word,
                !["func", "var", "let", "subscript"].contains(tokens[index + 1].text)
            else { return nil }
            var name = index + 1
            while `is`(name + 1, "."), tokens.indices.contains(name + 2) { name += 2 }
            guard let open = tokens[name...].firstIndex(where: { $0.is("{") || $0.is("}") }), `is`(open, "{") else {
                return nil
            }
            return DeclaredBlock(name: tokens[name].text, keyword: index, body: (open + 1)..<(behind(open) - 1))
        }
    }

    /// Types, aliases and functions that this file declares.
    var declaredNames: Set<String> {
        let words: Set<String> = ["class", "struct", "enum", "actor", "protocol", "typealias", "func", "macro"]
        return Set(
            tokens.indices.compactMap { index in
                guard tokens[index].kind == .word, words.contains(tokens[index].text), !`is`(index - 1, "."),
                    !`is`(index - 1, "import"), tokens.indices.contains(index + 1), tokens[index + 1].kind == .word
                else { return nil }
                return tokens[index + 1].text
            })
    }

    /// Drops `private` and `fileprivate` of functions and properties of this file that a range of bytes names.
    mutating func exposePrivateMembers(usedIn range: Range<Int>) {
        let used = Set(tokens.filter { $0.kind == .word && range.overlaps($0.range) }.map(\.text))
        for index in tokens.indices where `is`(index, "private") || `is`(index, "fileprivate") {
            let rest = tokens[(index + 1)...].prefix(6)
            guard let keyword = rest.firstIndex(where: { $0.is("func") || $0.is("var") || $0.is("let") }),
                rest[..<keyword].allSatisfy({ $0.kind == .word }), tokens.indices.contains(keyword + 1),
                used.contains(tokens[keyword + 1].text)
            else { continue }
            replace(tokens[index].range.lowerBound..<tokens[index + 1].range.lowerBound, "")
        }
    }

    /// The tokens of the statement around a token; nil for a statement that contains a block.
    func simpleStatement(around index: Int) -> Range<Int>? {
        let start = statementStart(index)
        var end = start
        while end < tokens.count, !`is`(end, "}"), !`is`(end, ")"), !`is`(end, ";"), tokens[end].kind != .directive {
            if end > start, tokens[end].startsLine, !continues(end) { break }
            if `is`(end, "{") { return nil }
            end = behind(end)
        }
        guard (start..<end).contains(index), !Self.blockWords.contains(tokens[start].text) else { return nil }
        return start..<end
    }

    func statementStart(_ index: Int) -> Int {
        var at = index
        while at > 0, !isBorder(at - 1) {
            if tokens[at].startsLine, !continues(at) { break }
            at = `is`(at - 1, ")") || `is`(at - 1, "]") ? opening(of: at - 1) ?? at - 1 : at - 1
        }
        return at
    }

    /// Whether a statement can begin after a token, on the same line too.
    private func isBorder(_ index: Int) -> Bool {
        ["{", "}", ";", "in"].contains { `is`(index, $0) } || tokens[index].kind == .directive
    }

    private static let blockWords: Set<String> = [
        "if", "guard", "while", "for", "switch", "case", "default", "else", "repeat", "catch", "func", "where", "init",
        "static", "class", "public", "private", "internal", "open", "fileprivate", "lazy", "final", "override",
    ]

    /// Whether a token at the start of a line belongs to the statement of the line before.
    private func continues(_ index: Int) -> Bool {
        guard index > 0 else { return false }
        if tokens[index].kind == .sign, ".?:)],&|=+*/<>".contains(tokens[index].text) { return true }
        if tokens[index].kind == .word, ["as", "is", "in", "where", "else"].contains(tokens[index].text) {
            return true
        }
        let before = tokens[index - 1]
        if before.kind == .word { return ["try", "await", "return", "as", "is"].contains(before.text) }
        if before.is(":") {
            let first = tokens[..<index].last { $0.startsLine }
            return first.map { !$0.is("case") && !$0.is("default") } ?? true
        }
        return before.kind == .sign && "([,=.&|+-*/<".contains(before.text)
    }

    /// The first token of `a.b(c)?.d[e]`, of which the token at `index` is the last.
    func startOfExpression(endingAt index: Int) -> Int? {
        var at = index
        while at >= 0 {
            switch tokens[at].text {
            case "?", "!": at -= 1
            case ")", "]":
                guard let open = opening(of: at) else { return nil }
                let isAttached =
                    open > 0 && tokens[open - 1].range.upperBound == tokens[open].range.lowerBound
                    && (tokens[open - 1].kind == .word || ["?", "!", ")", "]"].contains(tokens[open - 1].text))
                if !isAttached { return open }
                at = open - 1
            case _ where tokens[at].kind == .word:
                guard `is`(at - 1, ".") else { return at }
                let isMember =
                    at > 1 && (tokens[at - 2].kind == .word || ["?", "!", ")", "]"].contains(tokens[at - 2].text))
                if !isMember { return at - 1 }
                at -= 2
            default: return nil
            }
        }
        return nil
    }

    func opening(of close: Int) -> Int? {
        guard let sign = [")": "(", "]": "[", "}": "{"][tokens[close].text] else { return nil }
        return tokens[..<close].indices.last { `is`($0, sign) && behind($0) == close + 1 }
    }

    /// The tokens of each argument of the list that starts at `open`.
    func arguments(_ open: Int) -> [Range<Int>] {
        let close = behind(open) - 1
        var found: [Range<Int>] = []
        var (start, at) = (open + 1, open + 1)
        while at < close {
            if `is`(at, ",") {
                found.append(start..<at)
                start = at + 1
            }
            at = behind(at)
        }
        return start < close ? found + [start..<close] : found
    }

    func bytes(ofTokens range: Range<Int>) -> Range<Int> {
        tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
    }

    func text(ofTokens range: Range<Int>) -> String { text(bytes(ofTokens: range)) }

    /// Whether the keyword of a declaration is preceded by an attribute.
    func hasAttribute(_ name: String, before keyword: Int) -> Bool {
        (headStart(keyword)..<keyword).contains { `is`($0, "@") && `is`($0 + 1, name) }
    }

    /// Keeps a statement for Apple's systems, and writes another one for the rest.
    ///
    /// - Parameter other: the lines of the other one, without indentation; nil for the statement with its edits.
    mutating func separate(_ statement: Range<Int>, other: [String]? = nil) {
        var range = bytes(ofTokens: statement)
        let (original, edited) = (text(range), withdrawEdits(in: range))
        let indent = indent(at: range.lowerBound)
        let begins = tokens[statement.lowerBound].startsLine || statement.lowerBound == 0
        let ends = statement.upperBound == tokens.count || tokens[statement.upperBound].startsLine
        // A directive must be on a separate line.
        let inner = begins ? indent : indent + "    "
        while !begins, bytes[range.lowerBound - 1] == UInt8(ascii: " ") {
            range = (range.lowerBound - 1)..<range.upperBound
        }
        while !ends, bytes[range.upperBound] == UInt8(ascii: " ") { range = range.lowerBound..<(range.upperBound + 1) }
        let lines =
            ["#if canImport(ObjectiveC)", "    \(original)", "#else"] + (other ?? [edited]).map { "    \($0)" } + [
                "#endif"
            ]
        let body = lines.joined(separator: "\n" + inner)
        replace(range, (begins ? "" : "\n\(inner)") + body + (ends ? "" : "\n\(indent)"))
        settled.formUnion(statement)
    }
}
