// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The language of search queries: trees, errors with places, and texts of search fields.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("Search queries") struct SearchQueryTests {
    @Test(
        "the language is parsed by its precedence",
        arguments: [
            ("swift", #""swift""#),
            ("a b", #""a" AND "b""#),
            ("a OR b AND c", #""a" OR ("b" AND "c")"#),
            ("a AND b NOT c", #""a" AND ("b" NOT "c")"#),
            ("a NOT b c", #""a" NOT ("b" AND "c")"#),
            ("a NOT b NOT c", #""a" NOT ("b" OR "c")"#),
            ("(a OR b) c", #"("a" OR "b") AND "c""#),
            (#""open source"* ^first"#, #""open source"* AND ^"first""#),
            (#""say ""hi""""#, #""say ""hi""""#),
            ("NEAR(a b*, 3)", #"NEAR("a" "b"*, 3)"#),
            ("NEAR (a b)", #"NEAR("a" "b", 10)"#),
            ("NEAR(a)", #""a""#),
            ("NEAR and not", #""NEAR" AND "and" AND "not""#),
            ("title: swift", #"{"title"}: "swift""#),
            ("title:a b", #"{"title"}: "a" AND "b""#),
            ("{title body title}: (a OR b) c", #"{"title" "body"}: ("a" OR "b") AND "c""#),
            (#""title" : ^a"#, #"{"title"}: ^"a""#),
            ("don't e-mail c++ 東京", #""don't" AND "e-mail" AND "c++" AND "東京""#),
            ("", ""), (" \n\0", ""),
        ])
    func language(text: String, canonical: String) throws {
        let query = try SearchQuery(text)
        #expect(query.description == canonical)
        #expect(try SearchQuery(canonical) == query)
        #expect(query.isEmpty == canonical.isEmpty)
    }

    @Test(
        "an error names the place and the expectation",
        arguments: [
            ("swift AND (linux", 16, #"A ")" is expected, not the end."#),
            ("a )", 2, #"A word or an operator is expected, not ")"."#),
            ("a AND", 5, "A word is expected, not the end."),
            ("OR a", 0, #"A word is expected, not "OR"."#),
            ("é \"open", 2, "The quotation mark has no second one."),
            ("NEAR(a b, x)", 10, #"A number of tokens from 0 to 999999999 is expected, not "x"."#),
            ("NEAR(a b, 1000000000)", 10, #"A number of tokens from 0 to 999999999 is expected, not "1000000000"."#),
            ("NEAR(a OR b)", 7, #"A word is expected, not "OR"."#),
            ("NEAR()", 5, #"A word is expected, not ")"."#),
            ("{}: a", 1, "The name of an attribute is expected between braces."),
            ("{a b c", 6, #"The name of an attribute or a "}" is expected, not the end."#),
            ("{a} b", 4, #"A ":" is expected, not "b"."#),
            ("a: b: c", 4, #"A word is expected, not ":"."#),
            ("wo*rd", 3, #"A "*" ends a word: a space is expected after it."#),
            ("a * b", 2, #"A word is expected, not "*"."#),
            ("a, b", 1, #"A word is expected, not ","."#),
            ("a -b", 2, "A word cannot begin with \"-\": write NOT to exclude a word, or put it in quotation marks."),
        ])
    func errors(text: String, offset: Int, message: String) throws {
        let error = try #require(throws: SearchQueryError.self) { try SearchQuery(text) }
        #expect(error.message == message)
        #expect(error.offset == offset)
        #expect(error.text == text)
        #expect(error.description.hasSuffix(String(repeating: " ", count: offset + 4) + "^"))
    }

    @Test("depth, words and bytes have limits") func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try SearchQuery(nested(24)) == SearchQuery("a"))
        let deep = try #require(throws: SearchQueryError.self) { try SearchQuery(nested(25)) }
        #expect(deep.offset == 25)
        #expect(throws: SearchQueryError.self) { try SearchQuery(nested(10_000)) }
        #expect(try SearchQuery(String(repeating: "a ", count: 1_000)).syntax != nil)
        let long = try #require(throws: SearchQueryError.self) {
            try SearchQuery(String(repeating: "a ", count: 1_001))
        }
        #expect(long.offset == 2_000)
        #expect(throws: SearchQueryError.self) { try SearchQuery(String(repeating: "a", count: 65_537)) }
    }

    @Test(
        "the text of a search field is words, the last one as a beginning, and phrases",
        arguments: [
            ("swi", #""swi"*"#), ("open sour ", #""open" AND "sour"*"#),
            (#""open source" sw"#, #""open source" AND "sw"*"#),
            (#"sw "open source""#, #""sw" AND "open source""#),
            (#"sw "open so"#, #""sw" AND "open so"*"#),
            (#"a"b"c"#, #""a" AND "b" AND "c"*"#),
            ("a OR (b* NOT title: c", #""a" AND "OR" AND "(b*" AND "NOT" AND "title:" AND "c"*"#),
            ("-x NEAR(a, 2)", #""-x" AND "NEAR(a," AND "2)"*"#),
            ("x\0y", #""x" AND "y"*"#), ("", ""), (#" "" " "#, ""), ("\"", ""),
        ])
    func userText(text: String, canonical: String) throws {
        let query = SearchQuery(userText: text)
        #expect(query.description == canonical)
        #expect(try SearchQuery(canonical) == query)
    }

    @Test("the text of a search field may be long") func longUserText() throws {
        let query = SearchQuery(userText: String(repeating: "word ", count: 100_000))
        guard case .and(let members) = query.syntax else {
            Issue.record("\(query) is no list.")
            return
        }
        #expect(members.count == 100)
        let characters = SearchQuery(userText: String(repeating: "𝔞 \"𝔟", count: 1_000_000))
        #expect(try SearchQuery(characters.description) == characters)
    }

    private func parsed(_ text: String) -> Result<SearchQuery, SearchQueryError> {
        do { return .success(try SearchQuery(text)) } catch { return .failure(error) }
    }

    @Test("random texts are parsed or refused with a place inside of them") func fuzz() throws {
        var random = SystemRandomNumberGenerator()
        let parts = [
            "a", "b*", "\"", "AND", "OR", "NOT", "NEAR", "(", ")", "{", "}", ":", ",", "^", " ", "\0", "é", "3", "-",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            .joined(separator: Bool.random(using: &random) ? " " : "")
            switch parsed(text) {
            case .success(let query): #expect(try SearchQuery(query.description) == query, "\(text)")
            case .failure(let error):
                #expect((0...text.unicodeScalars.count).contains(error.offset), "\(text)")
            }
            let typed = SearchQuery(userText: text)
            #expect(try SearchQuery(typed.description) == typed, "\(text)")
        }
    }
}
