// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Full-text search for display: whether an entity is searched, and the parts of texts that match.

public import CoreData

extension BrowsedStore {
    /// Whether objects of an entity, or of its subentities, have attributes that full-text search reads.
    public static func isSearched(_ entity: NSEntityDescription) -> Bool { !entity.searchColumns.isEmpty }

    /// The part of an attribute's text that has most matches of a search.
    ///
    /// Call it on the queue of the object's context.
    /// - Parameter tokens: the most words of the part; for an attribute with trigrams, characters. A text that is not
    ///   longer is the whole part.
    /// - Returns: `Cell.excerpt`; nil for a text without matches, and for an attribute that is not searched.
    public static func excerpt(
        of attribute: String, in object: NSManagedObject, matching query: SearchQuery, tokens: Int = 24
    ) -> Cell? {
        guard object.entity.searchedAttributes.contains(where: { $0.name == attribute }),
            let snippet = SearchResult(of: object, finding: query)?.snippet(in: attribute, tokens: tokens),
            !snippet.highlights.isEmpty
        else { return nil }
        return Cell(snippet, of: attribute)
    }
}

extension Cell {
    init(_ snippet: SearchSnippet, of attribute: String) {
        let scalars = snippet.text.unicodeScalars
        func offset(_ index: String.Index) -> Int { scalars.distance(from: scalars.startIndex, to: index) }
        self = .excerpt(
            attribute: attribute, text: snippet.text,
            matches: snippet.highlights.map { offset($0.lowerBound)..<offset($0.upperBound) })
    }
}
