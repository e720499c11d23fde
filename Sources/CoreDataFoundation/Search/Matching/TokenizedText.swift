// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tokens of one text, and the places of phrases among them.

/// A text as a tokenizer splits it. Positions are indexes of tokens; those of trigrams are indexes of characters.
package struct TokenizedText {
    package let tokenizer: SearchTokenizer
    /// Empty for trigrams, which are compared by their characters.
    private let words: [SearchToken]
    /// Empty for words.
    private let characters: [Unicode.Scalar]
    private let places: [Int]

    package init(_ text: String, _ tokenizer: SearchTokenizer) {
        self.tokenizer = tokenizer
        switch tokenizer {
        case .words:
            words = tokenizer.tokens(in: text)
            (characters, places) = ([], [])
        case .trigrams:
            words = []
            (characters, places) = SearchTokenizer.characters(of: text)
        }
    }

    /// The number of tokens.
    package var count: Int {
        switch tokenizer {
        case .words: words.count
        case .trigrams: max(0, characters.count - 2)
        }
    }

    /// The positions at which a phrase begins, in ascending order.
    package func starts(of phrase: ResolvedPhrase) -> [Int] {
        let pattern = Pattern(phrase, tokenizer)
        let last = (tokenizer == .words ? words.count : characters.count) - pattern.length
        guard last >= 0 else { return [] }
        return (0...(phrase.isInitial ? 0 : last)).filter { occurs(pattern, at: $0) }
    }

    private func occurs(_ pattern: Pattern, at start: Int) -> Bool {
        guard tokenizer == .words else {
            return pattern.characters.indices.allSatisfy { characters[start + $0] == pattern.characters[$0] }
        }
        for (index, token) in pattern.tokens.enumerated() {
            let word = words[start + index].text
            let isLast = index == pattern.tokens.count - 1
            guard isLast && pattern.isPrefix ? Self.begins(word, token) : Self.isSame(word, token) else { return false }
        }
        return true
    }

    // Bytes, as in an index: strings would be compared by their canonical form.
    private static func isSame(_ word: String, _ token: String) -> Bool { word.utf8.elementsEqual(token.utf8) }

    private static func begins(_ word: String, _ beginning: String) -> Bool { word.utf8.starts(with: beginning.utf8) }

    /// The bytes of some units: words, or characters of trigrams.
    ///
    /// - Parameter units: not empty.
    package func bytes(ofUnits units: Range<Int>) -> Range<Int> {
        switch tokenizer {
        case .words: words[units.lowerBound].bytes.lowerBound..<words[units.upperBound - 1].bytes.upperBound
        case .trigrams: places[units.lowerBound]..<places[units.upperBound]
        }
    }

    /// The number of units that positions count.
    package var unitCount: Int { tokenizer == .words ? words.count : characters.count }

    /// The number of tokens of a phrase, by which NEAR counts distances.
    static func tokenCount(of phrase: ResolvedPhrase) -> Int { max(1, phrase.tokens.count) }

    /// The number of words, or characters of trigrams, of a phrase.
    package static func unitCount(of phrase: ResolvedPhrase, _ tokenizer: SearchTokenizer) -> Int {
        Pattern(phrase, tokenizer).length
    }

    /// The units of a phrase.
    private struct Pattern {
        let tokens: [String]
        let characters: [Unicode.Scalar]
        let isPrefix: Bool
        var length: Int { max(tokens.count, characters.count) }

        init(_ phrase: ResolvedPhrase, _ tokenizer: SearchTokenizer) {
            tokens = tokenizer == .words ? phrase.tokens : []
            characters = tokenizer == .words ? [] : SearchTokenizer.characters(of: phrase.text).folded
            isPrefix = phrase.isPrefix
        }
    }
}

extension TokenizedText {
    /// The positions of each phrase of some terms; nil if the text does not match. Of phrases near each other only
    /// occurrences within the distance count.
    package func occurrences(of terms: SearchTerms) -> [[Int]]? {
        var lists: [[Int]] = []
        for phrase in terms.phrases {
            let starts = starts(of: phrase)
            if starts.isEmpty { return nil }
            lists.append(starts)
        }
        if lists.count == 1 { return lists }
        let reaches = terms.phrases.map { Self.tokenCount(of: $0) + terms.distance }
        let near = Self.near(lists, reaches)
        return near[0].isEmpty ? nil : near
    }

    /// The members of ascending lists that are near each other.
    ///
    /// One member of each list is current. If each is at most its list's reach before the latest one, they are near.
    /// Then the earliest one gives way to its successor.
    ///
    /// - Parameter reaches: how far a phrase may begin before the phrase that begins last.
    private static func near(_ lists: [[Int]], _ reaches: [Int]) -> [[Int]] {
        var found = lists.map { _ in [Int]() }
        var current = lists.map { _ in 0 }
        while true {
            var latest = lists.indices.map { lists[$0][current[$0]] }.max() ?? 0
            var isSettled = false
            while !isSettled {
                isSettled = true
                for list in lists.indices {
                    while lists[list][current[list]] < latest - reaches[list] {
                        current[list] += 1
                        if current[list] == lists[list].count { return found }
                    }
                    if lists[list][current[list]] > latest {
                        latest = lists[list][current[list]]
                        isSettled = false
                    }
                }
            }
            var earliest = 0
            for list in lists.indices {
                let position = lists[list][current[list]]
                if found[list].last != position { found[list].append(position) }
                if position < lists[earliest][current[earliest]] { earliest = list }
            }
            current[earliest] += 1
            if current[earliest] == lists[earliest].count { return found }
        }
    }
}
