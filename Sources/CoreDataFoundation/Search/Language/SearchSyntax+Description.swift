// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the tree of a search query in its language.

extension SearchSyntax: CustomStringConvertible {
    /// The query in the language, with all words in quotation marks.
    package var description: String {
        switch self {
        case .phrase(let phrase): phrase.description
        case .near(let phrases, let distance):
            "NEAR(\(phrases.map(\.description).joined(separator: " ")), \(distance))"
        case .and(let members): members.map(\.operand).joined(separator: " AND ")
        case .or(let members): members.map(\.operand).joined(separator: " OR ")
        case .not(let wanted, let excluded): "\(wanted.operand) NOT \(excluded.operand)"
        case .columns(let names, let syntax):
            "{\(names.map(SearchPhrase.quoted).joined(separator: " "))}: \(syntax.filtered)"
        }
    }

    private var operand: String {
        switch self {
        case .phrase, .near, .columns: description
        case .and, .or, .not: "(\(description))"
        }
    }

    private var filtered: String {
        switch self {
        case .phrase, .near: description
        case .and, .or, .not, .columns: "(\(description))"
        }
    }
}

extension SearchPhrase: CustomStringConvertible {
    /// The phrase in the language, in quotation marks.
    package var description: String { "\(isInitial ? "^" : "")\(Self.quoted(text))\(isPrefix ? "*" : "")" }

    /// A text in quotation marks; those inside of it are doubled.
    package static func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
