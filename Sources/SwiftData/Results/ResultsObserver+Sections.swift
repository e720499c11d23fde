// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes observers of results with sections by properties of any type. Not in Apple's API.

import Foundation

extension ResultsObserver {
    /// Results by a property of any type, in the order of its values if these have one. Not in Apple's API.
    ///
    ///     let byGenre = try ResultsObserver<Book, Genre>(sectionBy: \.genre, modelContext: context)
    ///
    /// - Parameters:
    ///   - fetchDescriptor: condition and order of the results; all models of the class by default.
    ///   - sectionBy: a stored property, also through to-one relationships.
    ///   - modelContext: the context of the results.
    ///   - isolation: the actor of the observer; the caller's by default.
    /// - Throws: the error of the fetch.
    @_disfavoredOverload
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, modelContext, sectionBy, order: SectionOrder.descriptor(sectionBy),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by an optional property of any type; those without a value are in no section. Not in Apple's API.
    @_disfavoredOverload
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        sectionBy: KeyPath<Element, SectionTitle?>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, modelContext, sectionBy, order: SectionOrder.descriptor(sectionBy),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property of any type. Not in Apple's API.
    @_disfavoredOverload
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, sectionBy,
            order: SectionOrder.descriptor(sectionBy), title: { $0[keyPath: sectionBy] })
    }

    /// Results by an optional property of any type; those without a value are in no section. Not in Apple's API.
    @_disfavoredOverload
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle?>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, sectionBy,
            order: SectionOrder.descriptor(sectionBy), title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property of any type, in a private context. Not in Apple's API.
    @_disfavoredOverload
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), sectionBy,
            order: SectionOrder.descriptor(sectionBy), title: { $0[keyPath: sectionBy] })
    }

    /// Results by an optional property of any type, in a private context; those without a value are in no section.
    /// Not in Apple's API.
    @_disfavoredOverload
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), sectionBy,
            order: SectionOrder.descriptor(sectionBy), title: { $0[keyPath: sectionBy] })
    }
}

/// The order of sections.
private enum SectionOrder {
    /// nil for a type without an order: then sections come in the order of the results.
    static func descriptor<Element, Value>(_ path: KeyPath<Element, Value>) -> SortDescriptor<Element>? {
        if let path = path as? KeyPath<Element, String> { return SortDescriptor(SendablePath.of(path)) }
        if let path = path as? KeyPath<Element, String?> { return SortDescriptor(SendablePath.of(path)) }
        // A Boolean has no order in Swift; stores would have one.
        guard let type = ValueForms.unwrapped(Value.self) as? any Comparable.Type else { return nil }
        return descriptor(path, by: type)
    }

    private static func descriptor<Element, Value: Comparable>(
        _ path: PartialKeyPath<Element>, by type: Value.Type
    ) -> SortDescriptor<Element>? {
        if let path = path as? KeyPath<Element, Value> { return SortDescriptor(SendablePath.of(path)) }
        return (path as? KeyPath<Element, Value?>).map { SortDescriptor(SendablePath.of($0)) }
    }
}
