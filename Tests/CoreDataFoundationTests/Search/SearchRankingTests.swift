// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Relevance, highlights and excerpts of searches; the first two as in SQLite's FTS5.

import SQLiteDriver
import Testing

@testable import CoreDataFoundation

@Suite("Search ranking") struct SearchRankingTests {
    private static let texts: [(body: String, title: String)] = [
        ("a b a c", "b"), ("b c d é", "a a"), ("c", ""), ("a b c a b c", "c d"), ("d d d", "abc a"), ("", "e"),
        ("don't a-b", "E b a"), ("x", "y"), ("x y z", ""), ("z a", "x"),
    ]
    private let columns = ["body", "title"].map { SearchColumn(name: $0, tokenizer: .words) }
    private let database: Connection

    init() throws {
        database = try Connection.inMemory()
        try database.execute(
            "CREATE VIRTUAL TABLE t USING fts5(body, title, tokenize = 'unicode61 remove_diacritics 2')")
        for (index, row) in Self.texts.enumerated() {
            try database.run(
                "INSERT INTO t (rowid, body, title) VALUES (?, ?, ?)",
                [.integer(Int64(index)), .text(row.body), .text(row.title)])
        }
    }

    private func searched(_ row: Int) -> SearchedTexts {
        SearchedTexts { $0.name == "body" ? Self.texts[row].body : Self.texts[row].title }
    }

    private static let queries = [
        "a", "a b", "\"a b\"", "a*", "a OR d", "title: a", "body: b c", "NEAR(a c, 1)", "NEAR(a b, 0) OR e", "a NOT b",
        "ecole OR e", "b OR \"don't\"", "x y", "{title body}: x", "title: (a OR e)", "^a", "q", "a a",
        "a OR a",
    ]

    @Test("the relevance is the bm25 of FTS5, and so is the order", arguments: queries)
    func relevance(text: String) throws {
        let query = try SearchQuery(text)
        let search = try #require(try query.resolved(for: columns))
        var statistics = SearchStatistics(search)
        for row in Self.texts.indices { try statistics.add(searched(row), columns) }
        let rows = try database.rows("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?", [.text(query.description)])
        let matching = try Self.texts.indices.filter { try searched($0).matches(search) }
        #expect(rows.count == matching.count)
        for row in rows {
            guard case .integer(let number) = row[0], case .real(let expected) = row[1] else {
                Issue.record("\(row) is no relevance.")
                continue
            }
            let relevance = try statistics.relevance(of: searched(Int(number)), columns)
            #expect(abs(relevance - expected) < 1e-9, "row \(number): \(relevance), not \(expected)")
        }
    }

    @Test("highlights are those of FTS5", arguments: queries) func highlights(text: String) throws {
        let query = try SearchQuery(text)
        let search = try #require(try query.resolved(for: columns))
        let rows = try database.rows(
            "SELECT rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']') FROM t WHERE t MATCH ?",
            [.text(query.description)])
        for row in rows {
            guard case .integer(let number) = row[0] else {
                Issue.record("\(row) has no number.")
                continue
            }
            let terms = try searched(Int(number)).matchingTerms(of: search)
            let texts = Self.texts[Int(number)]
            #expect(.text(marked(texts.body, columns[0], terms)) == row[1])
            #expect(.text(marked(texts.title, columns[1], terms)) == row[2])
        }
    }

    private func marked(_ text: String, _ column: SearchColumn, _ terms: [SearchTerms]) -> String {
        var marked = ""
        var place = text.startIndex
        for range in SearchHighlights(text, column, terms).ranges {
            marked += text[place..<range.lowerBound] + "[" + text[range] + "]"
            place = range.upperBound
        }
        return marked + text[place...]
    }

    private func snippet(_ text: String, _ query: String, _ length: Int, _ tokenizer: SearchTokenizer = .words) throws
        -> String?
    {
        let column = SearchColumn(name: "body", tokenizer: tokenizer)
        let search = try #require(try SearchQuery(query).resolved(for: [column]))
        guard let snippet = SearchHighlights(text, column, search.wantedTerms).snippet(of: length) else { return nil }
        var marked = ""
        var place = snippet.text.startIndex
        for range in snippet.highlights {
            marked += snippet.text[place..<range.lowerBound] + "[" + snippet.text[range] + "]"
            place = range.upperBound
        }
        return marked + snippet.text[place...]
    }

    @Test("an excerpt has most matches, and words before and after them") func excerpts() throws {
        let text = "One two three, four five six. Seven eight nine ten (eleven)!"
        #expect(try snippet(text, "eight", 5) == "…six. Seven [eight] nine ten…")
        #expect(try snippet(text, "one", 3) == "[One] two three…")
        #expect(try snippet(text, "eleven", 3) == "…nine ten ([eleven])!")
        #expect(try snippet(text, "two OR six OR eight", 4) == "…five [six]. Seven [eight]…")
        #expect(try snippet(text, "seven", 100) == "One two three, four five six. [Seven] eight nine ten (eleven)!")
        #expect(try snippet(text, "zero", 2) == "One two…")
        #expect(try snippet("", "a", 2) == nil)
        #expect(try snippet("…", "a", 2) == nil)
        #expect(try snippet(text, "a", 0) == nil)
        #expect(try snippet("東京都庁舎の展望室", "展望", 4, .trigrams) == "…の[展望]室")
        #expect(try snippet("E\u{301}cole", "ecole", 2) == "[E\u{301}cole]")
    }
}
