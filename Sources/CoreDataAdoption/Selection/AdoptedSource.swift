// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One source of the project with its cuts, and the text that Linux compiles.

import CoreDataGeneration
import Foundation

/// A declaration that is left out, with the first reason found (Adoption, invariant 6).
package struct Cut: Codable, Equatable, Sendable {
    package var declaration: String
    /// Counted from 1, in the text that Linux compiles.
    package var line: Int
    package var reason: String
    /// Whether the declaration has tests, which counts them as left out.
    package var tests: [String] = []
}

struct AdoptedSource {
    let original: URL
    /// The path inside of the output's target.
    let path: String
    /// The digest of the original.
    let digest: String
    private let originalBytes: [UInt8]
    /// The text after `port` and without the imports that Linux lacks; cuts keep its lines.
    private(set) var bytes: [UInt8]
    let outline: SourceOutline
    private let allTokens: [SwiftToken]
    let droppedImports: [String]
    private(set) var cuts: [Cut] = []
    private var cutBytes: [Range<Int>] = []
    /// The reason for leaving out the whole file.
    private(set) var reasonLeftOut: String?

    /// - Parameters:
    ///   - ported: the text after `port`.
    ///   - bundle: the replacement for the bundle of the app; nil if the target has no resources.
    init(
        _ original: URL, path: String, bytes: [UInt8], ported: [UInt8], conditions: BuildConditions, bundle: String?
    ) {
        self.original = original
        self.path = path
        digest = Digest.text(bytes)
        originalBytes = bytes
        let first = SwiftLexer.tokens(ported, interpolations: true)
        let edits = SourceEdits(first, conditions, bundle)
        droppedImports = edits.droppedImports
        self.bytes = edits.apply(to: ported)
        allTokens = SwiftLexer.tokens(self.bytes)
        outline = SourceOutline(conditions.active(allTokens))
        if original.lastPathComponent == "main.swift" {
            reasonLeftOut = "It is the main program of the app."
        }
    }

    // MARK: Cuts

    /// Cuts the declarations that use names of an interface.
    mutating func cutInterface(declared: Set<String>) {
        guard !LinuxModules.interface.isDisjoint(with: droppedImports) else { return }
        for declaration in outline.declarations { cutInterface(declaration, declared) }
        leaveOutIfEmpty()
    }

    private mutating func cutInterface(_ declaration: OutlineDeclaration, _ declared: Set<String>) {
        let tokens = outline.tokens
        guard declaration.kind != .importing else { return }
        let isType = declaration.kind == .type
        let own = isType ? declaration.head : declaration.tokens
        if let name = InterfaceNames.first(in: tokens[own], except: declared) {
            return cut(declaration, "It uses '\(name)' of \(droppedInterface).")
        }
        guard isType else { return }
        for member in declaration.members where member.kind == .storage {
            if let name = InterfaceNames.first(in: tokens[member.tokens], except: declared) {
                return cut(declaration, "It stores '\(name)' of \(droppedInterface).")
            }
        }
        for member in declaration.members { cutInterface(member, declared) }
    }

    private var droppedInterface: String {
        droppedImports.first { LinuxModules.interface.contains($0) } ?? "Apple's interface"
    }

    /// Cuts the smallest declaration at a line that its type can do without.
    ///
    /// - Returns: false if no uncut declaration is there.
    mutating func cut(line: Int, reason: String) -> Bool {
        guard reasonLeftOut == nil, let found = Self.smallest(at: line, in: outline.declarations) else { return false }
        guard !cutBytes.contains(where: { $0.contains(found.bytes.lowerBound) }) else { return false }
        cut(found, reason)
        leaveOutIfEmpty()
        return true
    }

    private static func smallest(at line: Int, in declarations: [OutlineDeclaration]) -> OutlineDeclaration? {
        guard let found = declarations.first(where: { $0.lines.contains(line) }) else { return nil }
        guard let member = smallest(at: line, in: found.members), member.kind != .storage else { return found }
        return member
    }

    /// Restores a cut of an earlier run. A declaration of another name at the line is not cut.
    mutating func restore(_ cut: Cut) {
        guard let found = Self.smallest(at: cut.line, in: outline.declarations), found.name == cut.declaration else {
            return
        }
        self.cut(found, cut.reason)
        leaveOutIfEmpty()
    }

    mutating func leaveOut(_ reason: String) {
        if reasonLeftOut == nil { reasonLeftOut = reason }
    }

    private mutating func cut(_ declaration: OutlineDeclaration, _ reason: String) {
        let start = startWithConditions(declaration.bytes.lowerBound)
        // A cut inside of this one is part of it.
        cuts.removeAll { declaration.lines.contains($0.line) }
        let tests = TestNames.all(in: declaration, outline.tokens)
        cuts.append(
            Cut(declaration: declaration.name, line: declaration.lines.lowerBound, reason: reason, tests: tests))
        cutBytes.append(start..<declaration.bytes.upperBound)
    }

    /// A block of `#if` directly before a declaration that has only attributes belongs to it.
    private func startWithConditions(_ start: Int) -> Int {
        guard var at = allTokens.lastIndex(where: { $0.range.upperBound <= start }), allTokens[at].text == "#endif",
            allTokens[at].kind == .directive
        else { return start }
        while at > 0 {
            at -= 1
            let token = allTokens[at]
            if token.kind == .directive {
                let next = allTokens[at + 1]
                let isAttribute = token.text.hasPrefix("#if") && next.is("@")
                let words = allTokens[(at + 1)...].prefix { $0.kind != .directive }.filter { $0.kind == .word }
                return isAttribute && words.allSatisfy { $0.text != "func" && $0.text != "var" && $0.text != "class" }
                    ? token.range.lowerBound : start
            }
        }
        return start
    }

    private mutating func leaveOutIfEmpty() {
        let rest = outline.declarations.filter { declaration in
            declaration.kind != .importing && !cutBytes.contains { $0.contains(declaration.bytes.lowerBound) }
        }
        if rest.isEmpty, let reason = cuts.min(by: { $0.line < $1.line })?.reason { leaveOut(reason) }
    }

    // MARK: Results

    /// Whether the target can use the original.
    var isUnchanged: Bool { cutBytes.isEmpty && bytes == originalBytes }

    /// The text that Linux compiles, without the note of its original.
    var text: String {
        var output = bytes
        for range in cutBytes {
            let directives = allTokens.filter { $0.kind == .directive && range.contains($0.range.lowerBound) }
            let opened = directives.count { $0.text.hasPrefix("#if") }
            // Directives that belong to a block outside of the declaration stay.
            let kept = opened == directives.count { $0.text == "#endif" } ? [] : directives.map(\.range)
            for place in range where output[place] != 10 && !kept.contains(where: { $0.contains(place) }) {
                output[place] = 32
            }
        }
        guard !cutBytes.isEmpty else { return String(decoding: output, as: UTF8.self) }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.allSatisfy { $0 == " " } ? "" : String($0) }.joined(separator: "\n")
    }

    /// The names of types, functions and aliases at the top level.
    var declaredNames: Set<String> {
        Set(outline.declarations.filter { $0.kind == .type || $0.kind == .member }.map(\.name))
    }

    func imports(_ module: String) -> Bool {
        outline.declarations.contains { declaration in
            declaration.kind == .importing && outline.tokens[declaration.tokens].contains { $0.is(module) }
        }
    }
}
