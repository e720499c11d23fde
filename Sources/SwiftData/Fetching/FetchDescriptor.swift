// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request for models of one class.

public import Foundation

// Sendable: key paths of classes capture nothing.
/// A description of a fetch: the predicate, the order, and the number of models.
///
///     let descriptor = FetchDescriptor<Book>(
///         predicate: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)])
///     let books = try context.fetch(descriptor)
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
    /// The condition; nil for all models.
    public var predicate: Predicate<T>?
    /// The order; empty for that of creation.
    public var sortBy: [SortDescriptor<T>]
    /// How many at most; nil for all.
    public var fetchLimit: Int?
    /// How many are left out first; nil for none.
    public var fetchOffset: Int?
    /// Whether unsaved changes count. True unless it is set.
    public var includePendingChanges = true
    /// Relationships with models that are read along, with one statement for each.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
    /// The properties that the program needs. It is checked, and changes nothing else: records are read whole, with one
    /// statement, so that no other property costs a statement later. A record of seven columns is read in 0.6 µs, one
    /// that is read by itself in 4 µs. Large data with `.externalStorage` is read when its property is read.
    ///
    /// The fetch throws `unsupportedKeyPath` by `~=` for one that is no stored property.
    public var propertiesToFetch: [PartialKeyPath<T>] = []

    /// Describes a fetch by its predicate and order.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }

    /// Translates predicate, order and key paths now, and not at the fetch.
    ///
    /// - Throws: the errors of a fetch: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unsupportedKeyPath`.
    public func checked(in container: ModelContainer) throws -> Self {
        let context = ModelContext(container)
        _ = try context.explain(self)
        return self
    }
}
