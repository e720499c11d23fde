// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From a descriptor to the engine's request. SwiftData-P1 to P5.

import CoreData
import Foundation

struct FetchTranslation<T: PersistentModel> {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<T>

    init(_ descriptor: FetchDescriptor<T>, _ context: ModelContext) {
        self.descriptor = descriptor
        self.context = context
    }

    func request() throws -> NSFetchRequest<ModelRow> { try parts().request }

    /// The request, and whether a part of its predicate is evaluated on models in memory.
    func parts() throws -> (request: NSFetchRequest<ModelRow>, evaluatesModels: Bool) {
        let request = try Self.request(for: T.self, in: context)
        var evaluates = false
        if let predicate = descriptor.predicate {
            let (converted, evaluatesModels) = try Self.conversion(predicate, context)
            if evaluatesModels, !descriptor.includePendingChanges, context.below.hasChanges {
                return (try requestOfStored(request), true)
            }
            request.predicate = converted
            evaluates = evaluatesModels
        }
        if let query = descriptor.search {
            let search = NSPredicate(format: "SELF MATCHING %@", query)
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: [request.predicate, search].compactMap(\.self))
        }
        if let place = descriptor.place {
            let inside = NSPredicate.within(
                place.box, latitude: try name(place.latitude), longitude: try name(place.longitude))
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: [request.predicate, inside].compactMap(\.self))
        }
        try arrange(request)
        if let limit = descriptor.fetchLimit { request.fetchLimit = limit }
        if let offset = descriptor.fetchOffset { request.fetchOffset = offset }
        request.includesPendingChanges = descriptor.includePendingChanges
        // Reading a whole row costs less than another statement for the rest of it, so the list is only checked.
        if !descriptor.propertiesToFetch.isEmpty { for path in descriptor.propertiesToFetch { _ = try name(path) } }
        return (request, evaluates)
    }

    /// The models here have unsaved values, so the predicate is evaluated on models of another context.
    private func requestOfStored(_ request: NSFetchRequest<ModelRow>) throws -> NSFetchRequest<ModelRow> {
        let ids = try ModelContext(context.container).fetchIdentifiers(descriptor).compactMap(\.managedObjectID)
        request.predicate = NSPredicate(format: "SELF IN %@", ids)
        try arrange(request)
        request.includesPendingChanges = false
        return request
    }

    /// Sets the order and the prefetching. To pass over an empty list costs as much as a part of a small predicate.
    private func arrange(_ request: NSFetchRequest<ModelRow>) throws {
        if !descriptor.sortBy.isEmpty { request.sortDescriptors = try descriptor.sortBy.map(sorting) }
        if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
            request.relationshipKeyPathsForPrefetching = try descriptor.relationshipKeyPathsForPrefetching.map(name)
        }
    }

    static func request(for type: T.Type, in context: ModelContext) throws -> NSFetchRequest<ModelRow> {
        guard let entity = context.container.schemaModel.entity(of: type) else {
            throw ModelError(
                .unknownSchema, entity: Schema.entityName(for: type), "the container's schema has no such class")
        }
        let request = NSFetchRequest<ModelRow>()
        request.entity = entity
        return request
    }

    static func predicate(_ predicate: Predicate<T>, _ context: ModelContext) throws -> NSPredicate {
        try conversion(predicate, context).predicate
    }

    /// The predicate for stores, and whether a part of it is evaluated on models in memory.
    private static func conversion(
        _ predicate: Predicate<T>, _ context: ModelContext
    ) throws -> (predicate: NSPredicate, evaluatesModels: Bool) {
        let forms = ModelForms(context)
        do {
            let converted = try NSPredicate.converting(predicate, forms: forms)
            if forms.collections.names.isEmpty { return (converted, false) }
            let conditions = CollectionConditions(predicate: predicate, collections: forms.collections)
            return (conditions.split(converted), true)
        } catch {
            if case .unnamedKeyPath(let path) = error {
                throw ModelError(
                    .unsupportedKeyPath, entity: Schema.entityName(for: T.self),
                    property: forms.unnamed.flatMap(ModelKeyPaths.place),
                    "the predicate asks for \(path), which is no stored property: a store knows neither computed nor "
                        + "'@Transient' ones", error)
            }
            throw ModelError(
                .unsupportedPredicate, entity: Schema.entityName(for: T.self), error.description, error)
        }
    }

    private func sorting(_ typed: SortDescriptor<T>) throws -> NSSortDescriptor {
        guard let path = typed.keyPath else {
            throw ModelError(
                .unsupportedSortDescriptor, entity: Schema.entityName(for: T.self),
                "an order by code cannot be asked of a store: sort by key paths")
        }
        guard let name = ModelKeyPaths.name(of: path) else {
            throw ModelError(
                .unsupportedSortDescriptor, entity: Schema.entityName(for: T.self),
                property: ModelKeyPaths.place(of: path),
                "the order asks for \(path), which is no stored property, nor a stored member of one")
        }
        guard EnumerationOrder.isStored(Swift.type(of: path).valueType) else {
            throw ModelError(
                .unsupportedSortDescriptor, entity: Schema.entityName(for: T.self),
                property: name.split(separator: ".").first.map(String.init),
                "a store sorts \(Swift.type(of: path).valueType) by raw values, which have another order: sort what was "
                    + "fetched, or keep the order in a property")
        }
        return ModelSorting.descriptor(name, typed, isText: Swift.type(of: path).valueType is any SortableText.Type)
    }

    func name(_ path: PartialKeyPath<T>) throws -> String {
        guard let name = ModelKeyPaths.name(of: path) else {
            throw ModelError(
                .unsupportedKeyPath, entity: Schema.entityName(for: T.self),
                property: ModelKeyPaths.place(of: path), "\(path) is no stored property")
        }
        return name
    }
}

/// Texts, and optional ones.
protocol SortableText {}
extension String: SortableText {}
extension Optional: SortableText where Wrapped == String {}

enum ModelSorting {
    /// - Parameter isText: text is compared by a string comparator.
    static func descriptor<T>(_ name: String, _ typed: SortDescriptor<T>, isText: Bool) -> NSSortDescriptor {
        let isAscending = typed.order == .forward
        guard isText else { return NSSortDescriptor(key: name, ascending: isAscending) }
        // Foundation on Linux has only this comparator. Generic code, which knows only that a text is comparable, makes
        // an order without one, and `sorted(using:)` then compares with `<`.
        if typed.stringComparator ?? .lexical == .lexical {
            return NSSortDescriptor(key: name, ascending: isAscending)
        }
        return NSSortDescriptor(key: name, ascending: isAscending, selector: "localizedStandardCompare:")
    }
}
