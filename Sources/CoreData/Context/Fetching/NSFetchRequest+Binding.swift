// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Binds the values of a request to its prepared fetch.

import Foundation

extension NSFetchRequest {
    /// The prepared fetch of the request's shape with the request's values. Prepares it if the coordinator has not
    /// cached it.
    ///
    /// - Throws: 134060 for a request without an entity, an entity or a key that the model does not have, and a
    ///   comparison that no object can meet.
    func bound(in coordinator: NSPersistentStoreCoordinator) throws -> BoundFetch {
        let layout = try layout(in: coordinator.model)
        var fetch = try bound(layout, coordinator)
        if settings.entity == nil { settings.entity = layout.entity }
        fetch.limit = settings.fetchLimit
        fetch.offset = settings.fetchOffset
        fetch.batchSize = settings.fetchBatchSize
        return fetch
    }

    /// The request for a page: without its window, and without a shape, because statements of a shape have no position.
    ///
    /// - Throws: as `bound(in:)`.
    func boundForPages(in coordinator: NSPersistentStoreCoordinator) throws -> BoundFetch {
        let layout = try layout(in: coordinator.model)
        if settings.entity == nil { settings.entity = layout.entity }
        var settings = settings
        // Objects have the values by which stores order them (Cursors-4).
        settings.options.insert(.shouldRefreshRefetchedObjects)
        return try FetchPreparation(settings, layout, coordinator.model).bound()
    }

    private func layout(in model: ModelLayout) throws -> EntityLayout {
        guard let name = settings.entityName ?? settings.entity?.name else {
            throw CoreDataError.general("The fetch request has no entity.")
        }
        guard let layout = model.layout(named: name) else {
            throw CoreDataError.general(
                "The model has no entity '\(name)' to fetch.\(name.hint(among: model.layouts.map(\.name)))"
                    + " Its entities are \(model.layouts.map(\.name).joined(separator: ", ")).")
        }
        return layout
    }

    /// Reads single properties of the settings: copying all of them would retain a dozen references.
    private func bound(_ layout: EntityLayout, _ coordinator: NSPersistentStoreCoordinator) throws -> BoundFetch {
        let predicate = settings.predicate
        let comparisons = predicate.map { FetchShape.comparisons($0, layout) } ?? []
        guard let comparisons,
            let shape = FetchShape(
                layout, settings.options, settings.resultType, comparisons, sorting: settings.sortDescriptors,
                prefetching: settings.relationshipKeyPathsForPrefetching)
        else { return try FetchPreparation(settings, layout, coordinator.model).bound() }
        if let known = coordinator.preparedFetches.fetch(shape) { return BoundFetch(known, comparisons, of: predicate) }
        let prepared = try FetchPreparation(settings, layout, coordinator.model).prepared(for: shape)
        coordinator.preparedFetches.keep(prepared)
        return BoundFetch(prepared, comparisons, of: predicate)
    }
}
