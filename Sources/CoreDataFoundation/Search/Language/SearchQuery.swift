// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A query of full-text search.

import Foundation

/// A query of full-text search, in a language or as a person types it.
///
/// ```swift
/// let query = try SearchQuery(#"swift AND (linux OR "open source") NOT title: draft"#)
/// let typed = SearchQuery(userText: "open sour")  // the word "open", and a word that begins with "sour"
/// ```
///
/// | text | meaning |
/// |---|---|
/// | `open source` | both words, anywhere in the searched attributes |
/// | `"open source"` | the words side by side |
/// | `sour*` | words that begin with "sour"; also after a quoted text |
/// | `^open` | an attribute that begins with "open" |
/// | `a AND b`, `a OR b`, `a NOT b` | NOT binds strongest, then AND, then OR; parentheses group |
/// | `NEAR(open source, 3)` | both words, at most 3 other words between them; 10 without a number |
/// | `title: swift`, `{title body}: (a OR b)` | only in these attributes |
///
/// Case and diacritics make no difference: "ecole" finds "École". Words without letters and digits say nothing, and
/// are ignored.
public struct SearchQuery: Sendable, Hashable, CustomStringConvertible {
    /// nil for a query without words, which matches nothing.
    package let syntax: SearchSyntax?

    package init(_ syntax: SearchSyntax?) { self.syntax = syntax }

    /// Parses the language.
    ///
    /// - Parameter text: at most 65,536 bytes of UTF-8, 1,000 words and 25 nested parentheses. An empty text is a query
    ///   that matches nothing.
    /// - Throws: `SearchQueryError`, with the position.
    public init(_ text: String) throws(SearchQueryError) { syntax = try SearchQueryParser.parse(text) }

    /// Makes a query of the text of a search field. Never fails.
    ///
    /// Each word must occur, the last one as the beginning of a word. Texts between quotation marks are phrases.
    /// Everything else is text: operators, parentheses and colons have no meaning here.
    ///
    /// - Parameter userText: words after the 100th, and characters after the 10,000th, are ignored.
    public init(userText: String) { syntax = UserSearchText.syntax(of: userText) }

    /// Whether the query has no words, and so matches nothing. An app may then show the whole list.
    public var isEmpty: Bool { syntax == nil }

    /// The query in the language; `init(_:)` makes an equal query of it.
    public var description: String { syntax?.description ?? "" }
}
