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
        for group in groups {
            guard !group.store.isReadOnly else {
                throw CoreDataError.readOnlyStore(group.store.url, store: group.store)
            }
            var key = try group.store.reserveKeys(group.objects.count, for: group.layout)
            for object in group.objects {
                context.registry.rekey(object, group.store.identity, key: key, remembered: true)
                object.flags.insert(.hasPermanentKey)
                key += 1
            }
        }
    }
}
