// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes test methods that belong to the main actor asynchronous, because XCTest on Linux cannot call others.

import CoreDataGeneration
import Foundation

/// XCTest on Linux casts each test method to a function without isolation. The cast of a synchronous method of the main
/// actor ends the process before the first test. An asynchronous method is called with its isolation.
struct TestIsolationEdits {
    private(set) var edits: [(range: Range<Int>, text: String)] = []
    private let tokens: [SwiftToken]

    /// - Parameters:
    ///   - tokens: those that are active on Linux.
    ///   - isMainActorByDefault: the setting of the target.
    init(_ tokens: [SwiftToken], isMainActorByDefault: Bool) {
        self.tokens = tokens
        for index in tokens.indices where tokens[index].is("class") && isTestClass(index) {
            editClass(index, isMainActorByDefault)
        }
    }

    private func `is`(_ index: Int, _ text: String) -> Bool { tokens.indices.contains(index) && tokens[index].is(text) }

    /// `class ItemTests: XCTestCase`, or a class below a project's own test case.
    private func isTestClass(_ index: Int) -> Bool { superclass(index) != nil }

    private func superclass(_ index: Int) -> String? {
        guard index + 3 < tokens.count, tokens[index + 1].kind == .word, `is`(index + 2, ":"),
            tokens[index + 3].text.contains("Test")
        else { return nil }
        return tokens[index + 3].text
    }

    private mutating func editClass(_ index: Int, _ isMainActorByDefault: Bool) {
        guard let open = tokens[index...].firstIndex(where: { $0.is("{") }) else { return }
        let attributes = heads(before: index)
        let isOfMainActor =
            attributes.contains("MainActor") || isMainActorByDefault && !attributes.contains("nonisolated")
        var (depth, at) = (0, open)
        repeat {
            if `is`(at, "{") { depth += 1 }
            if `is`(at, "}") { depth -= 1 }
            if depth == 1, `is`(at, "func"), `is`(at + 2, "("), `is`(at + 3, ")") {
                let own = heads(before: at)
                let isIsolated = own.contains("MainActor") || isOfMainActor && !own.contains("nonisolated")
                if isIsolated, !own.contains("class"), !own.contains("static") {
                    editMethod(at, isDirect: superclass(index) == "XCTestCase")
                }
            }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    /// The attributes and modifiers of a declaration.
    private func heads(before index: Int) -> Set<String> {
        var (found, at): (Set<String>, Int) = ([], index - 1)
        let modifiers: Set<String> = [
            "public", "open", "internal", "private", "fileprivate", "final", "override", "nonisolated", "class",
            "static", "MainActor",
        ]
        while at >= 0,
            `is`(at, "@") || tokens[at].kind == .word && (modifiers.contains(tokens[at].text) || `is`(at - 1, "@"))
        {
            if !`is`(at, "@") { found.insert(tokens[at].text) }
            at -= 1
        }
        return found
    }

    private mutating func editMethod(_ index: Int, isDirect: Bool) {
        let name = tokens[index + 1].text
        guard let open = tokens[index...].firstIndex(where: { $0.is("{") }),
            !tokens[index..<open].contains(where: { $0.is("async") })
        else { return }
        let end = tokens[index + 3].range.upperBound
        let asynchronous = [
            "setUp": "setUp", "setUpWithError": "setUp", "tearDown": "tearDown", "tearDownWithError": "tearDown",
        ]
        if let other = asynchronous[name] {
            let throwing = tokens[index..<open].contains { $0.is("throws") }
            edits.append((tokens[index + 1].range, other))
            edits.append((end..<end, throwing ? " async" : " async throws"))
        } else if name.hasPrefix("test") {
            edits.append((end..<end, " async"))
        } else {
            return
        }
        var (depth, at) = (0, open)
        repeat {
            if `is`(at, "{") { depth += 1 }
            if `is`(at, "}") { depth -= 1 }
            if `is`(at, "super"), `is`(at + 1, "."), let other = asynchronous[text(at + 2)], `is`(at + 4, ")") {
                var start = at
                while start > open, `is`(start - 1, "try") || `is`(start - 1, "await") { start -= 1 }
                // XCTestCase has nothing to set up.
                let call = isDirect ? "" : "try await super.\(other)()"
                edits.append((tokens[start].range.lowerBound..<tokens[at + 4].range.upperBound, call))
            } else if depth == 1, `is`(at, "wait"), `is`(at + 1, "("), `is`(at + 2, "for"), `is`(at + 3, ":"),
                !`is`(at - 1, ".")
            {
                edits.append((tokens[at].range.lowerBound..<tokens[at + 2].range.upperBound, "await fulfillment(of"))
            }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    private func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }
}
