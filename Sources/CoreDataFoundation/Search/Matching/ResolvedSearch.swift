// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A search query with the attributes and tokens that each of its parts looks for.

/// A query for the searched attributes of one entity. Indexes are asked with it, and texts are compared with it, so
/// both mean the same.
package indirect enum ResolvedSearch: Hashable, Sendable {
    case terms(SearchTerms)
    /// At least two members.
    case and([ResolvedSearch])
    /// At least two members.
    case or([ResolvedSearch])
    /// The first without the second.
    case not(ResolvedSearch, ResolvedSearch)

    /// All terms, also excluded ones, in the order of the query.
    package var allTerms: [SearchTerms] {
        switch self {
        case .terms(let terms): [terms]
        case .and(let members), .or(let members): members.flatMap(\.allTerms)
        case .not(let wanted, let excluded): wanted.allTerms + excluded.allTerms
        }
    }

    /// The terms that a matching object may contain: those of excluded parts are left out.
    package var wantedTerms: [SearchTerms] {
        switch self {
        case .terms(let terms): [terms]
        case .and(let members), .or(let members): members.flatMap(\.wantedTerms)
        case .not(let wanted, _): wanted.wantedTerms
        }
    }
}

/// One phrase, or phrases near each other, in any of some attributes with the same tokenizer.
package struct SearchTerms: Hashable, Sendable {
    /// The names of attributes, by name; not empty.
    package let columns: [String]
    package let tokenizer: SearchTokenizer
    /// Not empty. All of them occur in one attribute.
    package let phrases: [ResolvedPhrase]
    /// The most tokens between the first and the last of several phrases.
    package let distance: Int

    /// Whether an index of tokens cannot answer: a phrase of fewer than three characters has no trigram.
    package var needsScan: Bool { phrases.contains { $0.tokens.isEmpty } }
}

/// A phrase with its tokens.
package struct ResolvedPhrase: Hashable, Sendable {
    /// The text as written, without NUL.
    package let text: String
    /// Empty only for one or two characters of trigrams, which match as a part of the text.
    package let tokens: [String]
    package let isPrefix: Bool
    package let isInitial: Bool
}

/// An attribute by its name, with its tokenizer.
package struct SearchColumn: Hashable, Sendable {
    package let name: String
    package let tokenizer: SearchTokenizer
    package init(name: String, tokenizer: SearchTokenizer) {
        self.name = name
        self.tokenizer = tokenizer
    }
}

extension SearchQuery {
    /// The query for the attributes of an entity.
    ///
    /// Phrases without tokens say nothing: AND, OR and NEAR are of the other members, and the exclusion of nothing is
    /// left out.
    ///
    /// - Parameter columns: all searched attributes, by name.
    /// - Returns: nil for a query that matches nothing.
    /// - Throws: `SearchColumnError` for a filter with a name that the columns do not have.
    package func resolved(for columns: [SearchColumn]) throws(SearchColumnError) -> ResolvedSearch? {
        try syntax.flatMap { syntax throws(SearchColumnError) in try syntax.resolved(in: columns, of: columns) }
    }
}

/// A filter of a query with a name that is no searched attribute.
package struct SearchColumnError: Error, Hashable, Sendable {
    package let name: String
}

extension SearchSyntax {
    /// - Parameters:
    ///   - columns: those that outer filters let through.
    ///   - all: those that a filter may name.
    fileprivate func resolved(
        in columns: [SearchColumn], of all: [SearchColumn]
    ) throws(SearchColumnError) -> ResolvedSearch? {
        switch self {
        case .phrase(let phrase): return Self.terms([phrase], distance: 0, in: columns)
        case .near(let phrases, let distance): return Self.terms(phrases, distance: distance, in: columns)
        case .and(let members): return Self.joined(try Self.resolved(members, in: columns, of: all), ResolvedSearch.and)
        case .or(let members): return Self.joined(try Self.resolved(members, in: columns, of: all), ResolvedSearch.or)
        case .not(let wanted, let excluded):
            let excluded = try excluded.resolved(in: columns, of: all)
            guard let wanted = try wanted.resolved(in: columns, of: all) else { return nil }
            return excluded.map { .not(wanted, $0) } ?? wanted
        case .columns(let names, let syntax):
            for name in names where !all.contains(where: { $0.name == name }) { throw SearchColumnError(name: name) }
            return try syntax.resolved(in: columns.filter { names.contains($0.name) }, of: all)
        }
    }

    private static func resolved(
        _ members: [SearchSyntax], in columns: [SearchColumn], of all: [SearchColumn]
    ) throws(SearchColumnError) -> [ResolvedSearch] {
        var found: [ResolvedSearch] = []
        for member in members { if let one = try member.resolved(in: columns, of: all) { found.append(one) } }
        return found
    }

    private static func joined(
        _ members: [ResolvedSearch], _ join: ([ResolvedSearch]) -> ResolvedSearch
    ) -> ResolvedSearch? {
        members.count > 1 ? join(members) : members.first
    }

    /// One list of terms for each tokenizer of the columns.
    private static func terms(_ phrases: [SearchPhrase], distance: Int, in columns: [SearchColumn]) -> ResolvedSearch? {
        joined(
            SearchTokenizer.allCases.compactMap { tokenizer in
                let names = columns.filter { $0.tokenizer == tokenizer }.map(\.name)
                let resolved = phrases.compactMap { $0.resolved(with: tokenizer) }
                guard !names.isEmpty, !resolved.isEmpty else { return nil }
                return .terms(
                    SearchTerms(columns: names, tokenizer: tokenizer, phrases: resolved, distance: distance))
            }, ResolvedSearch.or)
    }
}

extension SearchPhrase {
    /// nil for a phrase without tokens.
    fileprivate func resolved(with tokenizer: SearchTokenizer) -> ResolvedPhrase? {
        let tokens = tokenizer.tokens(in: text).map(\.text)
        guard !tokens.isEmpty || (tokenizer == .trigrams && !text.isEmpty) else { return nil }
        return ResolvedPhrase(text: text, tokens: tokens, isPrefix: isPrefix, isInitial: isInitial)
    }
}
