// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives insertions their permanent ids before they are saved.

import Foundation

struct PermanentIDs {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func obtain(for objects: [NSManagedObject]) throws {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError.general(
                "The context has no persistent store coordinator, so it cannot obtain permanent ids.")
        }
        try obtainFromParent(for: objects)
        var groups: [(store: any RecordStore, layout: EntityLayout, objects: [NSManagedObject])] = []
        for object in objects where object.isInserted && object.key < 0 {
            let layout = object.table.layout
            guard let store = object.rare?.assignedStore as? any RecordStore ?? coordinator.store(forInserting: layout)
            else {
                throw CoreDataError.storeSave("No store of the coordinator holds the entity '\(layout.name)'.")
            }
            if let position = groups.firstIndex(where: { $0.store === store && $0.layout === layout }) {
                groups[position].objects.append(object)
            } else {
                groups.append((store, layout, [object]))
            }
        }
        var news = FamilyNews()
        defer { context.tellDescendants(news) }
        context.endReads()
        for group in groups {
            guard !group.store.isReadOnly else {
                throw CoreDataError.readOnlyStore(group.store.url, store: group.store)
            }
            let keys = try group.store.permanentKeys(for: group.objects, of: group.layout)
            for (object, key) in zip(group.objects, keys) {
                let temporary = object.key
                context.registry.rekey(object, group.store.identity, key: key, remembered: true)
                object.flags.insert(.hasPermanentKey)
                news.permanentIDs[temporary] = object.objectID
            }
        }
    }

    /// Before a save: insertions of those stores that take objects.
    func obtainForStoresThatTakeObjects(_ coordinator: NSPersistentStoreCoordinator) throws {
        let stores = coordinator.persistentStores.compactMap { $0 as? any RecordStore }.filter(\.takesObjects)
        if stores.isEmpty { return }
        try obtain(
            for: context.tracker.unsaved.filter { object in
                guard object.isInserted, object.key < 0, !object.isDeleted else { return false }
                let store =
                    object.rare?.assignedStore ?? coordinator.store(forInserting: object.table.layout)
                return stores.contains { $0 === store && !$0.isReadOnly }
            })
    }

    /// What is an insertion of an ancestor gets its id there.
    private func obtainFromParent(for objects: [NSManagedObject]) throws {
        let keys = objects.filter { $0.key < 0 && !$0.flags.contains(.inserted) }.map {
            ObjectKey($0.table.layout.index, $0.key)
        }
        guard !keys.isEmpty, let parent = ParentAccess(context) else { return }
        try parent.obtainPermanentIDs(for: keys)
    }
}
