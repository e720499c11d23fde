// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the parsing of the predicate language.

import Foundation
import Testing

@testable import CoreDataFoundation
@testable import PredicateLanguage

@Suite("Predicate parsing") struct PredicateParsingTests {
    private func message(_ format: String, _ arguments: [Any?] = []) -> String? {
        do throws(PredicateFormatError) {
            _ = try PredicateSyntax.parsing(format, arguments: arguments)
            return nil
        } catch { return error.description }
    }

    @Test(
        "the everyday forms are understood",
        arguments: [
            "name == 'x'", "a = 1 && b <> 2 || !(c =< 3)", "NOT a => 4 and b BETWEEN {1, 5}",
            "name beginswith[cd] \"a\"",
            "ANY a.b.c like[c] '*x*'", "NONE tags.name IN {'a', 'b'}", "ALL x.y != nil", "SOME x.y MATCHES '.*'",
            "children.@count > 3", "@count > 3",
            "SUBQUERY(employees, $e, $e.salary > 10 AND $e.boss == SELF).@count == 0",
            "TERNARY(a == 1, b, c + 2) < 0x1F", "a + b * c ** 2 - -4 == (d << 2 | 0b11) & ~e", "sum(prices) > 1.5e3",
            "count:(prices) == 0o17", "add:to:(a, b) == 3", "now() > date", "CAST(12.5, 'NSDate') < when",
            "FUNCTION(SELF, 'distanceTo:', $place) < 5", "a[0].b == a[FIRST] OR a[LAST] == a[SIZE]",
            "#in == 1 OR a.#not == 2",
            "TRUEPREDICATE", "FALSEPREDICATE OR size == 3", "a == YES AND b == FALSE", "a UNION b == c",
            "((((a)))) == ((1))",
            "(a + 1) * 2 == 4", "(a == 1)", "SELF IN $LIST", "'\\u00e9\\n\\'' == a", ".5 < a",
        ])
    func everydayForms(format: String) {
        #expect(message(format) == nil)
    }

    @Test(
        "texts that are no predicates are refused",
        arguments: [
            "", "a", "a ==", "== a", "a == 'x", "a == 'x\\", "a == (b", "a == b)", "a b", "a == b == c", "{1, 2",
            "a == {1,}",
            "(a == 1) + 2 == 3", "NOT a", "a AND b", "ANY a", "x[", "x[1 == 2", "a == $", "a == #", "@", "a == %",
            "a == %y",
            "a LIKE[q] 'x'", "SUBQUERY(a, b, c == 1).@count > 0", "nosuch(a) == 1", "a == 12x", "a == 1e999", "a IN",
            "in == 1",
            "FETCH(a, b) == 1", "a == 0xZZ", "\u{0} == 1", "a.", "a. == 1", "CAST(1) == 1", "a %% b == 1",
            "a == '\\uD800'",
        ])
    func refusals(format: String) {
        #expect(message(format)?.contains("^") == true)
    }

