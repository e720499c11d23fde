// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the tokens of rows as the server's vectors.

import CoreData
import CoreDataFoundation
import PostgreSQLDriver

/// A token with its column, as the server keeps it: `2:garden` is `garden` in the third column. Bytes are compared.
enum Lexeme {
    /// The server keeps at most 2,046 bytes. Longer tokens are cut, so some other tokens are taken for them: candidates
    /// are evaluated anyway.
    static let most = 500

    /// Whether the lexeme of a token is that of other tokens as well.
    static func isCut(_ token: String) -> Bool { token.utf8.count > most }

    /// Appends the lexeme in the quotation marks of vectors and queries.
    ///
    /// - Returns: the number of its bytes.
    @discardableResult
    static func append(_ token: String, column: Int, to text: inout [UInt8]) -> Int {
        text.append(UInt8(ascii: "'"))
        let before = text.count
        text += String(column).utf8
        text.append(UInt8(ascii: ":"))
        var extra = 0
        for byte in kept(token) {
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") {
                text.append(byte)
                extra += 1
            }
            text.append(byte)
        }
        let length = text.count - before - extra
        text.append(UInt8(ascii: "'"))
        return length
    }

    /// The first bytes, without a part of a character.
    private static func kept(_ token: String) -> Substring.UTF8View {
        guard isCut(token) else { return token[...].utf8 }
        var end = token.utf8.index(token.utf8.startIndex, offsetBy: most)
        while token.utf8[end] & 0xC0 == 0x80 { end = token.utf8.index(before: end) }
        return token.utf8[..<end]
    }
}

/// The tokens of one row.
struct TokenizedRow {
    /// The server's vectors have at most 1,048,575 bytes.
    private static let mostBytes = 1_000_000

    private(set) var words = 0
    private(set) var trigrams = 0
    private var text: [UInt8] = []
    private var bytes = 0

    mutating func add(_ value: String, _ column: SearchTable.Column, at place: Int) {
        let tokens = column.tokenizer.tokens(in: value)
        switch column.tokenizer {
        case .words: words += tokens.count
        case .trigrams: trigrams += tokens.count
        }
        for token in tokens where bytes <= Self.mostBytes {
            bytes += Lexeme.append(token.text, column: place, to: &text)
            text.append(UInt8(ascii: " "))
        }
    }

    /// The vector as text; nil if it is too long for the server. The row is then a candidate of each search.
    var vector: String? { bytes > Self.mostBytes ? nil : String(decoding: text, as: UTF8.self) }
}

/// Rows of one table with their tokens, for one statement.
struct TokenizedRows {
    static let mostRows = 1_000

    let index: SearchTable
    private var keys = ArrayBuilder(of: TypeNumber.int64)
    private var vectors = ArrayBuilder(of: TypeNumber.text)
    private var words = ArrayBuilder(of: TypeNumber.int64)
    private var trigrams = ArrayBuilder(of: TypeNumber.int64)
    private(set) var count = 0

    init(_ index: SearchTable) { self.index = index }

    mutating func append(_ key: Int64, _ row: TokenizedRow) {
        keys.append(key)
        if let vector = row.vector { vectors.append(vector) } else { vectors.appendNull() }
        words.append(Int64(row.words))
        trigrams.append(Int64(row.trigrams))
        count += 1
    }

    private var values: [Parameter] { [keys.parameter, vectors.parameter, words.parameter, trigrams.parameter] }
    private static let source =
        "(SELECT k, CAST(v AS tsvector) AS v, w::integer AS w, g::integer AS g "
        + "FROM unnest($1, $2, $3, $4) AS a(k, v, w, g)) AS u"

    /// Makes the entries known. No two statements wait for each other, because the rows are in the order of their keys,
    /// or are locked.
    var writing: Statement {
        Statement(
            "INSERT INTO \(index.sql) (id, tokens, words, trigrams) SELECT k, v, w, g FROM \(Self.source) "
                + "ON CONFLICT (id) DO UPDATE SET tokens = excluded.tokens, words = excluded.words, trigrams = excluded.trigrams",
            values
        )
    }

    /// The keys of the known entries with other tokens than these.
    var differing: Statement {
        Statement(
            "SELECT s.id FROM \(index.sql) AS s JOIN \(Self.source) ON u.k = s.id WHERE s.words IS NOT NULL "
                + "AND (s.tokens, s.words, s.trigrams) IS DISTINCT FROM (u.v, u.w, u.g) ORDER BY 1", values)
    }
}
