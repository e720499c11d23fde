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
    /// The tests of the declaration, which count as left out.
    package var tests: [String] = []
    /// For a statement: its column, counted from 1 in bytes.
    package var column: Int?
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
    ///   - needs: those of the whole project.
    ///   - bundle: the replacement for the bundle of the app; nil if the target has no resources.
    init(
        _ original: URL, path: String, bytes: [UInt8], ported: [UInt8], conditions: BuildConditions,
        needs: ProjectNeeds = ProjectNeeds(), bundle: String?
    ) {
        self.original = original
        self.path = path
        digest = Digest.text(bytes)
        originalBytes = bytes
        let first = SwiftLexer.tokens(ported, interpolations: true)
        let edits = SourceEdits(first, conditions, needs, bundle)
        droppedImports = edits.droppedImports
        self.bytes = edits.apply(to: ported)
        allTokens = SwiftLexer.tokens(self.bytes)
        outline = SourceOutline(conditions.active(allTokens))
        if original.lastPathComponent == "main.swift" {
            reasonLeftOut = "It is the main program of the app."
        }
    }

    // MARK: Cuts

    /// Cuts the statements and declarations that use names of an interface.
    mutating func cutInterface(_ rule: StatementRule) {
        guard !LinuxModules.interface.isDisjoint(with: droppedImports) else { return }
        for declaration in outline.declarations { cutInterface(declaration, rule) }
        leaveOutIfEmpty()
    }

    private mutating func cutInterface(_ declaration: OutlineDeclaration, _ rule: StatementRule) {
        let tokens = outline.tokens
        guard declaration.kind != .importing else { return }
        let isType = declaration.kind == .type
        let own = isType ? declaration.head : declaration.tokens
        if let name = InterfaceNames.first(in: tokens[own], except: rule.declared) {
            let reason = InterfaceNames.reason(name, droppedInterface)
            if !isType, cutInterfaceStatements(of: declaration, rule, reason) { return }
            return cut(declaration, reason)
        }
        guard isType else { return }
        let mayLoseStorage = hasNoStoredForm(declaration)
        for member in declaration.members where member.kind == .storage && !(mayLoseStorage && canBeCut(member)) {
            if let name = InterfaceNames.first(in: tokens[member.tokens], except: rule.declared),
                !cutInterfaceStatements(of: member, rule, InterfaceNames.reason(name, droppedInterface))
            {
                return cut(declaration, InterfaceNames.reason(name, droppedInterface, verb: "stores"))
            }
        }
        for member in declaration.members { cutInterface(member, rule) }
    }

    /// Cuts the tests that use features of XCTest that Linux lacks, and statements with them outside of tests.
    mutating func cutTestFeatures() {
        guard imports("XCTest") else { return }
        for declaration in outline.declarations { cutTestFeatures(declaration) }
        leaveOutIfEmpty()
    }

    private mutating func cutTestFeatures(_ declaration: OutlineDeclaration) {
        for member in declaration.members { cutTestFeatures(member) }
        guard declaration.kind == .member, !isCut(declaration.bytes.lowerBound),
            let reason = TestFeatures.reason(in: outline.tokens[declaration.tokens])
        else { return }
        if !TestNames.all(in: declaration, outline.tokens).isEmpty { return cut(declaration, reason) }
        for index in declaration.tokens where outline.tokens[index].is("executionTimeAllowance") {
            guard let statement = outline.statement(at: index, in: declaration) else { continue }
            cut(statement: statement, of: declaration, reason)
        }
    }

    /// Cuts each statement that uses a name of an interface; nothing if one of them has to stay, or if no other
    /// statement would remain in a function, which is then cut as a whole.
    private mutating func cutInterfaceStatements(
        of declaration: OutlineDeclaration, _ rule: StatementRule, _ reason: String
    ) -> Bool {
        let tokens = outline.tokens
        guard declaration.kind == .member || declaration.kind == .storage,
            InterfaceNames.first(in: tokens[declaration.head], except: rule.declared) == nil,
            TestNames.all(in: declaration, tokens).isEmpty
        else { return false }
        var statements: [Range<Int>] = []
        for index in declaration.tokens
        where InterfaceNames.first(in: tokens[...index].suffix(2), except: rule.declared) != nil {
            guard !statements.contains(where: { $0.contains(index) }) else { continue }
            guard let statement = outline.statement(at: index, in: declaration),
                rule.allows(tokens[statement], missing: nil)
            else { return false }
            statements.append(statement)
        }
        let first = statements.first.flatMap { outline.body(at: $0.lowerBound, in: declaration) }
        let isInitializer = declaration.name.hasSuffix(".init")
        if let first, !isInitializer, outline.statements(in: first).count == statements.count { return false }
        for statement in statements { cut(statement: statement, of: declaration, reason) }
        return !statements.isEmpty
    }

    private var droppedInterface: String {
        droppedImports.first { LinuxModules.interface.contains($0) } ?? "Apple's interface"
    }

    /// Cuts the statement at an error, if its function can do without it.
    mutating func cutStatement(_ error: CompilerError, _ rule: StatementRule, reason: String) -> Bool {
        guard reasonLeftOut == nil, error.column > 0, let missing = error.missingName,
            let index = token(line: error.line, column: error.column), !isCut(outline.tokens[index].range.lowerBound),
            let declaration = Self.innermost(at: index, in: outline.declarations),
            declaration.kind == .member || declaration.kind == .storage,
            TestNames.all(in: declaration, outline.tokens).isEmpty,
            let statement = outline.statement(at: index, in: declaration),
            rule.allows(outline.tokens[statement], missing: missing)
        else { return false }
        cut(statement: statement, of: declaration, reason)
        return true
    }

    /// Cuts the smallest declaration at a line that its type can do without.
    ///
    /// - Returns: false if no uncut declaration is there.
    mutating func cut(line: Int, column: Int = 0, reason: String) -> Bool {
        guard reasonLeftOut == nil, let found = smallest(at: line, in: outline.declarations) else { return false }
        guard !isCut(found.bytes.lowerBound) else { return false }
        if column > 0, let index = token(line: line, column: column), isCut(outline.tokens[index].range.lowerBound) {
            return false
        }
        cut(found, reason)
        leaveOutIfEmpty()
        return true
    }

    private func isCut(_ byte: Int) -> Bool { cutBytes.contains { $0.contains(byte) } }

    /// The token at a place of the text that Linux compiles.
    private func token(line: Int, column: Int) -> Int? {
        guard let first = outline.tokens.firstIndex(where: { $0.line == line }) else { return nil }
        var start = outline.tokens[first].range.lowerBound
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        let place = start + column - 1
        return outline.tokens[first...].prefix { $0.line == line }.firstIndex { $0.range.contains(place) }
    }

    private func smallest(at line: Int, in declarations: [OutlineDeclaration]) -> OutlineDeclaration? {
        guard let found = declarations.first(where: { $0.lines.contains(line) }) else { return nil }
        guard let member = smallest(at: line, in: found.members) else { return found }
        return member.kind != .storage || hasNoStoredForm(found) && canBeCut(member) ? member : found
    }

    private static func innermost(at token: Int, in declarations: [OutlineDeclaration]) -> OutlineDeclaration? {
        guard let found = declarations.first(where: { $0.tokens.contains(token) }) else { return nil }
        return innermost(at: token, in: found.members) ?? found
    }

    /// Whether a type is a class whose properties are in no store and no archive: one of them can be cut.
    private func hasNoStoredForm(_ type: OutlineDeclaration) -> Bool {
        let head = outline.tokens[type.head]
        guard type.kind == .type, let keyword = head.firstIndex(where: { $0.is("class") || $0.is("actor") }),
            keyword + 1 < head.endIndex, head[keyword + 1].kind == .word
        else { return false }
        return !head.contains { Self.stored.contains($0.text) && $0.kind == .word }
    }

    private static let stored: Set<String> = [
        "Model", "NSManagedObject", "Codable", "Encodable", "Decodable", "NSCoding", "NSSecureCoding",
    ]

    /// Whether initializers compile without a stored property: it has a value before them.
    private func canBeCut(_ member: OutlineDeclaration) -> Bool {
        let tokens = outline.tokens[member.tokens]
        let head = tokens.prefix { !$0.is("{") }
        let isOptional = head.last?.is("?") == true || head.last?.is("!") == true
        let isVariable = head.contains { $0.is("var") }
        return member.kind == .storage && (isOptional && isVariable || head.contains { $0.is("=") })
    }

    /// Restores a cut of an earlier run. A declaration of another name at the line is not cut.
    mutating func restore(_ cut: Cut) {
        if let column = cut.column {
            guard let index = token(line: cut.line, column: column),
                let declaration = Self.innermost(at: index, in: outline.declarations),
                Self.statementName(declaration) == cut.declaration,
                let statement = outline.statement(at: index, in: declaration)
            else { return }
            return self.cut(statement: statement, of: declaration, cut.reason)
        }
        guard let found = smallest(at: cut.line, in: outline.declarations), found.name == cut.declaration else {
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
        cutBytes.removeAll { declaration.bytes.contains($0.lowerBound) }
        let tests = TestNames.all(in: declaration, outline.tokens)
        cuts.append(
            Cut(declaration: declaration.name, line: declaration.lines.lowerBound, reason: reason, tests: tests))
        cutBytes.append(start..<declaration.bytes.upperBound)
    }

    private static func statementName(_ declaration: OutlineDeclaration) -> String {
        "a statement of \(declaration.name)"
    }

    private mutating func cut(statement: Range<Int>, of declaration: OutlineDeclaration, _ reason: String) {
        let tokens = outline.tokens[statement]
        guard let first = tokens.first, let last = tokens.last, !isCut(first.range.lowerBound) else { return }
        var start = first.range.lowerBound
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        cuts.append(
            Cut(
                declaration: Self.statementName(declaration), line: first.line, reason: reason,
                column: first.range.lowerBound - start + 1))
        cutBytes.append(first.range.lowerBound..<last.range.upperBound)
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

    /// The names of cut declarations without effect on a store, and those of cut stored properties.
    func cutNames(_ rule: StatementRule) -> (harmless: Set<String>, properties: Set<String>) {
        var (harmless, properties): (Set<String>, Set<String>) = ([], [])
        func visit(_ declaration: OutlineDeclaration, isInside: Bool) {
            let isGone = isInside || isCut(declaration.bytes.lowerBound)
            let name = declaration.name.split(separator: ".").last.map(String.init) ?? declaration.name
            if isGone, declaration.kind == .storage { properties.insert(name) }
            if isGone, declaration.kind == .member || declaration.kind == .type,
                rule.isHarmless(outline.tokens[declaration.tokens])
            {
                harmless.insert(name)
            }
            for member in declaration.members { visit(member, isInside: isGone) }
        }
        for declaration in outline.declarations { visit(declaration, isInside: reasonLeftOut != nil) }
        return (harmless, properties)
    }

    func imports(_ module: String) -> Bool {
        outline.declarations.contains { declaration in
            declaration.kind == .importing && outline.tokens[declaration.tokens].contains { $0.is(module) }
        }
    }
}
