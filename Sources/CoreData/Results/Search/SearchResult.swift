// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An object that a full-text search found, with the parts of its texts that match.

import CoreDataFoundation
import Foundation

/// An object that a full-text search found.
///
/// ```swift
/// for result in try context.search(SearchQuery(userText: "gard"), in: Article.fetchRequest()) {
///     print(result.object.title, result.relevance)
///     if let snippet = result.snippet(in: "body", tokens: 8) { print(snippet.text, snippet.highlights.count) }
/// }
/// ```
///
/// - Important: use it on the context's queue: highlights and snippets read the object.
public struct SearchResult<Object> {
    /// A managed object, or a model of SwiftData.
    public let object: Object
    /// How well the object matches: bm25 with k1 = 1.2 and b = 0.75. Greater is better. Only values of one search can
    /// be compared.
    public let relevance: Double
    let row: NSManagedObject
    let search: ResolvedSearch

    /// The same result with another face of its object.
    package func replacing<Other>(_ object: Other) -> SearchResult<Other> {
        SearchResult<Other>(object: object, relevance: relevance, row: row, search: search)
    }

    /// The managed object.
    package var managedObject: NSManagedObject { row }

    /// The parts of an attribute's present text that match, in order. They do not overlap.
    ///
    /// ```swift
    /// for range in results[0].highlights(in: "body") { print(results[0].object.body[range]) }
    /// ```
    ///
    /// - Parameter attribute: the name of a searched attribute. Traps for another name.
    /// - Returns: ranges of the text; none if another attribute matches, or if there is no text.
    public func highlights(in attribute: String) -> [Range<String.Index>] {
        highlighted(attribute)?.ranges ?? []
    }

    /// The part of an attribute's present text that has most matches.
    ///
    /// - Parameters:
    ///   - attribute: the name of a searched attribute. Traps for another name.
    ///   - tokens: the most words of the part; for an attribute with trigrams, characters.
    /// - Returns: the beginning of the text if another attribute matches; nil without a text.
    public func snippet(in attribute: String, tokens: Int = 16) -> SearchSnippet? {
        highlighted(attribute)?.snippet(of: tokens).map { SearchSnippet(text: $0.text, highlights: $0.highlights) }
    }

    private func highlighted(_ attribute: String) -> SearchHighlights? {
        let layout = row.table.layout
        guard let column = layout.objectColumns.first(where: { $0.name == attribute }) else {
            let known = layout.queryColumns.map(\.name)
            precondition(
                known.contains(attribute),
                "'\(layout.name)' has no searched attribute '\(attribute)'; its searched attributes are "
                    + "\(known.joined(separator: ", ")).")
            return nil
        }
        guard let text = row.value(forKey: attribute) as? String else { return nil }
        return SearchHighlights(text, column, (try? SearchedTexts(of: row).matchingTerms(of: search)) ?? [])
    }
}

extension SearchResult where Object == NSManagedObject {
    /// An object that was found by other means, so that its matches can be shown. It has no relevance.
    ///
    /// - Returns: nil for a query that matches nothing, or that the object's entity cannot answer.
    package init?(of object: NSManagedObject, finding query: SearchQuery) {
        guard let search = try? object.table.layout.resolved(query) else { return nil }
        self.init(object: object, relevance: 0, row: object, search: search)
    }
}

/// A part of a text, with its matches.
public struct SearchSnippet: Hashable, Sendable {
    /// The part, with "…" where the text goes on.
    public let text: String
    /// The ranges of `text` that match.
    public let highlights: [Range<String.Index>]
}

extension SearchedTexts {
    /// The present texts of an object.
    convenience init(of object: NSManagedObject) {
        let columns = Set(object.table.layout.objectColumns)
        self.init { columns.contains($0) ? object.value(forKey: $0.name) as? String : nil }
    }
}
