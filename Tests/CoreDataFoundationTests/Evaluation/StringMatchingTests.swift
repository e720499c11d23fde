// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which strings match under which options.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("Matching strings")
struct StringMatchingTests {
    typealias Options = ComparisonSyntax.Options

    private func matches(
        _ text: String, _ operation: StringMatching.Operation, _ pattern: String, _ options: Options = []
    ) throws -> Bool {
        let matching = try StringMatching(operation, pattern: pattern, options: options)
        let result = try matching.matches(text)
        var copy = text
        let bytes = try copy.withUTF8 { try matching.matches(utf8: $0) }
        #expect(bytes == result)
        return result
    }

    /// Proves: F55
    @Test("[c] ignores case, [d] diacritics, [cd] both")
    func options() throws {
        #expect(try matches("Un CAFÉ noir", .contains, "café", .caseInsensitive))
        #expect(try !matches("Un CAFE noir", .contains, "café", .caseInsensitive))
        #expect(try matches("Un café noir", .contains, "cafe", .diacriticInsensitive))
        #expect(try !matches("Un café noir", .contains, "CAFE", .diacriticInsensitive))
        #expect(try matches("Un café noir", .contains, "CAFE", [.caseInsensitive, .diacriticInsensitive]))
        #expect(try matches("HELLO", .equal, "hello", .caseInsensitive))
        #expect(try !matches("HELLO", .equal, "hello"))
    }

    /// Decided by `NSPredicate.evaluate(with:)` for CONTAINS, ==, BEGINSWITH and [n] with "e\u{301}" and "é".
    @Test(
        "composed and decomposed letters are the same, except to equality without options and under [n]",
        .tags(.assumed))
    func normalization() throws {
        #expect(try matches("cafe\u{301}s", .contains, "caf\u{e9}"))
        #expect(try !matches("cafe\u{301}s", .contains, "caf\u{e9}", .normalized))
        #expect(try !matches("CAFÉ", .equal, "café", [.normalized, .caseInsensitive]))
        #expect(try !matches("e\u{301}", .equal, "\u{e9}"))
        #expect(try !matches("caf\u{e9}", .beginsWith, "cafe"))
    }

    @Test("a text begins, ends and contains")
    func places() throws {
        #expect(try matches("Hello", .beginsWith, "He"))
        #expect(try !matches("Hello", .beginsWith, "he"))
        #expect(try matches("Hello", .endsWith, "LLO", .caseInsensitive))
        #expect(try matches("XYZ", .endsWith, "yz", .caseInsensitive))
        #expect(try !matches("Hello", .equal, "Hell"))
        #expect(try matches("aab", .contains, "ab"))
        #expect(try !matches("ab", .contains, "abc"))
        #expect(try matches("ab", .contains, ""))
        #expect(try matches("", .beginsWith, ""))
        #expect(try matches("ÄÖÜ", .endsWith, "öü", .caseInsensitive))
    }

    @Test(
        "LIKE knows * and ? and a backslash before them",
        arguments: [
            ("Hello", "H*o", true), ("Hello", "H?llo", true), ("Hello", "Hell", false), ("Hello", "*", true),
            ("", "*", true), ("", "?", false), ("a*b", "a\\*b", true), ("axb", "a\\*b", false), ("a\\", "a\\", true),
            ("ab", "a\\", false),
            ("aXbXc", "*X*X?", true), ("abcabd", "*ab?", true), ("grün", "gr?n", true), ("line\nbreak", "l*k", true),
            ("a.c", "a.c", true), ("abc", "a.c", false), ("aaaaaaaaaaaaaaaaaaaaaaaa", "*a*a*a*a*a*a*a*b", false),
        ])
    func like(text: String, pattern: String, expected: Bool) throws {
        #expect(try matches(text, .like, pattern) == expected)
    }

    @Test("LIKE takes options")
    func likeOptions() throws {
        #expect(try matches("HELLO", .like, "h*O", .caseInsensitive))
        #expect(try matches("GRÜN", .like, "gr?n", .caseInsensitive))
        #expect(try matches("grün", .like, "grun", .diacriticInsensitive))
    }

    @Test("MATCHES takes the whole text")
    func regularExpressions() throws {
        #expect(try matches("abc", .matches, "a.c"))
        #expect(try !matches("xabc", .matches, "a.c"))
        #expect(try matches("ab", .matches, "a|ab"))
        #expect(try matches("ABC", .matches, "[a-c]+", .caseInsensitive))
        #expect(try matches("café", .matches, "cafe", .diacriticInsensitive))
        #expect(try !matches("abc\n", .matches, "abc"))
        #expect(throws: PredicateEvaluationError.badPattern("a(")) { try matches("a", .matches, "a(") }
        #expect(throws: PredicateEvaluationError.badPattern("a)(b")) { try matches("a", .matches, "a)(b") }
    }

    @Test("folding orders strings without regard to the folded differences")
    func order() {
        let folding = StringFolding(.caseInsensitive)
        #expect(folding.compare("a", "B") == .orderedAscending)
        #expect(folding.compare("ABC", "abc") == .orderedSame)
        #expect(folding.compare("É", "é") == .orderedSame)
        #expect(folding.compare("ab", "a") == .orderedDescending)
        #expect(StringFolding([]).compare("a", "B") == .orderedDescending)
        #expect(StringFolding([.caseInsensitive, .diacriticInsensitive]).folded("Crème BRÛLÉE") == "creme brulee")
    }

    @Test(
        "a regular expression that comes to no result is an error, and does not hang",
        arguments: [("(a+)+b", 40), ("(a|a)*b", 60), ("(.*)*(.*)*(.*)*x", 60), ("(a|b)*", 3_000_000)])
    func endlessPattern(pattern: String, length: Int) throws {
        let matching = try StringMatching(.matches, pattern: pattern)
        let text = String(repeating: "a", count: length)
        #expect(throws: PredicateEvaluationError.endlessPattern(pattern)) { try matching.matches(text) }
    }

    @Test("long texts and plain repetitions are matched to their end")
    func longTexts() throws {
        let text = String(repeating: "ab ", count: 300_000)
        #expect(try StringMatching(.matches, pattern: "[a-b ]*").matches(text))
        #expect(try !StringMatching(.matches, pattern: "[a-b ]*c").matches(text))
        #expect(try StringMatching(.matches, pattern: ".*b a.*").matches(text))
        #expect(try !StringMatching(.matches, pattern: ".*foo.*").matches(text))
        #expect(try !StringMatching(.matches, pattern: "(a+)+b").matches(String(repeating: "a", count: 15)))
    }
}