    @Test("a refusal points at the place")
    func place() {
        #expect(
            message("name == 'a' ANDD b == 1") == """
                'ANDD' is not expected here.
                    name == 'a' ANDD b == 1
                                ^
                """)
    }

    @Test("a place is counted in scalars, not bytes")
    func placeInScalars() {
        #expect(
            message("größe == 'é😀' ANDD b == 1") == """
                'ANDD' is not expected here.
                    größe == 'é😀' ANDD b == 1
                                  ^
                """)
        #expect(message("ключ == 1 AND ☃ == 2")?.contains("no such character") == true)
    }

    @Test("keywords are known in any case, names that begin like them are keys", arguments: PredicateKeyword.allCases)
    func keywords(keyword: PredicateKeyword) {
        let word = keyword.rawValue
        #expect(PredicateKeyword(word.utf8) == keyword)
        #expect(PredicateKeyword(word.lowercased().utf8) == keyword)
        #expect(PredicateKeyword((word + "_").utf8) == nil)
        #expect(PredicateKeyword(word.dropLast().utf8) != keyword)
        #expect(message("#\(word) == 1 AND \(word)_ == 2 AND a.#\(word) == 3") == nil)
    }

    @Test("names of any script are keys, and spaces of any script part words")
    func scripts() {
        #expect((try? PredicateSyntax.parsing("名前\u{3000}==\u{A0}'x'"))?.keyPaths == ["名前"])
        #expect((try? PredicateSyntax.parsing("e\u{301}x2 == 1"))?.keyPaths == ["e\u{301}x2"])
        #expect(message("\u{301}x == 1") != nil)
    }

    @Test("assignments and a modulus sign are refused by name")
    func unsupported() {
        #expect(message("$x := 1")?.contains("':=' assigns") == true)
        #expect(message("a %% 2 == 1")?.contains("modulus:by:") == true)
    }

    @Test("escapes give characters by number; letters without digits mean themselves")
    func escapes() throws {
        let text = #"'\x41\u00e9\U0001F600\q\x4é\x+1\\'"#
        guard case .constant(let value) = try ExpressionSyntax.parsing(text) else { return #expect(Bool(false)) }
        #expect(value as? String == "Aé😀qx4éx+1\\")
    }

    @Test(
        "printf's letters take numbers of any length",
        arguments: [
            "d", "D", "i", "u", "U", "o", "x", "X", "f", "F", "e", "E", "g", "G", "ld", "li", "lu", "lx", "lo", "lf",
            "lld",
            "lli", "llu", "llx", "llo", "qd", "qu", "qx", "hd", "hu", "zd", "zu",
        ])
    func printfLetters(letters: String) {
        #expect(message("a == %\(letters) AND b == 1", [UInt16(3)]) == nil)
        #expect(message("a == %\(letters)", ["x"])?.contains("%\(letters) takes a number") == true)
    }

    @Test("placeholders take the arguments in order")
    func placeholders() {
        #expect(message("%K.%K == %@ AND b == %ld AND c < %f", ["a", "b", nil, 3, 2.5]) == nil)
        #expect(message("a == '%@'") == nil)
        #expect(message("a == %@")?.contains("no argument") == true)
        #expect(message("a == 1", [2]) == nil)
        #expect(message("a == %d", ["x"])?.contains("a number") == true)
        #expect(message("%K == 1", [1])?.contains("a key path") == true)
    }

    @Test("deep nesting is refused and does not overrun the stack")
    func depth() {
        let count = 10_000
        for (opening, closing) in [
            ("(", ")"), ("{", "}"), ("-", ""), ("~", ""), ("NOT ", ""), ("!", ""), ("a[", "]"), ("2**", ""),
            ("TERNARY(a==1,", ")"), ("a+", ""), ("sum(", ")"), ("SUBQUERY(a,$x,", ")"),
        ] {
            let text = String(repeating: opening, count: count) + "a" + String(repeating: closing, count: count)
            #expect(
                message(text + " == 1")?.contains("more than") == true
                    || message(text + " == 1")?.contains("deeper") == true)
        }
        let deepest = PredicateParser.maximumDepth - 1
        let text = String(repeating: "(", count: deepest) + "a" + String(repeating: ")", count: deepest) + " == 1"
        #expect(message(text) == nil)
    }

    @Test("long flat combinations are fine")
    func width() {
        let text = (0..<5_000).map { "a == \($0)" }.joined(separator: " OR ")
        #expect(message(text) == nil)
    }

    @Test("operators of neighbours do not add up, and those around them do")
    func neighbours() {
        let conditions = (0..<3_000).map { "NOT a.b.c == \($0) + x.y" }
        #expect(message(conditions.joined(separator: " OR ")) == nil)
        #expect(message(conditions.joined(separator: " AND ")) == nil)
        #expect(message("a IN {" + (0..<3_000).map { "\($0) + b.c" }.joined(separator: ", ") + "}") == nil)
        let layers = 30
        let deep = String(repeating: "NOT ", count: 200) + "(a == 1 OR "
        let text = String(repeating: deep, count: layers) + "b == 1" + String(repeating: ")", count: layers)
        #expect(message(text)?.contains("operators") == true)
    }

    @Test("the allowed depth fits a stack of one megabyte")
    func smallStack() async {
        let depth = PredicateParser.maximumDepth - 1
        let texts = [
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth) + " == 1",
            String(repeating: "sum({", count: depth / 2) + "a" + String(repeating: "})", count: depth / 2) + " == 1",
            "a" + String(repeating: " + 1", count: PredicateParser.maximumOperators) + " == 1",
            String(repeating: "SUBQUERY(a, $x, ", count: depth / 2) + "a == 1"
                + String(repeating: ") == a", count: depth / 2),
        ]
        for text in texts {
            let length = await onSmallStack { try? NSPredicate.parsing(text).description.count }
            #expect(length != nil, "\(message(text) ?? "")")
        }
    }

    @Test("random words and random bytes never trap")
    func noise() {
        var random = SplitMix(state: 7)
        let words = [
            "a", "b.c", "==", "<", "AND", "OR", "NOT", "(", ")", "{", "}", "[", "]", "1", "-2.5", "'x'", "\"", "'",
            "$v",
            "%@", "%K", "%d", "ANY", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", ",", ".", "@count", "#", "IN",
            "BETWEEN",
            "sum(", "**", "<<", "~", "-", "SELF", "NIL", "TRUEPREDICATE", "FIRST", "[cd]", "\\", "UNION", ":", "x:y:(",
        ]
        var failures = 0
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<14, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            if message(text, ["k", 1]) != nil { failures += 1 }
            let bytes = (0..<count * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
            if message(String(decoding: bytes, as: UTF8.self)) != nil { failures += 1 }
        }
        #expect(failures > 0)
    }
}

/// Runs code on a thread with the stack that threads have on Windows and Android; Linux gives eight times that.
func onSmallStack(_ body: @escaping @Sendable () -> Int?) async -> Int? {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        thread.stackSize = 1024 * 1024
        thread.start()
    }
}

/// A small seeded generator, so that a failing run can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
