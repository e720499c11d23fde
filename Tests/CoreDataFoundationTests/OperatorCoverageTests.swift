// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the tables of the predicate language with the suite that states the SQL and the rows of each operator.

import Foundation
import Testing

@testable import CoreDataFoundation
@testable import PredicateLanguage

/// Reads the formats of `PredicateOperatorSpecification`, each of which is in an `assertFetch` or `assertRefused`.
@Suite("Operators with SQL and rows") struct OperatorCoverageTests {
    private let formats: [String]
    private let source: String

    init() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = "CoreDataSpecification/Predicates/PredicateOperatorSpecification.swift"
        source = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
        formats = source.matches(of: /[ (]request\(\s*"((?:[^"\\]|\\.)*)"/).map { match in
            String(match.1).replacing(#"\\"#, with: #"\"#)
        }
    }

    private func tokens(_ format: String) throws -> [PredicateToken] {
        try PredicateLexer.read(format, arguments: FormatArguments(arguments(format), ObjectArguments.self)).tokens
    }

    private func syntax(_ format: String) throws -> PredicateSyntax {
        try PredicateSyntax.parsing(format, arguments: arguments(format), reading: ObjectArguments.self)
    }

    private func arguments(_ format: String) -> [Any?] {
        Array(repeating: "argument", count: format.matches(of: /%@/).count)
    }

    /// Elements that no format of the suite has, as texts.
    private func missing<Element: Hashable>(_ table: some Sequence<Element>, _ found: Set<Element>) -> [String] {
        table.filter { !found.contains($0) }.map { "\($0)" }.sorted()
    }

    @Test("each format of the suite is asserted") func assertions() throws {
        try #require(formats.count > 150)
        let assertions = source.matches(of: /\bassert(Fetch|Refused)\(\s*request\(/).count
        let requests = source.matches(of: /[ (]request\(/).count - source.matches(of: /func request\(/).count
        #expect(assertions == requests)
        #expect(formats.count == requests)
    }

    @Test("each keyword is in the suite, but two reserved words that no text may use") func keywords() throws {
        let found = Set(try formats.flatMap { try tokens($0).compactMap(\.keyword) })
        let unusable: [PredicateKeyword] = [.caseInsensitive, .ci]
        #expect(missing(PredicateKeyword.allCases, found) == unusable.map { "\($0)" })
        for word in unusable {
            #expect(throws: PredicateFormatError.self) { try syntax("name LIKE \(word.rawValue) 'b'") }
        }
    }

    @Test("each symbol is in the suite, but the assignment, which no predicate may have") func symbols() throws {
        let found = try formats.flatMap { try tokens($0) }.compactMap { token -> PredicateSymbol? in
            guard case .symbol(let symbol) = token.kind else { return nil }
            return symbol
        }
        #expect(missing(PredicateSymbol.allCases, Set(found)) == ["\(PredicateSymbol.assign)"])
    }

    @Test("each function is in the suite") func functions() throws {
        var found: Set<String> = []
        for format in formats { try syntax(format).visitExpressions { found.formUnion(Self.names($0)) } }
        #expect(missing(PredicateFunctions.names, found) == [])
    }

    /// The element of an index is a function with a separate case.
    private static func names(_ expression: ExpressionSyntax) -> [String] {
        switch expression {
        case .function(let name, _): [name]
        case .index(_, .at): [PredicateFunctions.element]
        default: []
        }
    }

    @Test("each operator of key paths is in the suite") func collectionOperators() throws {
        let found = formats.flatMap { $0.matches(of: /@(\w+)/).compactMap { CollectionOperator(rawValue: "\($0.1)") } }
        #expect(missing(CollectionOperator.allCases, Set(found)) == [])
    }

    @Test("each option of comparisons is in the suite") func options() throws {
        let found = formats.flatMap { $0.matches(of: /[A-Z=<>]\[([a-z]+)\]/).flatMap { Array($0.1) } }
        let all = (0..<8).map { ComparisonSyntax.Options(rawValue: 1 << $0).spelling }.flatMap { $0.filter(\.isLetter) }
        #expect(all.count == 4)
        #expect(missing(all, Set(found)) == [])
    }
}
