// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border to the full-text indexes of a database: a search as a condition on keys.

package import CoreDataFoundation

/// The full-text indexes that one fetch may use.
package protocol SearchConditions {
    /// Whether an object matches, as SQL that is null if the key is.
    ///
    /// - Parameters:
    ///   - key: the key of the object's row.
    ///   - layout: the entity of the object, or a superentity.
    /// - Throws: `NotTranslatable` for a search that the indexes cannot answer exactly; the errors of the database.
    func condition(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText

    /// A condition of at least the objects that match, for a database with indexes that do not answer exactly. Memory
    /// evaluates the objects. No I/O.
    ///
    /// - Returns: nil without an index that narrows the search.
    /// - Throws: `NotTranslatable` for a search that the indexes cannot narrow.
    func candidates(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText?
}

extension SearchConditions {
    package func candidates(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText? { nil }
}
