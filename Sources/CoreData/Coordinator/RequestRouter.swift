// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which stores a request concerns.

import Foundation

extension NSPersistentStoreCoordinator {
    /// Whether a store holds the objects of an entity: its configuration has the entity.
    func holds(_ layout: EntityLayout, in store: NSPersistentStore) -> Bool {
        guard persistentStores.contains(store) else { return false }
        guard let configuration = store.configuration,
            let entities = managedObjectModel.entities(forConfigurationName: configuration)
        else { return true }
        return entities.contains { $0.name == layout.name }
    }

    /// The first writable store that holds an entity; the first read-only one where all are, so that the save can say
    /// so.
    func store(forInserting layout: EntityLayout) -> (any RecordStore)? {
        let holding = persistentStores.filter { holds(layout, in: $0) }
        return (holding.first { !$0.isReadOnly } ?? holding.first) as? any RecordStore
    }

    /// The stores that a fetch asks, in the order in which they were added.
    func stores(for layout: EntityLayout, affected: [NSPersistentStore]?) -> [any RecordStore] {
        if affected == nil, let store = soleStore { return [store] }
        return persistentStores.compactMap { store in
            guard affected?.contains(store) ?? true,
                layout.familyIndexes.contains(where: { holds(model.layouts[$0], in: store) })
            else { return nil }
            return store as? any RecordStore
        }
    }

    /// Lets go of cached rows that somebody has changed past the cache.
    func forgetRows(_ ids: [NSManagedObjectID]) {
        for id in ids {
            guard let store = id.home?.store as? any RecordStore else { continue }
            store.rowCache.forget(root: id.layout.rootIndex, keys: CollectionOfOne(id.key))
        }
    }

    /// Hands change sets down, each store its own, with the metadata that was set meanwhile.
    ///
    /// - Returns: the save as it ended. Its first outcomes are those of the changes, in their order.
    func save(_ changes: [JointSave.Part]) -> JointSave {
        let metadata = persistentStores.filter { $0.metadataValues.hasUnsaved && !$0.isReadOnly }
        var save = JointSave(changes, metadata: metadata.compactMap { $0 as? any RecordStore })
        saving(to: save.stores) { save.run() }
        return save
    }
}
