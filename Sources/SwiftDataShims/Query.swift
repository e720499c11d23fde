// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SwiftUI's property with the models of a fetch, for types that are no views.

public import Foundation
public import SwiftData

/// A property with the models of a fetch. Each read fetches: nothing observes the store.
///
/// ```swift
/// struct Shelf {
///     @Query(sort: \Book.title) var books: [Book]
///
///     init(_ context: ModelContext) { _books.modelContext = context }
/// }
/// ```
///
/// Without a context it takes that of `EnvironmentValues.with(modelContext:_:)`; without both it is empty.
/// Use it where its context is used: a context belongs to one thread or actor.
@propertyWrapper public struct Query<Element: PersistentModel>: DynamicProperty {
    private let descriptor: FetchDescriptor<Element>

    /// The context of the fetch; nil for that of the environment.
    public var modelContext: ModelContext?

    /// The models. Empty without a context, and if the fetch fails; `fetchError` has the reason then.
    ///
    /// - Complexity: that of the fetch.
    public var wrappedValue: [Element] {
        guard let context = modelContext ?? EnvironmentValues.given else { return [] }
        return (try? context.fetch(descriptor)) ?? []
    }

    /// The error of the fetch, which this runs; nil for none.
    public var fetchError: (any Error)? {
        do {
            if let context = modelContext ?? EnvironmentValues.given { _ = try context.fetch(descriptor) }
            return nil
        } catch {
            return error
        }
    }

    /// Fetches as the descriptor says.
    public init(_ descriptor: FetchDescriptor<Element>) {
        self.descriptor = descriptor
    }

    /// Fetches the models that satisfy a condition; nil means all.
    public init(filter: Predicate<Element>? = nil, sort: [SortDescriptor<Element>] = []) {
        self.init(FetchDescriptor(predicate: filter, sortBy: sort))
    }

    /// Fetches in the order of a property.
    public init<Value: Comparable>(
        filter: Predicate<Element>? = nil, sort: any KeyPath<Element, Value> & Sendable, order: SortOrder = .forward
    ) {
        self.init(filter: filter, sort: [SortDescriptor(sort, order: order)])
    }

    /// Fetches in the order of an optional property. nil comes first.
    public init<Value: Comparable>(
        filter: Predicate<Element>? = nil, sort: any KeyPath<Element, Value?> & Sendable, order: SortOrder = .forward
    ) {
        self.init(filter: filter, sort: [SortDescriptor(sort, order: order)])
    }
}

/// A property that SwiftUI updates before it shows a view. On Linux nothing calls `update()`.
public protocol DynamicProperty {
    /// Does nothing unless the type declares it.
    mutating func update()
}

extension DynamicProperty {
    /// Does nothing.
    public mutating func update() {}
}
