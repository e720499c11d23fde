// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the rows that may match a full-text search, without reading the texts of the others. Search-X1 to X3.

import CoreDataFoundation
import Foundation

/// An inverted index of the rows below one root entity, for stores with their rows in memory.
///
/// # Invariants
/// (1) An entry is valid for the snapshot that it was made of. Stores replace snapshots and never change them, so a row
/// with another snapshot is indexed again, and no save has to report its changes.
/// (2) The rows with a token are at least those whose present text has it. Entries of earlier snapshots may add others,
/// because each row that the index finds is evaluated.
struct SearchIndex {
    private struct Token: Hashable {
        let text: String
        let tokenizer: SearchTokenizer
    }

    private var snapshots: [Int64: Snapshot] = [:]
    private var rows: [Token: Set<Int64>] = [:]
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
        for row in candidates where snapshots[row.key] !== row.snapshot {
            snapshots[row.key] = row.snapshot
            indexedCount += 1
            add(row)
        }
    }

    private mutating func add(_ row: FetchedRow) {
        let layout = row.snapshot.layout
        for column in layout.objectColumns {
            guard let slot = layout.slot(column.name), let text = row.snapshot.value(slot) as? String else { continue }
            for token in column.tokenizer.tokens(in: text) {
                let place = Token(text: token.text, tokenizer: column.tokenizer)
                if rows[place] == nil, column.tokenizer == .words { sortedWords = nil }
                rows[place, default: []].insert(row.key)
            }
        }
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
}
