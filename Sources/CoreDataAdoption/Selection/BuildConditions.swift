// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates the conditions of `#if` for a debug build on Linux.

import CoreDataGeneration
import Foundation

struct BuildConditions {
    /// The names that are defined, `DEBUG` included.
    var defined: Set<String> = ["DEBUG"]
    /// The modules that `canImport` finds.
    var modules: Set<String> = LinuxModules.known
    /// `swift(>=6.0)` means the language mode.
    var languageMode = 5
    /// The default isolation of the target.
    var isMainActorByDefault = false

    /// The tokens that the compiler reads: those of inactive blocks, and the directives, are removed.
    func active(_ tokens: [SwiftToken]) -> [SwiftToken] {
        // Whether the current block is read, and whether a block of the same `#if` has been read.
        var stack: [(isActive: Bool, wasActive: Bool)] = []
        return tokens.filter { token in
            guard token.kind == .directive else { return stack.allSatisfy(\.isActive) }
            if token.text.hasPrefix("#if") {
                let isActive = isTrue(String(token.text.dropFirst(3)))
                stack.append((isActive, isActive))
            } else if token.text.hasPrefix("#endif") {
                _ = stack.popLast()
            } else if let block = stack.popLast() {
                let isElse = !token.text.hasPrefix("#elseif")
                let isActive = !block.wasActive && (isElse || isTrue(String(token.text.dropFirst(7))))
                stack.append((isActive, block.wasActive || isActive))
            }
            return false
        }
    }

    func isTrue(_ condition: String) -> Bool {
        var parser = ConditionParser(self, SwiftLexer.tokens(Array(condition.utf8)))
        return parser.alternative(depth: 0)
    }

    /// The value of `os(Linux)`, `canImport(UIKit)`, `swift(>=5.9)` and their kin. Unknown calls are false.
    fileprivate func call(_ name: String, _ arguments: [SwiftToken]) -> Bool {
        let first = arguments.first?.text ?? ""
        switch name {
        case "os": return first == "Linux"
        case "canImport": return modules.contains(first)
        case "swift": return compare(arguments, with: languageMode >= 6 ? [6, 3] : [5, 10])
        case "compiler", "_compiler_version": return compare(arguments, with: [6, 3])
        case "arch":
            #if arch(arm64)
                return first == "arm64"
            #else
                return first == "x86_64"
            #endif
        case "_endian": return first == "little"
        case "_runtime": return first == "_Native"
        default: return false
        }
    }

    private func compare(_ arguments: [SwiftToken], with version: [Int]) -> Bool {
        let isLess = arguments.first?.text == "<"
        let text = arguments.drop { $0.kind == .sign }.map(\.text).joined()
        let wanted = text.split(separator: ".").compactMap { Int($0) }
        let isLower = version.lexicographicallyPrecedes(wanted)
        return isLess ? isLower : !isLower
    }
}

/// `!`, `&&`, `||` and parentheses over names and calls.
private struct ConditionParser {
    private let conditions: BuildConditions
    private let tokens: [SwiftToken]
    private var at = 0

    init(_ conditions: BuildConditions, _ tokens: [SwiftToken]) {
        self.conditions = conditions
        self.tokens = tokens
    }

    private func `is`(_ text: String, _ offset: Int = 0) -> Bool {
        at + offset < tokens.count && tokens[at + offset].is(text)
    }

    mutating func alternative(depth: Int) -> Bool {
        var value = conjunction(depth)
        while `is`("|"), `is`("|", 1) {
            at += 2
            let other = conjunction(depth)
            value = value || other
        }
        return value
    }

    private mutating func conjunction(_ depth: Int) -> Bool {
        var value = term(depth)
        while `is`("&"), `is`("&", 1) {
            at += 2
            let other = term(depth)
            value = value && other
        }
        return value
    }

    private mutating func term(_ depth: Int) -> Bool {
        guard depth < 64, at < tokens.count else { return false }
        if `is`("!") {
            at += 1
            return !term(depth + 1)
        }
        if `is`("(") {
            at += 1
            let value = alternative(depth: depth + 1)
            if `is`(")") { at += 1 }
            return value
        }
        let name = tokens[at].text
        at += 1
        guard `is`("(") else { return name == "true" || conditions.defined.contains(name) }
        let start = at + 1
        while at < tokens.count, !`is`(")") { at += 1 }
        at += 1
        return conditions.call(name, Array(tokens[min(start, tokens.count)..<max(min(at - 1, tokens.count), start)]))
    }
}
