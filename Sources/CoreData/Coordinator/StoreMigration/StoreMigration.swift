// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves a coordinator and its contexts, with all data, to a new store. Stores-K6.

import Foundation

/// # States
///     old store in use ──open──▶ new store staged ──copied──▶ new store in place ──exchanged──▶ new store in use
///        ▲                       │                                   │
///        └──── any failure ──────┴───────────────────────────────────┘   the new store is removed
/// # Invariants
/// (1) Until the exchange the old store is in use, and no context saves or reads (`BlockedContexts`).
/// (2) The file at the destination is empty or complete.
/// (3) The exchange cannot fail.
struct StoreMigration {
    private let coordinator: NSPersistentStoreCoordinator
    private let old: any RecordStore
    private let url: URL
    private let type: String
    private let options: [AnyHashable: Any]?

    init(
        _ coordinator: NSPersistentStoreCoordinator, _ old: any RecordStore, to url: URL, _ type: String,
        _ options: [AnyHashable: Any]?
    ) {
        self.coordinator = coordinator
        self.old = old
        self.url = url
        self.type = type
        self.options = options
    }

    func run() throws -> NSPersistentStore {
        let storeClass = try StoreRegistry.storeClass(type)
        return try BlockedContexts(coordinator).run { contexts in
            guard coordinator.attachedStores.contains(old) else { throw Self.unknown(old) }
            let isFile = storeClass.addressing == .file && url.path != "/dev/null"
            if isFile { try requireFree() }
            let half = isFile ? try StagedFile(beside: url) : nil
            defer { withExtendedLifetime(half) {} }
            let place = half?.url ?? url
            let store = try open(storeClass, at: place)
            do {
                try requireEmpty(store)
                let keys = try transfer(to: store, contexts)
                let new = isFile ? try moveIntoPlace(store, storeClass, from: place) : store
                exchange(for: new, keys, contexts)
                return new
            } catch {
                coordinator.removeTemporary(store)
                store.persistentStoreCoordinator = nil
                try? store.close()  // the first error is the relevant one
                store.identity.end(of: store)
                if isFile { storeClass.discard(at: place) }
                throw error
            }
        }
    }

    static func unknown(_ store: NSPersistentStore) -> NSError {
        CoreDataError.storeOperation("The store is not one of this coordinator's.", store: store)
    }

    // MARK: The new store

    private func requireFree() throws {
        guard url.isFileURL else {
            throw CoreDataError.cannotChangeStore(url: url, reason: "Only file URLs can be opened.")
        }
        try StoreFiles.requirePlain(url)
        // `destroyPersistentStore` leaves an empty file, which counts as unused.
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        if StoreFiles.exists(url), size?.int64Value != 0 { throw CoreDataError.storeExists(url) }
    }

    private func open(_ storeClass: any RecordStore.Type, at place: URL) throws -> any RecordStore {
        var options = options
        options?[NSReadOnlyPersistentStoreOption] = nil
        let store = try StoreOpening(coordinator).open(type, old.configuration, place, options)
        // All registered classes conform.
        guard let records = store as? any RecordStore else { throw Self.unknown(store) }
        return records
    }

    private func requireEmpty(_ store: any RecordStore) throws {
        for root in roots where try !RowTransfer.keys(of: root, in: store, coordinator.model).isEmpty {
            throw CoreDataError.storeExists(url)
        }
    }

    private var roots: [EntityLayout] {
        coordinator.model.layouts.filter { layout in
            layout.superIndex < 0
                && layout.familyIndexes.contains { coordinator.holds(coordinator.model.layouts[$0], in: old) }
        }
    }

    // MARK: Copying

    /// - Returns: new keys by old ones; nil if they are equal.
    private func transfer(to store: any RecordStore, _ contexts: [any ExchangeFollower]) throws
        -> [ObjectKey: Int64]?
    {
        store.metadata = (store.metadata ?? [:]).merging(ownMetadata) { own, _ in own }
        guard !store.takesKeys else {
            try RowTransfer(from: old, to: store, model: coordinator.model, roots: roots).run()
            _ = try store.save(ChangeSet())  // the metadata
            return nil
        }
        guard !contexts.contains(where: { $0.hasChanges }) else {
            throw CoreDataError.storeOperation(
                "A store of type \(type) gives ids of its own, so the ids of objects change: save or roll back all contexts "
                    + "of the coordinator before the migration.", store: old)
        }
        coordinator.addTemporarily(store)
        return try ObjectTransfer(from: old, to: store, model: coordinator.model, roots: roots, coordinator).run()
    }

    /// The custom metadata of the old store.
    private var ownMetadata: [String: Any] {
        (old.metadata ?? [:]).filter { key, _ in
            !["NSStore", "NSPersistence", "_NS"].contains { key.hasPrefix($0) }
        }
    }

    /// Moves the finished file into place and opens it there.
    private func moveIntoPlace(_ store: any RecordStore, _ storeClass: any RecordStore.Type, from place: URL) throws
        -> any RecordStore
    {
        if store.takesObjects {
            // Not reopened, because it might assign other keys.
            try storeClass.move(place, to: url)
            try store.relocate(to: url)
            return store
        }
        coordinator.removeTemporary(store)
        try store.close()
        store.identity.end(of: store)
        try storeClass.move(place, to: url)
        do {
            let opened = try StoreOpening(coordinator).open(type, old.configuration, url, options)
            guard let records = opened as? any RecordStore else { throw Self.unknown(opened) }
            return records
        } catch {
            storeClass.discard(at: url)
            throw error
        }
    }

    // MARK: The exchange

    private func exchange(
        for new: any RecordStore, _ keys: [ObjectKey: Int64]?, _ contexts: [any ExchangeFollower]
    ) {
        coordinator.postWillRemove(old)
        old.willRemove(from: coordinator)
        let identity = old.identity
        let (before, after) = (identity.identifier, new.identity.identifier)
        // Custom references give other URIs than keys do, so the ids must differ.
        let ids = coordinator.exchange(old, for: new) {
            if keys == nil, identity.references == nil {
                identity.pass(to: new, identifier: after)
                new.identity = identity
            }
            return MigratedObjectIDs(
                model: coordinator.model, oldIdentifier: before, references: identity.references, home: new.identity,
                keys: keys)
        }
        for context in contexts { context.follow(old, identity, to: new, keys) }
        try? old.close()  // It has no unsaved changes, and its file is kept.
        old.rowCache.forgetAll()
        old.identity = StoreIdentity(identifier: before, store: nil, references: identity.references)
        old.persistentStoreCoordinator = nil
        new.didAdd(to: coordinator)
        coordinator.post([NSUUIDChangedPersistentStoresKey: [old, new, ids] as [Any]])
    }
}
