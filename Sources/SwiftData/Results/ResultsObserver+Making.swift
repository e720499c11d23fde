// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes observers of results, with sections and without.

import Foundation

extension ResultsObserver where SectionTitle == Never {
    /// Results without sections.
    ///
    /// - Throws: the error of the fetch.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, modelContext)
    }

    /// Results without sections.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext)
    }

    /// Results without sections, in a private context.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, ModelContext(modelContainer))
    }

    /// Results without sections, in a private context.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer))
    }
}

extension ResultsObserver where SectionTitle == String {
    /// Results by a property.
    ///
    /// - Throws: the error of the fetch.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, modelContext, sectionBy, order: SortDescriptor(SendablePath.of(sectionBy)),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property; those without a value are in no section.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, modelContext, sectionBy, order: SortDescriptor(SendablePath.of(sectionBy)),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, sectionBy,
            order: SortDescriptor(SendablePath.of(sectionBy)), title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property, in a private context.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, ModelContext(modelContainer), sectionBy, order: SortDescriptor(SendablePath.of(sectionBy)),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property; those without a value are in no section.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, sectionBy,
            order: SortDescriptor(SendablePath.of(sectionBy)), title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property, in a private context; those without a value are in no section.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            fetchDescriptor, ModelContext(modelContainer), sectionBy, order: SortDescriptor(SendablePath.of(sectionBy)),
            title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property, in a private context.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), sectionBy,
            order: SortDescriptor(SendablePath.of(sectionBy)), title: { $0[keyPath: sectionBy] })
    }

    /// Results by a property, in a private context; those without a value are in no section.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), sectionBy,
            order: SortDescriptor(SendablePath.of(sectionBy)), title: { $0[keyPath: sectionBy] })
    }
}
