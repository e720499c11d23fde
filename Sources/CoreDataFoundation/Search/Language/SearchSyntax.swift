// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The syntax tree of a search query.

/// The syntax tree of a search query. Lists have at least two members, and no member of a list is a list of the same
/// kind.
package indirect enum SearchSyntax: Hashable, Sendable {
    case phrase(SearchPhrase)
    /// Occurrences of all phrases in one text, with at most so many other tokens between the first and the last.
    case near([SearchPhrase], distance: Int)
    case and([SearchSyntax])
    case or([SearchSyntax])
    /// The first without the second.
    case not(SearchSyntax, SearchSyntax)
    /// A query of only these attributes; inside of another filter, of the attributes that both name.
    case columns([String], SearchSyntax)
}

/// Consecutive tokens.
package struct SearchPhrase: Hashable, Sendable {
    /// The text as written, without NUL. Each searched attribute's tokenizer makes the tokens.
    package var text: String
    /// Whether the last token is the beginning of a token of the text.
    package var isPrefix: Bool
    /// Whether the first token is the first of its text.
    package var isInitial: Bool

    package init(_ text: String, isPrefix: Bool = false, isInitial: Bool = false) {
        self.text = text
        self.isPrefix = isPrefix
        self.isInitial = isInitial
    }
}
