// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Full-text search of models, with relevance.

public import CoreData
import Foundation

extension ModelContext {
    /// Finds the models that match a full-text search of their properties with `@Attribute(.spotlight)`, the most
    /// relevant ones first.
    ///
    /// ```swift
    /// var descriptor = FetchDescriptor<Story>()
    /// descriptor.fetchLimit = 20
    /// let results = try context.search(SearchQuery(userText: "swi"), in: descriptor)
    /// for result in results { print(result.object.title, result.relevance) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: see `SearchQuery`.
    ///   - descriptor: further conditions, limit and offset. Its order, if it has one, takes the place of the
    ///     relevance.
    /// - Returns: at most `fetchLimit` results.
    /// - Throws: 134060 for a class without such a property, and for a filter of the query with another name. Otherwise
    ///   as `fetch(_:)`.
    /// - Important: call on the context's actor.
    /// - SeeAlso: `FetchDescriptor.searching(_:)`, `NSManagedObjectContext.search(_:in:)`.
    public func search<T>(
        _ query: SearchQuery, in descriptor: FetchDescriptor<T> = FetchDescriptor<T>()
    ) throws -> [SearchResult<T>] where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        let results = try asking(descriptor.searching(query)) { try below.search(query, in: request) }
        return results.compactMap { result in result.object.model(as: T.self).map { result.replacing($0) } }
    }
}
