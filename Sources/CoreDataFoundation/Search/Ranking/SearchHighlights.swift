// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the parts of a text that make it match, and the part of it that has most of them.

import Foundation

/// The occurrences of a search's phrases in one text.
package struct SearchHighlights {
    private let source: String
    private let text: TokenizedText
    /// Units of the text, in ascending order. No two of them overlap.
    private let matches: [Range<Int>]

    /// - Parameter terms: those that make the object match.
    package init(_ source: String, _ column: SearchColumn, _ terms: [SearchTerms]) {
        self.source = source
        text = TokenizedText(source, column.tokenizer)
        var found: [Range<Int>] = []
        for terms in terms where terms.tokenizer == column.tokenizer && terms.columns.contains(column.name) {
            for (phrase, starts) in zip(terms.phrases, text.occurrences(of: terms) ?? []) {
                let length = TokenizedText.unitCount(of: phrase, column.tokenizer)
                found += starts.map { $0..<($0 + length) }
            }
        }
        matches = Self.merged(found)
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound < last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    package var ranges: [Range<String.Index>] { matches.map { range($0) } }

    private func range(_ units: Range<Int>) -> Range<String.Index> {
        let bytes = text.bytes(ofUnits: units)
        let utf8 = source.utf8
        return utf8.index(
            utf8.startIndex, offsetBy: bytes.lowerBound)..<utf8.index(
                utf8.startIndex, offsetBy: bytes.upperBound)
    }

    /// The part of the text with the most matches, of at most so many words or characters, with "…" where the text goes
    /// on.
    ///
    /// - Returns: nil for a text without words.
    package func snippet(of length: Int) -> (text: String, highlights: [Range<String.Index>])? {
        let count = text.unitCount
        guard count > 0, length > 0 else { return nil }
        let units = excerpt(of: length)
        let start = units.lowerBound == 0 ? 0 : text.bytes(ofUnits: units).lowerBound
        let end = units.upperBound == count ? source.utf8.count : text.bytes(ofUnits: units).upperBound
        let (before, after) = (start == 0 ? "" : "…", end == source.utf8.count ? "" : "…")
        let utf8 = source.utf8
        let part = source[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)]
        let snippet = before + part + after
        let highlights = matches.filter { units.contains($0.lowerBound) && $0.upperBound <= units.upperBound }
        return (
            snippet,
            highlights.map { match in
                let bytes = text.bytes(ofUnits: match)
                let shift = before.utf8.count - start
                return snippet.utf8.index(
                    snippet.startIndex, offsetBy: bytes.lowerBound + shift)..<snippet.utf8.index(
                        snippet.startIndex, offsetBy: bytes.upperBound + shift)
            }
        )
    }

    private func excerpt(of length: Int) -> Range<Int> {
        let count = text.unitCount
        if count <= length { return 0..<count }
        func inside(_ start: Int) -> [Range<Int>] {
            matches.filter { $0.lowerBound >= start && $0.upperBound <= start + length }
        }
        // The part begins at a match; without matches it is the beginning of the text.
        var best: [Range<Int>] = []
        for match in matches {
            let found = inside(match.lowerBound)
            if found.count > best.count { best = found }
        }
        guard let first = best.first, let last = best.last else { return 0..<length }
        // The matches are in the middle, because the words before them explain them.
        let room = length - (last.upperBound - first.lowerBound)
        let start = max(0, min(first.lowerBound - (room + 1) / 2, count - length))
        return start..<start + length
    }
}
