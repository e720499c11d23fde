// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Selects the stores of a request and passes it to them.

import Foundation

extension NSPersistentStoreCoordinator {
    /// Whether a store contains the objects of an entity: its configuration includes the entity.
    func holds(_ layout: EntityLayout, in store: NSPersistentStore) -> Bool {
        attachedStores.contains(store) && isMeant(layout, for: store)
    }

    /// Whether a store, attached or removed, contains the objects of an entity.
    func isMeant(_ layout: EntityLayout, for store: NSPersistentStore) -> Bool {
        guard let configuration = store.configuration,
            let entities = managedObjectModel.entities(forConfigurationName: configuration)
        else { return true }
        return entities.contains { $0.name == layout.name }
    }

    /// The first writable store with the entity; otherwise the first read-only one, so that the save throws its error.
    func store(forInserting layout: EntityLayout) -> (any RecordStore)? {
        let holding = attachedStores.filter { holds(layout, in: $0) }
        return (holding.first { !$0.isReadOnly } ?? holding.first) as? any RecordStore
    }

    /// The stores to fetch from, in the order in which they were added.
    func stores(for layout: EntityLayout, affected: [NSPersistentStore]?) -> [any RecordStore] {
        if affected == nil, let stores = soleStores { return stores }
        return attachedStores.compactMap { store in
            guard affected?.contains(store) ?? true,
                layout.familyIndexes.contains(where: { holds(model.layouts[$0], in: store) })
            else { return nil }
            return store as? any RecordStore
        }
    }

    /// The equivalent id of this coordinator; nil for a record of another store.
    func ownID(of id: NSManagedObjectID) -> NSManagedObjectID? {
        if let store = id.home?.store, attachedStores.contains(store) { return id }
        return managedObjectID(forURIRepresentation: id.uriRepresentation())
    }

    /// The id for a URI of the usual form; nil for others, and if no attached store with keys has exactly its UUID.
    func id(ofPlainURI text: String) -> NSManagedObjectID? {
        guard let uri = PlainURI(text) else { return nil }
        // A migration passes a store's identity on under this lock.
        return storesLock.withLock {
            guard let store = attachedStores.first(where: { $0.identifier.utf8.elementsEqual(uri.store.utf8) }),
                store.identity.references == nil, let layout = model.layout(named: String(uri.entity))
            else { return nil }
            return NSManagedObjectID(layout: layout, key: uri.key, home: store.identity)
        }
    }

    /// The current id of the same record, if its store was removed and added again under another identity.
    @inline(__always) func presentID(of id: NSManagedObjectID) -> NSManagedObjectID {
        if let home = id.home, !home.hasStore { return ownID(of: id) ?? id }
        return id
    }

    /// Removes cached rows that were changed in the stores but not in the cache.
    func forgetRows(_ ids: [NSManagedObjectID]) {
        for id in ids {
            guard let store = id.home?.store as? any RecordStore else { continue }
            store.rowCache.forget(root: id.layout.rootIndex, keys: CollectionOfOne(id.key))
        }
    }

    /// All rows are read again from the stores.
    func forgetAllRows() {
        for store in attachedStores { (store as? any RecordStore)?.rowCache.forgetAll() }
    }

    /// Passes each store its change set, and its metadata if they changed.
    ///
    /// - Returns: the finished save. Its first outcomes are those of the changes, in their order.
    func save(_ changes: [JointSave.Part]) -> JointSave {
        let metadata = attachedStores.filter { $0.metadataValues.hasUnsaved && !$0.isReadOnly }
        var save = JointSave(changes, metadata: metadata.compactMap { $0 as? any RecordStore })
        saving(to: save.stores) { save.run() }
        return save
    }
}
