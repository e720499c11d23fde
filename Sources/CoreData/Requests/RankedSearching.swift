// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interfaces to stores that know the most relevant rows of a search, or what their relevance depends on.

package import CoreDataFoundation

/// A stored row that matches a search.
package struct RankedRow {
    package let layout: EntityLayout
    package let key: Int64
    /// Greater is better.
    package let relevance: Double

    package init(layout: EntityLayout, key: Int64, relevance: Double) {
        (self.layout, self.key, self.relevance) = (layout, key, relevance)
    }
}

/// A store with full-text indexes.
package protocol RankedSearching: AnyObject {
    /// The stored rows that match a search, by relevance, then by key.
    ///
    /// - Parameter fetch: the entity, further conditions, limit and offset.
    /// - Returns: nil if no index can rank the rows as an evaluation in memory does.
    /// - Throws: the errors of a fetch.
    func ranked(_ search: ResolvedSearch, in fetch: BoundFetch) throws -> [RankedRow]?
}

/// A store that counts the rows and words of a search without reading the texts of all rows.
package protocol SearchCounting: AnyObject {
    /// The statistics of all stored rows of an entity's inheritance tree.
    ///
    /// - Returns: nil if they can only be computed from the texts of all rows.
    /// - Throws: the errors of a fetch.
    func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics?
}

extension ResolvedSearch {
    /// Whether each part that a matching row may have counts for its relevance. Of `(a AND b) OR c` only the
    /// alternatives that hold count, which FTS5 does not tell.
    package var isFlat: Bool {
        switch self {
        case .terms: true
        case .and(let members): members.allSatisfy { if case .terms = $0 { true } else { false } }
        case .or(let members):
            members.allSatisfy { if case .terms(let terms) = $0 { terms.phrases.count == 1 } else { false } }
        case .not: false
        }
    }
}
