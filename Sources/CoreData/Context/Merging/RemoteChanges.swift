// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes over what another context saved.

import Foundation

/// # What becomes of each object (facts F65 to F70)
/// inserted: registered as a fault, and announced as inserted.
/// updated: refreshed with merge if it is registered and realized; a fault just forgets what it was primed with.
/// deleted: marked deleted if it is registered, nothing else.
struct RemoteChanges {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func merge(_ notification: Notification) {
        guard let info = notification.userInfo, context.storedRegistry != nil else { return }
        let inserted = ids(info, NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        let updated = ids(info, NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
        let refreshed = ids(info, NSRefreshedObjectsKey, NSRefreshedObjectsKey + "_objectIDs")
        let deleted = ids(info, NSDeletedObjectsKey, NSDeletedObjectIDsKey)
        for id in inserted { insert(id) }
        for id in updated + refreshed { update(id) }
        for id in deleted { delete(id) }
        ChangeProcessing(context).run()
    }

    private func insert(_ id: NSManagedObjectID) {
        let object = context.registry.unique(context.key(of: id), id.home, row: nil)
        context.tracker.enterEvent(object)
        object.flags.insert(.insertedInEvent)
    }

    private func update(_ id: NSManagedObjectID) {
        guard let object = context.registry.object(context.key(of: id), id.home) else { return }
        if object.isFault {
            object.snapshot = nil
        } else {
            RefreshPolicy(context).refresh(object, mergeChanges: true)
        }
    }

    private func delete(_ id: NSManagedObjectID) {
        guard let object = context.registry.object(context.key(of: id), id.home), !object.isDeleted else { return }
        if object.isFault { object.snapshot = nil }
        context.tracker.enterEvent(object)
        object.flags.insert([.deleted, .deletedInEvent, .propagated, .inaccessible])
        context.tracker.list(object)
    }

    private func ids(_ info: [AnyHashable: Any], _ keys: String...) -> [NSManagedObjectID] {
        for key in keys {
            switch info[key] {
            case let objects as Set<NSManagedObject>: return objects.map(\.objectID)
            case let ids as Set<NSManagedObjectID>: return Array(ids)
            case let objects as [NSManagedObject]: return objects.map(\.objectID)
            case let ids as [NSManagedObjectID]: return ids
            default: continue
            }
        }
        return []
    }
}
