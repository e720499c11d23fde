// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the store of an SQL query, and refuses queries that would miss unsaved changes.

import Foundation

/// NamedSQL-9.
struct SQLQueryExecution {
    private let context: NSManagedObjectContext
    private let query: SQLQuery
    private let named: NSPersistentStore?

    private var state: ContextState { context.state }

    init(_ context: NSManagedObjectContext, _ query: SQLQuery, _ store: NSPersistentStore?) {
        self.context = context
        self.query = query
        named = store
    }

    func rows(_ kinds: [SQLColumnKind]) throws -> (
        store: StoreIdentity, layouts: [EntityLayout], result: SQLQueryResult
    ) {
        context.checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        let coordinator = try state.requireCoordinator("query")
        state.applyParentUpdates()
        state.processChanges()
        let (store, source) = try source(in: coordinator)
        let entities = try source.entities(of: query)
        try checkStores(coordinator, entities, store)
        try checkChanges(coordinator, entities)
        let sharedRead = state.parent == nil ? state.scope.sharedRead : nil
        let result = try state.observing(.fetch, nil, rows: { $0.rows.count }) {
            try source.rows(of: query, kinds, in: sharedRead)
        }
        return (store.identity, coordinator.model.layouts, result)
    }

    func plan() throws -> SQLQueryPlan {
        context.checkQueue()
        let coordinator = try state.requireCoordinator("query")
        let (store, source) = try source(in: coordinator)
        try checkStores(coordinator, try source.entities(of: query), store)
        return try source.plan(of: query, in: state.parent == nil ? state.scope.sharedRead : nil)
    }

    // MARK: Stores

    /// The named store, or the first that knows all names of the statement, at the moment of the context's generation.
    private func source(in coordinator: NSPersistentStoreCoordinator) throws -> (any RecordStore, any SQLQuerySource) {
        var stores = coordinator.attachedStores
        if let named {
            stores = stores.filter { $0 === named }
            if stores.isEmpty {
                throw SQLQueryError(.ambiguousStore, "the named store is not one of the context's coordinator.")
            }
        }
        var failure: (any Error)?
        for case let store as any RecordStore in stores {
            guard let source = try records(of: store) as? any SQLQuerySource else { continue }
            if stores.count == 1 { return (store, source) }
            do {
                _ = try source.entities(of: query)
                return (store, source)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        throw SQLQueryError(
            .unsupportedStore, name: stores.first?.type,
            "only stores in SQLite files answer SQL queries\(stores.first.map { ", and this one is '\($0.type)'" } ?? ""). "
                + "Use `aggregate`, a request for dictionaries, or a fetch.")
    }

    /// The store, or its state in the generation of the outermost parent.
    private func records(of store: any RecordStore) throws -> (any RecordSource)? {
        guard var root = context.parent else { return try state.scope.records(of: store) }
        while let parent = root.parent { root = parent }
        let holder = root as any StateHolder
        return try holder.waitOnQueue { () throws -> (any RecordSource)? in
            try holder.parts.scope.records(of: store)
        }
    }

    private func checkStores(
        _ coordinator: NSPersistentStoreCoordinator, _ entities: [String], _ store: any RecordStore
    ) throws {
        guard named == nil else { return }
        for layout in coordinator.model.layouts where entities.contains(layout.name) {
            let holders = coordinator.stores(for: layout, affected: nil)
            if holders.contains(where: { $0 !== store }) {
                throw SQLQueryError(
                    .ambiguousStore, name: layout.name,
                    "a statement reads one store, and '\(layout.name)' is in \(holders.count) stores: name one of them."
                )
            }
        }
    }

    // MARK: Unsaved changes

    private func checkChanges(_ coordinator: NSPersistentStoreCoordinator, _ entities: [String]) throws {
        let roots = Set(coordinator.model.layouts.filter { entities.contains($0.name) }.map(\.rootIndex))
        var changed = changedEntity(state, roots)
        var ancestor = context.parent
        while changed == nil, let parent = ancestor {
            let holder = parent as any StateHolder
            changed = holder.waitOnQueue { () -> String? in
                holder.parts.processChanges()
                return changedEntity(holder.parts, roots)
            }
            ancestor = parent.parent
        }
        if let changed {
            throw SQLQueryError(
                .unsavedChanges, name: changed,
                "'\(changed)' has unsaved changes, which SQL cannot see. Save them, or query in another context.")
        }
    }

    private func changedEntity(_ state: ContextState, _ roots: Set<Int>) -> String? {
        guard state.tracker.hasChanges else { return nil }
        let tracker = state.tracker
        return (tracker.inserted + tracker.updated + tracker.deleted)
            .first { roots.contains($0.table.layout.rootIndex) }?.table.layout.name
    }
}
