// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Splits texts into the tokens that a search compares.

import Foundation

/// One token of a text.
package struct SearchToken: Hashable, Sendable {
    /// The folded text: equal tokens match.
    package let text: String
    /// The token's bytes in the UTF-8 form of the text, diacritics included.
    package let bytes: Range<Int>
}

/// A way to split texts into tokens. Both ways give the tokens of SQLite's tokenizers, for all texts without NUL.
package enum SearchTokenizer: String, Hashable, Sendable, CaseIterable {
    /// Words without case and diacritics, as `unicode61 remove_diacritics 2` gives them.
    case words
    /// Each three consecutive characters without case, as `trigram` gives them: for languages without spaces.
    case trigrams = "trigram"

    /// FTS5 keeps this many bytes of a token.
    static let longestToken = 32_768

    /// The tokens in the order of the text. A token's index is its position.
    package func tokens(in text: String) -> [SearchToken] {
        switch self {
        case .words: Self.words(in: text)
        case .trigrams: Self.trigrams(in: text)
        }
    }

    private static func words(in text: String) -> [SearchToken] {
        var tokens: [SearchToken] = []
        var word = String.UnicodeScalarView()
        var (start, place) = (0, 0)
        func endWord() {
            guard !word.isEmpty else { return }
            tokens.append(SearchToken(text: shortened(String(word)), bytes: start..<place))
            word = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            if let folded = wordScalar(scalar) {
                if word.isEmpty { start = place }
                word.append(folded)
            } else if word.isEmpty || !SearchCharacters.isMark(scalar.value) {
                endWord()
            }
            place += UTF8.width(scalar)
        }
        endWord()
        return tokens
    }

    /// The folded form of a letter; nil for any other character.
    private static func wordScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x61...0x7A, 0x30...0x39: return scalar
        case 0x41...0x5A: return Unicode.Scalar(UInt8(scalar.value + 0x20))
        case 0..<0x80: return nil
        case let code:
            guard SearchCharacters.isLetter(code) else { return nil }
            return Unicode.Scalar(SearchCharacters.wordFolding(code)) ?? scalar
        }
    }

    private static func trigrams(in text: String) -> [SearchToken] {
        let (folded, places) = characters(of: text)
        guard folded.count >= 3 else { return [] }
        return (0..<folded.count - 2).map { index in
            var token = String.UnicodeScalarView()
            token.append(contentsOf: folded[index..<index + 3])
            return SearchToken(text: String(token), bytes: places[index]..<places[index + 3])
        }
    }

    /// The characters of a text without case, except NUL, with their places in the UTF-8 form and its end.
    static func characters(of text: String) -> (folded: [Unicode.Scalar], places: [Int]) {
        var (folded, places): ([Unicode.Scalar], [Int]) = ([], [])
        var place = 0
        for scalar in text.unicodeScalars {
            if scalar.value != 0 {
                folded.append(Unicode.Scalar(SearchCharacters.caseFolding(scalar.value)) ?? scalar)
                places.append(place)
            }
            place += UTF8.width(scalar)
        }
        places.append(place)
        return (folded, places)
    }

    private static func shortened(_ token: String) -> String {
        guard token.utf8.count > longestToken else { return token }
        return String(decoding: token.utf8.prefix(longestToken), as: UTF8.self)
    }
}
