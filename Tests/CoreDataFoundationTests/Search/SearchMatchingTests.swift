// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Searches in memory have the matches of SQLite's FTS5 for the same rows.

import SQLiteDriver
import Testing

@testable import CoreDataFoundation

@Suite("Search matches") struct SearchMatchingTests {
    /// Rows of an FTS5 table, and the same texts in memory.
    private struct Corpus {
        let database: Connection
        let rows: [SearchedTexts]
        let columns: [SearchColumn]

        init(_ texts: [[String]], _ tokenizer: SearchTokenizer) throws {
            let name = tokenizer == .words ? "unicode61 remove_diacritics 2" : "trigram"
            database = try Connection.inMemory()
            try database.execute("CREATE VIRTUAL TABLE t USING fts5(body, title, tokenize = '\(name)')")
            for (index, row) in texts.enumerated() {
                try database.run(
                    "INSERT INTO t (rowid, body, title) VALUES (?, ?, ?)",
                    [.integer(Int64(index)), .text(row[0]), .text(row[1])])
            }
            columns = ["body", "title"].map { SearchColumn(name: $0, tokenizer: tokenizer) }
            rows = texts.map { row in SearchedTexts { $0.name == "body" ? row[0] : row[1] } }
        }

        func matchesInSQLite(_ query: SearchQuery) throws -> [Int] {
            try database.rows("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", [.text(query.description)])
                .compactMap { if case .integer(let row) = $0[0] { Int(row) } else { nil } }
        }

        func matches(_ query: SearchQuery) throws -> [Int] {
            guard let search = try query.resolved(for: columns) else { return [] }
            return try rows.indices.filter { try rows[$0].matches(search) }
        }
    }

    /// Random texts and queries of few words, so that most queries match some rows and not others.
    private struct RandomSearches {
        var random: SeededNumbers
        let tokenizer: SearchTokenizer

        private static let words = [
            "a", "b", "ab", "É", "abc", "Straße", "don't", "x1", "C", "東京", "가", "\u{1100}\u{1161}",
        ]
        private static let parts = ["abc", "bcd", "ABCD", "東京都", "é a", "cab", "b c", "dab"]

        private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        private mutating func word() -> String {
            tokenizer == .words
                ? Self.words[number(0...Self.words.count - 1)] : Self.parts[number(0...Self.parts.count - 1)]
        }

        mutating func text(_ most: Int) -> String {
            (0..<number(0...most)).map { _ in word() }.joined(separator: tokenizer == .words ? " " : "")
        }

        private mutating func phrase(isInitial: Bool = false) -> SearchPhrase {
            let text = number(0...3) == 0 ? "\(word()) \(word())" : word()
            return SearchPhrase(text, isPrefix: number(0...3) == 0, isInitial: isInitial)
        }

        mutating func syntax(_ depth: Int = 0) -> SearchSyntax {
            switch number(0...(depth > 2 ? 4 : 8)) {
            case 0...2: return .phrase(phrase(isInitial: number(0...5) == 0))
            case 3, 4:
                return .near((0..<number(2...3)).map { _ in phrase() }, distance: number(0...4))
            case 5: return .all((0..<number(2...3)).map { _ in syntax(depth + 1) })
            case 6: return .any((0..<number(2...3)).map { _ in syntax(depth + 1) })
            case 7: return .not(syntax(depth + 1), syntax(depth + 1))
            default: return .columns(number(0...2) == 0 ? ["body", "title"] : ["title"], syntax(depth + 1))
            }
        }
    }

    @Test(
        "random queries match the rows that they match in FTS5",
        arguments: [(SearchTokenizer.words, 10_000, UInt64(1)), (.trigrams, 1_000, 2)])
    func random(tokenizer: SearchTokenizer, count: Int, seed: UInt64) throws {
        var random = RandomSearches(random: SeededNumbers(seed), tokenizer: tokenizer)
        let corpus = try Corpus((0..<8).map { _ in [random.text(8), random.text(4)] }, tokenizer)
        var found = 0
        for _ in 0..<count {
            let query = SearchQuery(random.syntax())
            let matches = try corpus.matches(query)
            let expected = try corpus.matchesInSQLite(query)
            try #require(matches == expected, "\(query)")
            found += matches.count
        }
        // Neither nothing nor everything matches.
        #expect((count...7 * count).contains(found))
    }

    @Test("one or two characters of trigrams match as a part of a text") func shortTrigrams() throws {
        let text = SearchedTexts { _ in "旅行 東京TOWER" }
        let columns = [SearchColumn(name: "body", tokenizer: .trigrams)]
        for (query, isMatch) in [
            ("東京", true), ("京", true), ("er", true), ("京東", false), ("^旅", true), ("^行", false),
            ("NEAR(旅 東京 , 2)", true), ("NEAR(旅 tower, 3)", false),
        ] {
            let search = try #require(try SearchQuery(query).resolved(for: columns))
            #expect(try text.matches(search) == isMatch, "\(query)")
        }
    }
}

/// Numbers that depend only on their seed.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
