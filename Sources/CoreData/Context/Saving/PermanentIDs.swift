// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns permanent ids to insertions before they are saved.

import Foundation

struct PermanentIDs {
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker
    private let source: any ContextSource
    private let scope: ReadScope
    private let relations: ContextRelations
    private let coordinator: NSPersistentStoreCoordinator

    init(_ state: ContextState, _ coordinator: NSPersistentStoreCoordinator) {
        registry = state.registry
        tracker = state.tracker
        source = state.source
        scope = state.scope
        relations = state.relations
        self.coordinator = coordinator
    }

    func assign(to objects: [NSManagedObject]) throws {
        try assignInAncestor(to: objects)
        let groups = try groups(of: objects)
        var update = ParentUpdate()
        defer { relations.post(update) }
        scope.endReads()
        for group in groups {
            guard !group.store.isReadOnly else {
                throw CoreDataError.readOnlyStore(group.store.url, store: group.store)
            }
            let keys = try group.store.permanentKeys(for: group.objects, of: group.layout)
            for (object, key) in zip(group.objects, keys) {
                let temporary = object.key
                registry.rekey(object, group.store.identity, key: key, remembered: true)
                object.flags.insert(.hasPermanentKey)
                update.permanentIDs[temporary] = object.ownID
            }
        }
    }

    private typealias Group = (store: any RecordStore, layout: EntityLayout, objects: [NSManagedObject])

    /// Insertions with a temporary id, by store and entity.
    private func groups(of objects: [NSManagedObject]) throws -> [Group] {
        var groups: [Group] = []
        for object in objects where object.isInserted && object.key < 0 {
            let layout = object.table.layout
            guard
                let store = object.objectExtension?.assignedStore as? any RecordStore
                    ?? coordinator.store(forInserting: layout)
            else {
                throw CoreDataError.storeSave("No store of the coordinator holds the entity '\(layout.name)'.")
            }
            if let position = groups.firstIndex(where: { $0.store === store && $0.layout === layout }) {
                groups[position].objects.append(object)
            } else {
                groups.append((store, layout, [object]))
            }
        }
        return groups
    }

    /// Before a save: assigns ids to insertions in stores that take objects. A parent context does not need them.
    func assignBeforeSave() throws {
        if source.isNested { return }
        let stores = coordinator.attachedStores.compactMap { $0 as? any RecordStore }.filter(\.takesObjects)
        if stores.isEmpty { return }
        try assign(
            to: tracker.unsaved.filter { object in
                guard object.isInserted, object.key < 0, !object.isMarkedDeleted else { return false }
                let store =
                    object.objectExtension?.assignedStore ?? coordinator.store(forInserting: object.table.layout)
                return stores.contains { $0 === store && !$0.isReadOnly }
            })
    }

    /// An insertion of an ancestor gets its id there.
    private func assignInAncestor(to objects: [NSManagedObject]) throws {
        let keys = objects.filter { $0.key < 0 && !$0.flags.contains(.inserted) }.map {
            ObjectKey($0.table.layout.index, $0.key)
        }
        if !keys.isEmpty { try source.assignPermanentIDs(to: keys) }
    }
}
