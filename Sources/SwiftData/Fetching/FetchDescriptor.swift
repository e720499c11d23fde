// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request for models of one class.

public import CoreData
import Foundation

// Sendable: key paths of classes capture nothing.
/// A request for models of one class: condition, order, window.
///
/// ```swift
/// var descriptor = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.number, order: .reverse)])
/// descriptor.fetchLimit = 10
/// descriptor.relationshipKeyPathsForPrefetching = [\.album]
/// let newest = try context.fetch(descriptor)
/// ```
///
/// A descriptor is a value and holds no results; `ModelContext.fetch(_:)` carries it out.
///
/// - Important: may be used on any thread. Condition and key paths are translated at the fetch; `checked(in:)` does it
///   before.
/// - Complexity: the store evaluates condition and order, with the indexes of `Index(_:)`.
/// - SeeAlso: `ModelContext.fetchCount(_:)`, `ResultsObserver`.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
    /// The condition; nil for all models of the class.
    ///
    /// `#Predicate` makes it: the compiler checks properties and types. Values of the program are captured.
    ///
    /// ```swift
    /// let first = 2
    /// var descriptor = FetchDescriptor<Page>()
    /// descriptor.predicate = #Predicate<Page> { $0.number >= first }
    /// let pages = try context.fetch(descriptor)
    /// ```
    ///
    /// The fetch throws an error that `SwiftDataError.unsupportedPredicate` matches for a part that cannot be
    /// translated, such as a method of the program.
    ///
    /// - Complexity: the store evaluates it. Conditions on arrays, sets and dictionaries of values are evaluated in
    ///   memory, on the models that the other parts of an `&&` leave; `ModelContext.explain(_:)` names them.
    /// - SeeAlso: `checked(in:)`, `SwiftDataError.unsupportedKeyPath`.
    public var predicate: Predicate<T>?
    /// The order; empty for that of creation.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of models; nil for all.
    public var fetchLimit: Int?
    /// The number of models to skip; nil for none.
    public var fetchOffset: Int?
    /// Whether unsaved changes are included. True unless it is set.
    public var includePendingChanges = true
    /// Relationships whose destinations are fetched as well, with one statement for each.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
    /// The properties that the program needs. They are checked, and have no other effect: records are read whole, with
    /// one statement, so that no other property costs a statement later. A record of seven columns is read in 0.6 µs,
    /// one that is read by itself in 4 µs. Large data with `.externalStorage` is read when its property is read.
    ///
    /// The fetch throws `unsupportedKeyPath` by `~=` for a key path to no stored property.
    public var propertiesToFetch: [PartialKeyPath<T>] = []

    /// The query that models match besides the predicate; nil for none.
    var search: SearchQuery?

    /// The same request for models that also match a full-text search of their properties with
    /// `@Attribute(.spotlight)`.
    ///
    /// ```swift
    /// let long = FetchDescriptor<Story>(predicate: #Predicate { $0.pages > 5 }, sortBy: [SortDescriptor(\.pages)])
    /// let stories = try context.fetch(long.searching(SearchQuery(userText: "swi")))
    /// ```
    ///
    /// A fetch throws 134060 for a class without such a property, and for a filter of the query with another name.
    ///
    /// - Parameter query: replaces an earlier one.
    /// - SeeAlso: `ModelContext.search(_:in:)` for relevance, highlights and excerpts.
    public func searching(_ query: SearchQuery) -> Self {
        var descriptor = self
        descriptor.search = query
        return descriptor
    }

    /// The box that models are in, and the properties with their coordinates; nil for none.
    var place: (box: GeographicBox, latitude: PartialKeyPath<T>, longitude: PartialKeyPath<T>)?

    /// The same request for models whose coordinates are in a box.
    ///
    /// ```swift
    /// let inside = FetchDescriptor<City>().within(box, latitude: \.latitude, longitude: \.longitude)
    /// let cities = try context.fetch(inside)
    /// ```
    ///
    /// Models without coordinates are in no box.
    ///
    /// - Parameters:
    ///   - box: in degrees; replaces an earlier one.
    ///   - latitude: a number, in degrees.
    ///   - longitude: a number, in degrees.
    /// - Complexity: a SQLite store reads the index of both properties, if the class has one: `#Index<City>(.rtree([
    ///   \.latitude, \.longitude]))`.
    public func within(
        _ box: GeographicBox, latitude: PartialKeyPath<T>, longitude: PartialKeyPath<T>
    ) -> Self {
        var descriptor = self
        descriptor.place = (box, latitude, longitude)
        return descriptor
    }

    /// Whether it has only a predicate and a window.
    ///
    /// `isEmpty` would ask for the types of the lists and for a conformance, a tenth of a look-up.
    @inline(__always) var isPlain: Bool {
        sortBy.count == 0 && relationshipKeyPathsForPrefetching.count == 0 && propertiesToFetch.count == 0
            && search == nil && place == nil
    }

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
