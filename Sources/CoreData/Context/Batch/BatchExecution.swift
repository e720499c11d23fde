// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests: resolves them for each store, and passes them to the stores.
// Documentation/Internals/BatchRequests.md

import CoreDataFoundation
import Foundation

/// # Order
/// 1. Finds the entity and the stores; a read-only store throws.
/// 2. Checks every name and every value once, for each participating store.
/// 3. Each store writes inside the transaction of the previous one: all of them, or none.
///
/// The context provides its coordinator and its settings: author, name and merge policy. A child context without an
/// author or a name uses those of the nearest ancestor that has one. The context's objects are not involved (B3, B7).
struct BatchExecution {
    private let settings: ContextSettings
    private let author: String?
    private let contextName: String?
    private let scope: ReadScope
    private let coordinator: NSPersistentStoreCoordinator
    private let form: BatchResultForm

    init(_ state: ContextState, _ form: BatchResultForm) throws {
        guard let coordinator = state.coordinator else {
            throw CoreDataError.general("The context has no persistent store coordinator for a batch request.")
        }
        settings = state.settings
        author = state.inherited(\.transactionAuthor)
        contextName = state.inherited(\.name)
        scope = state.scope
        self.coordinator = coordinator
        self.form = form
    }

    private var model: ModelLayout { coordinator.model }

    // MARK: Requests

    func insert(_ request: NSBatchInsertRequest) throws -> Any {
        let layout = try layout(request.entityName, "insertion")
        guard !layout.isAbstract else {
            throw CoreDataError.general(
                "The batch insertion names '\(layout.name)', which is abstract: name one of its subentities.")
        }
        let holding = coordinator.stores(for: layout, affected: request.affectedStores)
            .filter { coordinator.holds(layout, in: $0) }
        guard let store = holding.first(where: { !$0.isReadOnly }) ?? holding.first else {
            throw noStore(for: layout)
        }
        try checkWritable([store])
        let values = BatchValues(layout, coordinator, store.identity)
        let uniqueness = BatchInsertion.Uniqueness(settings.read(\.mergePolicy))
        let insertion = BatchInsertion(
            layout: layout, uniqueness: uniqueness, mayHaveReferences: !layout.toOneSlots.isEmpty,
            next: try request.rows(values, uniqueness))
        return try perform(request, [(store, work(.insertion(insertion), request))])
    }

    func update(_ request: NSBatchUpdateRequest) throws -> Any {
        let layout = try layout(request.entityName, "update")
        let stores = coordinator.stores(for: layout, affected: request.affectedStores)
        if stores.isEmpty { throw noStore(for: layout) }
        try checkWritable(stores)
        let fetchRequest = NSFetchRequest<any NSFetchRequestResult>(entityName: layout.name)
        fetchRequest.predicate = request.predicate
        fetchRequest.includesSubentities = request.includesSubentities
        let fetch = try bound(fetchRequest)
        return try perform(
            request,
            try stores.map { store in
                let values = BatchValues(layout, coordinator, store.identity)
                let update = try values.update(request.propertiesToUpdate ?? [:], fetch.addressed(to: store.identity))
                return (store, work(.update(update), request))
            })
    }

    func delete(_ request: NSBatchDeleteRequest) throws -> Any {
        if let ids = request.objectIDs { return try delete(ids, request) }
        let fetchRequest = NSFetchRequest<any NSFetchRequestResult>()
        fetchRequest.settings = request.fetchRequest.settings
        fetchRequest.resultType = .managedObjectResultType
        fetchRequest.relationshipKeyPathsForPrefetching = nil
        let fetch = try bound(fetchRequest)
        let affected = request.affectedStores ?? request.fetchRequest.affectedStores
        let stores = coordinator.stores(for: fetch.layout, affected: affected)
        if stores.isEmpty { throw noStore(for: fetch.layout) }
        try checkWritable(stores)
        if stores.count > 1, fetch.limit > 0 || fetch.offset > 0 {
            // Offset and limit apply to all stores together.
            fetchRequest.affectedStores = affected
            let found = try coordinator.makeAnsweringContext().fetch(fetchRequest)
            return try delete(found.compactMap { ($0 as? NSManagedObject)?.objectID }, request)
        }
        return try perform(
            request,
            stores.map { store in
                (store, work(.deletion(.matching(fetch.addressed(to: store.identity))), request))
            })
    }

