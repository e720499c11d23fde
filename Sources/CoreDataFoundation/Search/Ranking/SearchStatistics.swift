// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows of a search, and computes the relevance of a row.

import Foundation

/// What the relevance of a row depends on besides its own texts: how many rows there are, how long they are, and how
/// many of them have each phrase.
package struct SearchStatistics {
    private let search: ResolvedSearch
    private var rowCount = 0
    private var tokenCounts: [SearchTokenizer: Int] = [:]
    /// The number of rows that have a phrase, for each phrase that counts.
    private var hits: [SearchTerms: Int]

    /// Statistics without rows.
    package init(_ search: ResolvedSearch) {
        self.search = search
        let phrases = search.wantedTerms.flatMap { terms in terms.phrases.map(terms.only) }
        hits = Dictionary(phrases.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Statistics that an index has.
    ///
    /// - Parameters:
    ///   - tokenCounts: for each tokenizer of the search.
    ///   - hits: the number of rows that have a phrase, which is the only one of its terms.
    package init(
        _ search: ResolvedSearch, rowCount: Int, tokenCounts: [SearchTokenizer: Int], hits: (SearchTerms) throws -> Int
    ) rethrows {
        self.init(search)
        (self.rowCount, self.tokenCounts) = (rowCount, tokenCounts)
        for phrase in self.hits.keys { self.hits[phrase] = try hits(phrase) }
    }

    /// Counts a row.
    ///
    /// - Parameter columns: the searched attributes of the row.
    package mutating func add(_ texts: SearchedTexts, _ columns: [SearchColumn]) throws {
        rowCount += 1
        for column in columns { tokenCounts[column.tokenizer, default: 0] += try texts.text(of: column)?.count ?? 0 }
        for phrase in hits.keys where try texts.matches(.terms(phrase)) { hits[phrase, default: 0] += 1 }
    }

    /// Counts the rows of another store.
    ///
    /// - Parameter others: of the same search.
    package mutating func add(_ others: SearchStatistics) {
        rowCount += others.rowCount
        tokenCounts.merge(others.tokenCounts, uniquingKeysWith: +)
        hits.merge(others.hits, uniquingKeysWith: +)
    }

    /// The relevance of a matching row: bm25 as FTS5 computes it, with k1 = 1.2 and b = 0.75, but greater for better
    /// rows.
    ///
    /// - Parameter columns: the searched attributes of the row.
    package func relevance(of texts: SearchedTexts, _ columns: [SearchColumn]) throws -> Double {
        let (saturation, lengthWeight) = (1.2, 0.75)
        var lengths: [SearchTokenizer: Int] = [:]
        for column in columns { lengths[column.tokenizer, default: 0] += try texts.text(of: column)?.count ?? 0 }
        var sum = 0.0
        for terms in try texts.matchingTerms(of: search) {
            let average = Double(tokenCounts[terms.tokenizer] ?? 0) / Double(max(rowCount, 1))
            let length = average > 0 ? Double(lengths[terms.tokenizer] ?? 0) / average : 1
            for (phrase, frequency) in zip(terms.phrases, try texts.frequencies(of: terms)) where frequency > 0 {
                let count = Double(frequency)
                let norm = count + saturation * (1 - lengthWeight + lengthWeight * length)
                sum += weight(hits[terms.only(phrase)] ?? 0) * count * (saturation + 1) / norm
            }
        }
        return sum
    }

    /// How much an occurrence of a phrase counts that so many rows have.
    private func weight(_ rows: Int) -> Double {
        // A phrase that half of the rows have would count nothing, or less.
        let weight = log((Double(rowCount - rows) + 0.5) / (Double(rows) + 0.5))
        return weight > 0 ? weight : 1e-6
    }
}

extension SearchedTexts {
    /// How often each phrase of some terms occurs.
    fileprivate func frequencies(of terms: SearchTerms) throws -> [Int] {
        var counts = [Int](repeating: 0, count: terms.phrases.count)
        for column in terms.columns {
            for (index, positions) in (try occurrences(of: terms, in: column) ?? []).enumerated() {
                counts[index] += positions.count
            }
        }
        return counts
    }

    /// The terms that make the object match: those of the alternatives that hold.
    package func matchingTerms(of search: ResolvedSearch) throws -> [SearchTerms] {
        switch search {
        case .terms(let terms): return try matches(search) ? [terms] : []
        case .and(let members): return try matches(search) ? members.flatMap { try matchingTerms(of: $0) } : []
        case .or(let members): return try members.flatMap { try matchingTerms(of: $0) }
        case .not(let wanted, _): return try matches(search) ? matchingTerms(of: wanted) : []
        }
    }
}

extension SearchTerms {
    /// One of the phrases by itself, near the others or not.
    fileprivate func only(_ phrase: ResolvedPhrase) -> SearchTerms {
        SearchTerms(columns: columns, tokenizer: tokenizer, phrases: [phrase], distance: 0)
    }
}
