// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A query for the attributes of an entity: filters, tokenizers and words without tokens.

import Testing

@testable import CoreDataFoundation

@Suite("Resolved searches") struct ResolvedSearchTests {
    private let columns = [
        SearchColumn(name: "body", tokenizer: .words), SearchColumn(name: "name", tokenizer: .trigrams),
        SearchColumn(name: "title", tokenizer: .words),
    ]

    /// The search with the columns of each term, as in "body,title: open source".
    private func text(_ search: ResolvedSearch?) -> String {
        switch search {
        case nil: "nothing"
        case .terms(let terms):
            "\(terms.columns.joined(separator: ",")): "
                + terms.phrases.map { $0.tokens.joined(separator: " ") }
                .joined(separator: "|")
        case .and(let members): "(\(members.map { text($0) }.joined(separator: " AND ")))"
        case .or(let members): "(\(members.map { text($0) }.joined(separator: " OR ")))"
        case .not(let wanted, let excluded): "(\(text(wanted)) NOT \(text(excluded)))"
        }
    }

    @Test(
        "filters choose the attributes, and words without tokens say nothing",
        arguments: [
            ("title: École", "title: ecole"),
            ("{title body}: a", "body,title: a"),
            ("{title body}: ({body}: a AND b)", "(body: a AND body,title: b)"),
            ("title: (body: a)", "nothing"),
            ("title: (a -- b)", "(title: a AND title: b)"),
            ("name: Tokyo", "name: tok oky kyo"),
            ("name: to", "name: "),
            ("abc", "(body,title: abc OR name: abc)"),
            ("body: (a OR !)", "body: a"), ("body: (a NOT !)", "body: a"), ("body: (! NOT a)", "nothing"),
            ("body: NEAR(a ! b)", "body: a|b"), ("body: NEAR(a !)", "body: a"), ("body: !", "nothing"),
            ("body: \"don't\"*", "body: don t"),
        ])
    func resolving(query: String, expected: String) throws {
        // "--" cannot begin a word of the language, but a quoted text.
        let query = try SearchQuery(query.replacing("--", with: "\"--\""))
        #expect(text(try query.resolved(for: columns)) == expected)
    }

    @Test("a filter with another name is an error") func unknownColumn() throws {
        let query = try SearchQuery("a OR tilte: b")
        #expect(throws: SearchColumnError(name: "tilte")) { try query.resolved(for: columns) }
    }

    @Test("one or two characters have no trigram, and need a scan") func shortTrigrams() throws {
        let search = try #require(try SearchQuery("name: 東京 name: 東京都").resolved(for: columns))
        #expect(search.allTerms.map(\.needsScan) == [true, false])
    }

    @Test("excluded terms are not wanted ones") func wanted() throws {
        let search = try #require(try SearchQuery("title: (a NOT b)").resolved(for: columns))
        #expect(search.allTerms.flatMap(\.phrases).map(\.text) == ["a", "b"])
        #expect(search.wantedTerms.flatMap(\.phrases).map(\.text) == ["a"])
    }
}