    private func delete(_ ids: [NSManagedObjectID], _ request: NSBatchDeleteRequest) throws -> Any {
        var references: [ObjectIdentifier: [Reference]] = [:]
        var stores: [any RecordStore] = []
        for given in ids {
            guard !given.isTemporaryID else {
                throw CoreDataError.general("The batch deletion names \(given), an object that was never saved.")
            }
            guard let id = coordinator.ownID(of: given), let store = id.home?.store as? any RecordStore,
                request.affectedStores?.contains(store) ?? true
            else { continue }
            if references[ObjectIdentifier(store)] == nil { stores.append(store) }
            references[ObjectIdentifier(store), default: []].append(
                Reference(entityIndex: id.layout.index, key: id.key))
        }
        try checkWritable(stores)
        return try perform(
            request,
            stores.map { store in
                (store, work(.deletion(.records(references[ObjectIdentifier(store)] ?? [])), request))
            })
    }

    // MARK: Resolving

    private func layout(_ name: String, _ kind: String) throws -> EntityLayout {
        if let layout = model.layout(named: name) { return layout }
        throw CoreDataError.general(
            "The batch \(kind) names the entity '\(name)', which the model does not have."
                + name.hint(among: model.layouts.map(\.name))
                + " Its entities are \(model.layouts.map(\.name).joined(separator: ", ")).")
    }

    private func bound(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> BoundFetch {
        let fetch = try request.bound(in: coordinator)
        guard !fetch.prepared.hasCode else {
            throw CoreDataError.general(
                "The predicate of the batch request for '\(fetch.layout.name)' has code in it, which is asked of objects: a "
                    + "store cannot evaluate it.")
        }
        return fetch
    }

    private func checkWritable(_ stores: [any RecordStore]) throws {
        for store in stores where store.isReadOnly { throw CoreDataError.readOnlyStore(store.url, store: store) }
    }

    private func noStore(for layout: EntityLayout) -> NSError {
        CoreDataError.general("No store that the batch request may use holds the entity '\(layout.name)'.")
    }

    // MARK: Stores

    private typealias Part = (store: any RecordStore, batch: StoreBatch)

    private func work(_ work: StoreBatch.Work, _ request: NSPersistentStoreRequest) -> StoreBatch {
        StoreBatch(
            model: model, work: work, origin: BatchOrigin(request), wantsIDs: form == .ids,
            author: author, contextName: contextName)
    }

    private func perform(_ request: NSPersistentStoreRequest, _ parts: [Part]) throws -> Any {
        // The context's own read transaction would prevent the WAL from being reset.
        scope.endReads()
        // As in a save: stores that cannot roll back come last, the others are in the order of their identifiers, so
        // that two requests never wait for each other (Saving-J3, J4).
        let parts = parts.sorted { one, other in Self.rank(one.store) < Self.rank(other.store) }
        var results: [Any] = []
        func write(from position: Int) throws {
            guard position < parts.count else { return }
            let part = parts[position]
            if part.store.takesObjects {
                results.append(
                    try part.store.performUnresolved(request)
                        ?? form.result(ObjectBatch(coordinator, part.store, part.batch).run(request)))
                return try write(from: position + 1)
            }
            let outcome = try part.store.perform(part.batch) {
                try write(from: position + 1)
                return true
            }
            results.append(form.result(outcome))
        }
        return try coordinator.observation.run(
            .batch,
            {
                $0.entityName = Self.entity(of: request)
                $0.contextName = contextName
            }, rows: form.count
        ) {
            try coordinator.saving(to: parts.map(\.store)) { try write(from: 0) }
            return try form.joined(results)
        }
    }

    /// nil for a deletion by ids.
    private static func entity(of request: NSPersistentStoreRequest) -> String? {
        switch request {
        case let insertion as NSBatchInsertRequest: insertion.entityName
        case let update as NSBatchUpdateRequest: update.entityName
        case let deletion as NSBatchDeleteRequest: deletion.fetchRequest.settings.entity?.name
        default: nil
        }
    }

    private static func rank(_ store: any RecordStore) -> (Int, String) {
        (store.takesObjects ? 2 : store.guaranteesCommit ? 0 : 1, store.identity.identifier)
    }
}

// MARK: - Requests

extension NSBatchInsertRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .statusOnly: .status
            case .objectIDs: .ids
            case .count: .count
            }
        return NSBatchInsertResult(
            resultType: resultType, result: try BatchExecution(context.state, form).insert(self))
    }
}

extension NSBatchUpdateRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .statusOnlyResultType: .status
            case .updatedObjectIDsResultType: .ids
            case .updatedObjectsCountResultType: .count
            }
        return NSBatchUpdateResult(
            resultType: resultType, result: try BatchExecution(context.state, form).update(self))
    }
}

extension NSBatchDeleteRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let form: BatchResultForm =
            switch resultType {
            case .resultTypeStatusOnly: .status
            case .resultTypeObjectIDs: .ids
            case .resultTypeCount: .count
            }
        return NSBatchDeleteResult(
            resultType: resultType, result: try BatchExecution(context.state, form).delete(self))
    }
}
