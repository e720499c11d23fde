// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The method of contexts for full-text search with relevance.

public import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// Finds the objects that match a full-text search, the most relevant ones first.
    ///
    /// ```swift
    /// let request = Article.fetchRequest()
    /// request.fetchLimit = 20
    /// let results = try context.search(SearchQuery(userText: "gard"), in: request)
    /// for result in results { print(result.object.title, result.relevance) }
    /// ```
    ///
    /// The predicate `SELF MATCHING %@` finds the same objects in a fetch, in any order. Here each has its relevance,
    /// and ranges of its texts for highlights.
    ///
    /// Unsaved changes count: an object is found and ranked by its present texts. The numbers that a relevance depends
    /// on — how many rows there are and how many have a word — are those of the last save.
    ///
    /// - Parameters:
    ///   - query: see `SearchQuery`.
    ///   - request: entity, further conditions, limit and offset. Its sort descriptors, if it has any, take the place
    ///     of the relevance.
    /// - Returns: at most `fetchLimit` results. Equally relevant ones are in the order of their first save.
    /// - Throws: 134060 for an entity without searched attributes, and for a filter of the query with another name.
    ///   Otherwise as `fetch(_:)`.
    /// - Important: call on the context's queue.
    /// - Complexity: with a full-text index (`NSFullTextIndexOption`), a limit and no unsaved changes, reads the
    ///   entries of the words in the index and the objects of the results. A SQLite store with further conditions, and
    ///   a store in PostgreSQL, also read the rows that match. Otherwise reads all objects that match, and without an
    ///   index in such a store the texts of all rows of the entity's inheritance tree.
    /// - SeeAlso: `SearchResult.highlights(in:)`, `SearchResult.snippet(in:tokens:)`.
    public func search<Object: NSManagedObject>(
        _ query: SearchQuery, in request: NSFetchRequest<Object>
    ) throws -> [SearchResult<Object>] {
        checkQueue()
        ObjectClasses.register(Object.self)
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            return try state.observing(.fetch, request.entityName, rows: { $0.count }) {
                try SearchExecution(context: self, query: query, request: request).results()
            }
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }
}
