// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a search as a query of the server that finds at least the rows that match.

import CoreData
import CoreDataFoundation

/// The text of a query for the server that at least the rows of a search match (ServerSearch-4): it has no order, no
/// distance and no exclusion.
struct CandidateQuery {
    /// The server parses and runs a query recursively.
    private static let mostLexemes = 1_000

    let index: SearchTable

    /// - Throws: `NotTranslatable` for attributes and phrases that the index does not have.
    func text(_ search: ResolvedSearch) throws -> String {
        var (text, count): ([UInt8], Int) = ([], 0)
        try append(search, to: &text, &count)
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether exactly the rows of the query match the terms: a single word, or three characters.
    static func isExact(_ terms: SearchTerms) -> Bool {
        guard terms.phrases.count == 1, let phrase = terms.phrases.first, phrase.tokens.count == 1 else { return false }
        return !phrase.isInitial && !phrase.tokens.contains(where: Lexeme.isCut)
    }

    private func append(_ search: ResolvedSearch, to text: inout [UInt8], _ count: inout Int) throws {
        switch search {
        case .terms(let terms): try append(terms, to: &text, &count)
        case .and(let members):
            try append(members, " & ", to: &text, &count) { try append($0, to: &$1, &$2) }
        case .or(let members):
            try append(members, " | ", to: &text, &count) { try append($0, to: &$1, &$2) }
        case .not(let wanted, _): try append(wanted, to: &text, &count)
        }
    }

    /// All tokens in one of the columns.
    private func append(_ terms: SearchTerms, to text: inout [UInt8], _ count: inout Int) throws {
        if terms.needsScan {
            throw NotTranslatable(reason: "texts of fewer than three characters have no trigram")
        }
        let places = try terms.columns.flatMap { name in
            guard let places = index.places(of: name, terms.tokenizer) else {
                throw NotTranslatable(reason: "the full-text index does not have '\(name)'")
            }
            return places
        }
        let tokens = terms.phrases.flatMap { phrase in
            phrase.tokens.enumerated().map { place, token in
                (token, phrase.isPrefix && place == phrase.tokens.count - 1 && terms.tokenizer == .words)
            }
        }
        try append(Set(places).sorted(), " | ", to: &text, &count) { place, text, count in
            try append(tokens, " & ", to: &text, &count) { token, text, count in
                Lexeme.append(token.0, column: place, to: &text)
                if token.1 { text += ":*".utf8 }
                count += 1
                if count > Self.mostLexemes { throw NotTranslatable(reason: "a search of very many words") }
            }
        }
    }

    private func append<Member>(
        _ members: [Member], _ separator: String, to text: inout [UInt8], _ count: inout Int,
        _ member: (Member, inout [UInt8], inout Int) throws -> Void
    ) throws {
        text.append(UInt8(ascii: "("))
        for (place, one) in members.enumerated() {
            if place > 0 { text += separator.utf8 }
            try member(one, &text, &count)
        }
        text.append(UInt8(ascii: ")"))
    }
}
