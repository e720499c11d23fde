// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares a search with the texts of one object.

/// The texts of one object, each split into tokens when a term first needs it.
package final class SearchedTexts {
    private let read: (SearchColumn) throws -> String?
    private var known: [SearchColumn: TokenizedText?] = [:]

    /// - Parameter read: the text of an attribute; nil for an object without it, or without a value.
    package init(_ read: @escaping (SearchColumn) throws -> String?) { self.read = read }

    package func matches(_ search: ResolvedSearch) throws -> Bool {
        switch search {
        case .terms(let terms): return try terms.columns.contains { try occurrences(of: terms, in: $0) != nil }
        case .and(let members): return try members.allSatisfy(matches)
        case .or(let members): return try members.contains(where: matches)
        case .not(let wanted, let excluded): return try matches(wanted) && !matches(excluded)
        }
    }

    /// The positions of each phrase of some terms in an attribute; nil if it does not match.
    package func occurrences(of terms: SearchTerms, in column: String) throws -> [[Int]]? {
        try text(of: SearchColumn(name: column, tokenizer: terms.tokenizer))?.occurrences(of: terms)
    }

    /// The tokens of an attribute; nil without a value.
    package func text(of column: SearchColumn) throws -> TokenizedText? {
        if let text = known[column] { return text }
        let text = try read(column).map { TokenizedText($0, column.tokenizer) }
        known.updateValue(text, forKey: column)
        return text
    }
}
