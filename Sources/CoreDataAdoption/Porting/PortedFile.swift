// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One source file with its pending changes.

import CoreDataGeneration
import Foundation

struct PortedFile {
    let url: URL
    let bytes: [UInt8]
    let tokens: [SwiftToken]
    /// Whether a condition on Objective-C or on Apple's log encloses the token, by token.
    let isGuarded: [Bool]
    /// Tokens inside of rewritten ranges.
    var settled: Set<Int> = []
    /// The names of types that edits introduce.
    var addedNames: Set<String> = []
    /// Casts of requests to a request of any result, by their `as`.
    var untypedCasts: [Int] = []
    private var edits: [(range: Range<Int>, text: String)] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ url: URL, _ bytes: [UInt8]) {
        self.url = url
        self.bytes = bytes
        tokens = SwiftLexer.tokens(bytes, interpolations: true)
        isGuarded = Self.guarded(tokens)
    }

    private static func guarded(_ tokens: [SwiftToken]) -> [Bool] {
        var stack: [Bool] = []
        return tokens.map { token in
            if token.kind == .directive {
                if token.text.hasPrefix("#if") {
                    stack.append(["ObjectiveC", "(os)", "(OSLog)"].contains { token.text.contains($0) })
                }
                if token.text == "#endif" { _ = stack.popLast() }
            }
            return stack.contains(true)
        }
    }

    // MARK: Edits

    mutating func warn(_ index: Int, _ message: String) {
        diagnostics.append(Diagnostic(.warning, url.path, line: tokens[index].line, message))
    }

    mutating func replace(_ range: Range<Int>, _ text: String) { edits.append((range, text)) }

    mutating func insert(_ text: String, at place: Int) { edits.append((place..<place, text)) }

    /// Removes and returns the text of a range, with its edits.
    mutating func take(_ range: Range<Int>) -> String {
        let text = withdrawEdits(in: range)
        edits.append((range, ""))
        return text
    }

    /// Removes the edits of a range, and returns the text that they gave.
    mutating func withdrawEdits(in range: Range<Int>) -> String {
        let inside = edits.filter { range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound }
        edits.removeAll { range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound }
        return Self.applied(inside, to: bytes, in: range)
    }

    var result: String { Self.applied(edits, to: bytes, in: 0..<bytes.count) }

    private static func applied(
        _ edits: [(range: Range<Int>, text: String)], to bytes: [UInt8], in whole: Range<Int>
    ) -> String {
        var output: [UInt8] = []
        var at = whole.lowerBound
        let ordered = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for (_, edit) in ordered where edit.range.lowerBound >= at {
            output += bytes[at..<edit.range.lowerBound]
            output += Array(edit.text.utf8)
            at = edit.range.upperBound
        }
        return String(decoding: output + bytes[at..<whole.upperBound], as: UTF8.self)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func startOfLine(_ place: Int) -> Int {
        var start = place
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return start
    }

    func indent(at place: Int) -> String {
        let start = startOfLine(place)
        return text(start..<place).prefix { $0 == " " || $0 == "\t" }.description
    }

    func `is`(_ index: Int, _ text: String) -> Bool { tokens.indices.contains(index) && tokens[index].is(text) }

    /// The token after the sign that closes the one at `index`.
    func behind(_ index: Int) -> Int {
        let pairs = ["(": ")", "{": "}", "[": "]"]
        guard let close = pairs[tokens[index].text] else { return index + 1 }
        var (depth, at) = (0, index)
        repeat {
            if `is`(at, tokens[index].text) { depth += 1 }
            if `is`(at, close) { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
        return at
    }

    // MARK: Attributes

    /// An attribute under a condition must precede the modifiers, on separate lines.
    mutating func guardAttributes() {
        for index in tokens.indices where `is`(index, "@") && !isGuarded[index] {
            guard `is`(index + 1, "objc") || `is`(index + 1, "objcMembers") else { continue }
            let hasArguments =
                `is`(index + 2, "(") && tokens[index + 2].range.lowerBound == tokens[index + 1].range.upperBound
            let end = hasArguments ? behind(index + 2) : index + 2
            let attribute = tokens[index].range.lowerBound..<tokens[end - 1].range.upperBound
            let head = tokens[headStart(index)].range.lowerBound
            let indent = indent(at: head)
            // A condition begins a line: after other tokens, a second run would not find it.
            let line = tokens[headStart(index)].startsLine || head == 0 ? "" : "\n\(indent)"
            let guarded =
                "\(line)#if canImport(ObjectiveC)\n\(indent)    \(text(attribute))\n\(indent)#endif\n\(indent)"
            var stop = attribute.upperBound
            while stop < bytes.count, bytes[stop] <= 32 { stop += 1 }
            if head == attribute.lowerBound {
                replace(attribute.lowerBound..<stop, guarded)
            } else {
                insert(guarded, at: head)
                replace(attribute.lowerBound..<stop, "")
            }
        }
    }

    /// The first attribute or modifier of a token's declaration.
    func headStart(_ index: Int) -> Int {
        var start = index
        while start > 0 {
            if tokens[start - 1].kind == .word, Self.modifiers.contains(tokens[start - 1].text), !`is`(start - 2, ".") {
                start -= 1
            } else if let attribute = attribute(endingAt: start - 1) {
                start = attribute
            } else {
                break
            }
        }
        return start
    }

    private func attribute(endingAt index: Int) -> Int? {
        guard index > 0 else { return nil }
        if tokens[index].kind == .word, `is`(index - 1, "@") { return index - 1 }
        guard `is`(index, ")") else { return nil }
        var (depth, at) = (0, index)
        repeat {
            if `is`(at, ")") { depth += 1 }
            if `is`(at, "(") { depth -= 1 }
            at -= 1
        } while depth > 0 && at >= 0
        return at > 0 && tokens[at].kind == .word && `is`(at - 1, "@") ? at - 1 : nil
    }

    private static let modifiers: Set<String> = [
        "public", "open", "internal", "private", "fileprivate", "package", "final", "override", "dynamic", "static",
        "lazy",
        "weak", "nonisolated", "required", "convenience",
    ]

    // MARK: Key paths

    mutating func replaceKeyPaths() {
        for index in tokens.indices where `is`(index, "#") && `is`(index + 2, "(") && !isGuarded[index] {
            if settled.contains(index) { continue }
            let end = behind(index + 2)
            let range = tokens[index].range.lowerBound..<tokens[end - 1].range.upperBound
            let inside = Array(tokens[(index + 3)..<(end - 1)])
            if `is`(index + 1, "keyPath"), let path = Self.keyPath(inside[...]) {
                replace(range, "\"\(path)\"")
            } else if `is`(index + 1, "selector") {
                replaceSelector(index, range, inside)
            }
        }
    }

    private mutating func replaceSelector(_ index: Int, _ range: Range<Int>, _ inside: [SwiftToken]) {
        if let order = Self.order(inside) {
            addedNames.insert("Selector")
            return replace(range, "Selector(\"\(order):\")")
        }
        guard inside.count > 2, inside[0].is("getter"), inside[1].is(":"), let path = Self.keyPath(inside[2...]),
            let name = path.split(separator: ".").last
        else {
            return warn(
                index,
                "#selector needs Objective-C: put it under #if canImport(ObjectiveC), and write what Linux shall do.")
        }
        if `is`(index - 1, "("), `is`(index - 2, "NSStringFromSelector") {
            let end = behind(index - 1)
            replace(tokens[index - 2].range.lowerBound..<tokens[end - 1].range.upperBound, "\"\(name)\"")
        } else {
            addedNames.insert("Selector")
            replace(range, "Selector(\"\(name)\")")
        }
    }

    /// The comparison that a selector such as `NSString.localizedStandardCompare(_:)` names.
    private static func order(_ inside: [SwiftToken]) -> String? {
        let names = inside.filter { $0.kind == .word && !$0.is("_") }.map(\.text)
        guard names.count == 2, let name = names.last, orders.contains(name) else { return nil }
        return name
    }

    /// The selectors that `NSSortDescriptor(key:ascending:selector:)` accepts.
    private static let orders: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// The key path without leading types and modules, and without marks for optionals.
    private static func keyPath(_ tokens: ArraySlice<SwiftToken>) -> String? {
        let names = tokens.filter { $0.kind == .word }.map(\.text)
        let path = names.drop { $0.first?.isUppercase == true || $0 == "self" }
        return path.isEmpty ? nil : path.joined(separator: ".")
    }

    // MARK: Overrides

    struct Member {
        let owner: String
        let range: Range<Int>
        let line: Int
    }

    /// Members marked `override` directly inside of extensions, each with its lines and its comment.
    func overridesInExtensions() -> [Member] {
        declarations("extension").flatMap { declaration in
            members(declaration.body).compactMap { index in
                guard !isGuarded[index] else { return nil }
                return Member(owner: declaration.name, range: lines(ofMember: index), line: tokens[index].line)
            }
        }
    }

    /// The position for additions at the end of a class; nil if this file does not declare it.
    func bodyEnd(ofClass name: String) -> Int? {
        declarations("class").first { $0.name == name }.map { startOfLine(tokens[$0.body.upperBound].range.lowerBound) }
    }

    /// Types by their declaring keyword; `body` is the range between the braces.
    private func declarations(_ word: String) -> [(name: String, body: Range<Int>)] {
        tokens.indices.compactMap { index in
            guard tokens[index].kind == .word, tokens[index].is(word), tokens.indices.contains(index + 1),
                tokens[index + 1].kind == .word, !["func", "var"].contains(tokens[index + 1].text),
                !`is`(index - 1, "."),
                let open = tokens[index...].firstIndex(where: { $0.is("{") })
            else { return nil }
            return (tokens[index + 1].text, (open + 1)..<(behind(open) - 1))
        }
    }

    /// The `override` keywords at the top level of a body.
    private func members(_ body: Range<Int>) -> [Int] {
        var found: [Int] = []
        var at = body.lowerBound
        while at < body.upperBound {
            if `is`(at, "override") { found.append(at) }
            at = `is`(at, "{") || `is`(at, "(") ? behind(at) : at + 1
        }
        return found
    }

    private func lines(ofMember index: Int) -> Range<Int> {
        var start = startOfLine(tokens[headStart(index)].range.lowerBound)
        while start > 0 {
            let before = startOfLine(start - 1)
            guard text(before..<start).trimmingCharacters(in: .whitespaces).hasPrefix("//") else { break }
            start = before
        }
        let open = tokens[index...].firstIndex { $0.is("{") } ?? tokens.count - 1
        var end = tokens[behind(open) - 1].range.upperBound
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        return start..<min(end + 1, bytes.count)
    }
}
