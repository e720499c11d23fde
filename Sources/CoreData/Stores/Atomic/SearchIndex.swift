// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the rows that may match a full-text search, without reading the texts of the others. Search-X1 to X4.

import CoreDataFoundation
import Foundation

/// An inverted index of the rows below one root entity, for stores with their rows in memory.
///
/// # Invariants
/// (1) An entry is valid for the snapshot that it was made of. Stores replace snapshots and never change them, so a row
/// with another snapshot is indexed again, and no save has to report its changes.
/// (2) The rows with a token are at least those whose present text has it. Entries of earlier snapshots may add others,
/// because each row that the index finds is evaluated.
/// (3) The numbers of tokens are those of the present entries, each counted once.
struct SearchIndex {
    private struct Token: Hashable {
        let text: String
        let tokenizer: SearchTokenizer
    }

    private struct Entry {
        let snapshot: Snapshot
        let lengths: Lengths
    }

    /// Numbers of tokens.
    private struct Lengths {
        var words = 0
        var trigrams = 0

        subscript(tokenizer: SearchTokenizer) -> Int {
            get { tokenizer == .words ? words : trigrams }
            set { if tokenizer == .words { words = newValue } else { trigrams = newValue } }
        }
    }

    private var entries: [Int64: Entry] = [:]
    /// Those of all entries.
    private var lengths = Lengths()
    private var rows: [Token: Set<Int64>] = [:]
    /// The searched attributes of each entity, with their slots.
    private var columns: [Int: [(column: SearchColumn, slot: Int)]] = [:]
    /// All words, for beginnings; nil if words were added since.
    private var sortedWords: [String]?
    /// The number of rows that were indexed since the index was made, some of them again.
    private(set) var indexedCount = 0

    /// Brings the index up to the given rows.
    ///
    /// - Parameter rowCount: the number of all rows below the root.
    mutating func update(_ candidates: [FetchedRow], of rowCount: Int) {
        // Changed and deleted rows are left in the lists. When they outnumber the others, the lists begin again.
        if indexedCount > 2 * rowCount + 1_000 { self = SearchIndex() }
        for row in candidates where entries[row.key]?.snapshot !== row.snapshot {
            remove(row.key)
            indexedCount += 1
            add(row)
        }
    }

    private mutating func add(_ row: FetchedRow) {
        var added = Lengths()
        for (column, slot) in columns(of: row.snapshot.layout) {
            guard let text = row.snapshot.value(slot) as? String else { continue }
            let tokens = column.tokenizer.tokens(in: text)
            added[column.tokenizer] += tokens.count
            for token in tokens {
                let place = Token(text: token.text, tokenizer: column.tokenizer)
                if rows[place] == nil, column.tokenizer == .words { sortedWords = nil }
                rows[place, default: []].insert(row.key)
            }
        }
        entries[row.key] = Entry(snapshot: row.snapshot, lengths: added)
        for tokenizer in SearchTokenizer.allCases { lengths[tokenizer] += added[tokenizer] }
    }

    /// Leaves the row in the lists of its tokens: invariant 2.
    private mutating func remove(_ key: Int64) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        for tokenizer in SearchTokenizer.allCases { lengths[tokenizer] -= entry.lengths[tokenizer] }
    }

    private mutating func columns(of layout: EntityLayout) -> [(column: SearchColumn, slot: Int)] {
        if let known = columns[layout.index] { return known }
        let found = layout.objectColumns.compactMap { column in layout.slot(column.name).map { (column, $0) } }
        columns[layout.index] = found
        return found
    }

    /// The rows that may match; nil for all rows.
    mutating func keys(matching search: ResolvedSearch) -> Set<Int64>? {
        switch search {
        case .terms(let terms): return keys(matching: terms)
        case .and(let members):
            var found: Set<Int64>?
            for member in members {
                guard let keys = keys(matching: member) else { continue }
                found = found.map { $0.intersection(keys) } ?? keys
            }
            return found
        case .or(let members):
            var found: Set<Int64> = []
            for member in members {
                guard let keys = keys(matching: member) else { return nil }
                found.formUnion(keys)
            }
            return found
        case .not(let wanted, _): return keys(matching: wanted)
        }
    }

    private mutating func keys(matching terms: SearchTerms) -> Set<Int64>? {
        if terms.needsScan { return nil }
        var found: Set<Int64>?
        for phrase in terms.phrases {
            for (index, token) in phrase.tokens.enumerated() {
                let isBeginning = phrase.isPrefix && index == phrase.tokens.count - 1 && terms.tokenizer == .words
                let keys =
                    isBeginning
                    ? keys(beginning: token) : rows[Token(text: token, tokenizer: terms.tokenizer)] ?? []
                found = found.map { $0.intersection(keys) } ?? keys
                if found?.isEmpty == true { return found }
            }
        }
        return found
    }

    private mutating func keys(beginning: String) -> Set<Int64> {
        let words = sortedWords ?? rows.keys.filter { $0.tokenizer == .words }.map(\.text).sorted(by: Self.precedes)
        sortedWords = words
        var found: Set<Int64> = []
        var place = BinarySearch.first(of: words.count) { !Self.precedes(words[$0], beginning) }
        while place < words.count, words[place].utf8.starts(with: beginning.utf8) {
            found.formUnion(rows[Token(text: words[place], tokenizer: .words)] ?? [])
            place += 1
        }
        return found
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    // MARK: Statistics

    /// Counts rows and tokens of a search. Only rows with the words of a phrase are read for the number of rows that
    /// have it.
    ///
    /// - Parameter present: all rows below the root, which the index must have been brought up to.
    mutating func statistics(
        of search: ResolvedSearch, in present: [Int64: Snapshot]
    ) throws -> SearchStatistics {
        // Without deleted rows there are as many entries as rows.
        if entries.count > present.count {
            for key in entries.keys.filter({ present[$0] == nil }) { remove(key) }
        }
        let counts = SearchTokenizer.allCases.map { ($0, lengths[$0]) }
        return try SearchStatistics(
            search, rowCount: present.count,
            tokenCounts: Dictionary(counts, uniquingKeysWith: { first, _ in first })
        ) { phrase in
            let keys = keys(matching: .terms(phrase))
            let candidates = keys.map { $0.compactMap { present[$0] } } ?? Array(present.values)
            var found = 0
            for row in candidates where try texts(of: row).matches(.terms(phrase)) { found += 1 }
            return found
        }
    }

    private mutating func texts(of row: Snapshot) -> SearchedTexts {
        let columns = columns(of: row.layout)
        return SearchedTexts { wanted in
            columns.first { $0.column == wanted }.flatMap { row.value($0.slot) as? String }
        }
    }
}
