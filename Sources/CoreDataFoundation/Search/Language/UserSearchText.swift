// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes a query of the text that a person types in a search field.

enum UserSearchText {
    /// A longer text is the content of a clipboard rather than a search.
    static let mostWords = 100
    /// In Unicode scalars. With it, each query of a text is short enough for the language.
    static let longestText = 10_000

    static func syntax(of text: String) -> SearchSyntax? {
        var phrases: [SearchPhrase] = []
        var rest = text.unicodeScalars.prefix(longestText)
        while phrases.count < mostWords {
            rest = rest.drop(while: SearchQueryToken.isSpace)
            guard let first = rest.first else { break }
            if first == "\"" {
                let quoted = rest.dropFirst().prefix { $0 != "\"" }
                rest = rest.dropFirst().dropFirst(quoted.count)
                // An open quotation is a phrase that is still being typed.
                phrases.append(phrase(quoted, isPrefix: rest.isEmpty))
                rest = rest.dropFirst()
            } else {
                let word = rest.prefix { !SearchQueryToken.isSpace($0) && $0 != "\"" }
                rest = rest.dropFirst(word.count)
                phrases.append(phrase(word, isPrefix: rest.allSatisfy(SearchQueryToken.isSpace)))
            }
        }
        phrases.removeAll { $0.text.unicodeScalars.allSatisfy(SearchQueryToken.isSpace) }
        return phrases.isEmpty ? nil : .all(phrases.map(SearchSyntax.phrase))
    }

    private static func phrase(_ scalars: Substring.UnicodeScalarView, isPrefix: Bool) -> SearchPhrase {
        var text = String.UnicodeScalarView()
        for scalar in scalars { text.append(scalar.value == 0 ? " " : scalar) }
        return SearchPhrase(String(text), isPrefix: isPrefix)
    }
}
