// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tokens of full-text search are those of SQLite's tokenizers.

import SQLiteDriver
import Testing

@testable import CoreDataFoundation

@Suite("Search tokens") struct SearchTokenizerTests {
    /// The tokens that SQLite makes of texts, one list for each text.
    private func tokensInSQLite(_ tokenizer: SearchTokenizer, _ texts: [String]) throws -> [[String]] {
        let name = tokenizer == .words ? "unicode61 remove_diacritics 2" : "trigram"
        let database = try Connection.inMemory()
        try database.execute("CREATE VIRTUAL TABLE t USING fts5(x, content = '', tokenize = '\(name)')")
        try database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        try database.write {
            for (index, text) in texts.enumerated() {
                try database.run("INSERT INTO t (rowid, x) VALUES (?, ?)", [.integer(Int64(index)), .text(text)])
            }
        }
        var lists = [[String]](repeating: [], count: texts.count)
        for row in try database.rows("SELECT doc, term FROM v ORDER BY doc, offset") {
            if case .integer(let index) = row[0], case .text(let term) = row[1] { lists[Int(index)].append(term) }
        }
        return lists
    }

    /// All code points but NUL, at which SQLite ends a text, in texts of the given length.
    private func allCharacters(by length: Int) -> [String] {
        let scalars = (1...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }
        return stride(from: 0, to: scalars.count, by: length).map { start in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[start..<min(start + length, scalars.count)])
            return String(text)
        }
    }

    @Test("each code point is a letter, a mark or a separator as in SQLite, and folds to the same letter")
    func words() throws {
        let texts = allCharacters(by: 64)
        #expect(try tokensInSQLite(.words, texts) == texts.map { SearchTokenizer.words.tokens(in: $0).map(\.text) })
    }

    @Test("a mark continues a word, and begins none") func marks() throws {
        let marks = stride(from: 0, to: SearchCharacters.markRanges.count, by: 2).flatMap { row in
            (SearchCharacters.markRanges[row]...SearchCharacters.markRanges[row + 1])
                .compactMap { Unicode.Scalar(UInt32($0)).map(String.init) }
        }
        let texts = marks.flatMap { [$0, "a\($0)b", "a \($0)b", "\($0)a\($0)"] }
        #expect(marks.count == 25)
        #expect(try tokensInSQLite(.words, texts) == texts.map { SearchTokenizer.words.tokens(in: $0).map(\.text) })
    }

    @Test("trigrams fold the case of each code point as SQLite does") func trigrams() throws {
        // One trigram for each three code points: a space would begin others.
        let texts = allCharacters(by: 3).filter { $0.unicodeScalars.first.map { $0.value < 0x1_0000 } ?? false }
        let ours = texts.map { SearchTokenizer.trigrams.tokens(in: $0).map(\.text) }
        #expect(try tokensInSQLite(.trigrams, texts) == ours)
    }

    @Test("tokens have the places of their bytes, diacritics included") func places() {
        let text = "L'E\u{301}cole, 東京x"
        let tokens = SearchTokenizer.words.tokens(in: text)
        #expect(tokens.map(\.text) == ["l", "ecole", "東京x"])
        #expect(
            tokens.map { String(decoding: Array(text.utf8)[$0.bytes], as: UTF8.self) } == ["L", "E\u{301}cole", "東京x"])
        let trigrams = SearchTokenizer.trigrams.tokens(in: "ÉaßB")
        #expect(trigrams.map(\.text) == ["éaß", "aßb"])
        #expect(trigrams.map(\.bytes) == [0..<5, 2..<6])
    }

    @Test("texts without tokens have none") func empty() {
        #expect(SearchTokenizer.words.tokens(in: "").isEmpty)
        #expect(SearchTokenizer.words.tokens(in: " -- \u{301} \0 !").isEmpty)
        #expect(SearchTokenizer.trigrams.tokens(in: "東京").isEmpty)
    }
}
