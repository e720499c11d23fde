// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Splits the text of a search query into words, quoted texts and symbols.

import Foundation

/// One part of a query's text, with its position in Unicode scalars.
struct SearchQueryToken {
    enum Kind: Equatable {
        case word(String)
        /// A text between quotation marks; two of them inside mean one.
        case quoted(String)
        case symbol(Unicode.Scalar)
        case end
    }

    let kind: Kind
    let offset: Int
    /// Whether no space separates this token from the one before.
    let isAttached: Bool

    static let symbols: Set<Unicode.Scalar> = ["(", ")", "{", "}", ":", "*", "^", ","]

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || scalar.value == 0 }

    /// For messages.
    var spelling: String {
        switch kind {
        case .word(let word): "\"\(word)\""
        case .quoted: "a quoted text"
        case .symbol(let symbol): "\"\(symbol)\""
        case .end: "the end"
        }
    }

    /// The tokens of a text; the last one is the end.
    static func tokens(of text: String) throws(SearchQueryError) -> [SearchQueryToken] {
        let scalars = Array(text.unicodeScalars)
        var tokens: [SearchQueryToken] = []
        var place = 0
        var previousEnd = -1
        while place < scalars.count {
            let start = place
            guard !isSpace(scalars[place]) else {
                place += 1
                continue
            }
            let kind: Kind
            if symbols.contains(scalars[place]) {
                kind = .symbol(scalars[place])
                place += 1
            } else if scalars[place] == "\"" {
                guard let quoted = quotation(in: scalars, from: &place) else {
                    throw SearchQueryError(message: "The quotation mark has no second one.", offset: start, text: text)
                }
                kind = .quoted(quoted)
            } else {
                kind = .word(word(in: scalars, from: &place))
            }
            tokens.append(SearchQueryToken(kind: kind, offset: start, isAttached: start == previousEnd))
            previousEnd = place
        }
        tokens.append(SearchQueryToken(kind: .end, offset: place, isAttached: false))
        return tokens
    }

    private static func word(in scalars: [Unicode.Scalar], from place: inout Int) -> String {
        var word = String.UnicodeScalarView()
        while place < scalars.count, !isSpace(scalars[place]), scalars[place] != "\"",
            !symbols.contains(scalars[place])
        {
            word.append(scalars[place])
            place += 1
        }
        return String(word)
    }

    /// The text between the mark at the place and its second one; nil without a second one. Moves behind it.
    private static func quotation(in scalars: [Unicode.Scalar], from place: inout Int) -> String? {
        var text = String.UnicodeScalarView()
        place += 1
        while place < scalars.count {
            let scalar = scalars[place]
            place += 1
            if scalar == "\"" {
                guard place < scalars.count, scalars[place] == "\"" else { return String(text) }
                place += 1
            }
            // SQLite ends a query at NUL, which belongs to no word anyway.
            text.append(scalar.value == 0 ? " " : scalar)
        }
        return nil
    }
}
