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

    func merge(_ saved: SavedIDs) {
        context.readNews()
        context.epoch += 1
        context.advanceGeneration()
        if saved.isEverything { RefreshPolicy(context).refreshAll() }
        let held = HeldAnnouncements.begin()
        // Unchanged objects are held by nobody until they are announced.
        var objects = saved.inserted.map(insert)
        var (updated, refreshed, refreshedIDs): ([NSManagedObject], [NSManagedObject], [NSManagedObjectID]) = (
            [], [], []
        )
        for id in saved.updated.inKeyOrder {
            guard let object = registered(id) else { continue }
            updated.append(object)
            if object.isFault {
                object.snapshot = nil
            } else {
                refreshed.append(object)
                refreshedIDs.append(id)
            }
        }
        RefreshPolicy(context).refresh(refreshed)
        objects += updated + saved.deleted.compactMap(delete)
        held?.end()
        ChangeProcessing(context).run()
        withExtendedLifetime(objects) {
            ContextNotifications(context).postDidMerge(saved, refreshed: refreshedIDs)
        }
        context.announceMerge(saved)
    }

    private func registered(_ id: NSManagedObjectID) -> NSManagedObject? {
        context.registry.object(context.key(of: id), id.home)
    }

    private func insert(_ id: NSManagedObjectID) -> NSManagedObject {
        if let object = registered(id), !object.isFault {
            // It came from here, by way of the parent.
            RefreshPolicy(context).refresh([object])
            return object
        }
        let object = context.registry.unique(context.key(of: id), id.home, row: nil)
        context.retain(object)
        context.tracker.enterUnchanged(object)
        object.flags.insert(.insertedInEvent)
        return object
    }

    private func delete(_ id: NSManagedObjectID) -> NSManagedObject? {
        guard let object = registered(id), !object.isDeleted else { return nil }
        if object.isFault { object.snapshot = nil }
        context.tracker.enterEvent(object)
        object.flags.insert([.deleted, .deletedInEvent, .propagated, .inaccessible])
        context.tracker.list(object)
        return object
    }
}

extension [NSManagedObjectID] {
    /// In the order of their keys, in which objects and rows mostly lie in memory: ids come in sets, and to hop through memory for each
    /// object takes longer than what is done with it.
    fileprivate var inKeyOrder: [NSManagedObjectID] {
        let keys = map(\.key)
        if keys.indices.dropFirst().allSatisfy({ keys[$0 - 1] <= keys[$0] }) { return self }
        return (Self.denseOrder(keys) ?? keys.indices.sorted { keys[$0] < keys[$1] }).map { self[$0] }
    }

    /// Positions in the order of keys that lie close together, as those of one import do: each is put where it belongs. nil where they do
    /// not, and where two are the same.
    private static func denseOrder(_ keys: [Int64]) -> [Int]? {
        guard let least = keys.min(), let greatest = keys.max(), least >= 0, greatest - least < Int64(keys.count) * 4
        else { return nil }
        var places = [Int](repeating: -1, count: Int(greatest - least) + 1)
        for position in keys.indices {
            let place = Int(keys[position] - least)
            if places[place] >= 0 { return nil }
            places[place] = position
        }
        return places.filter { $0 >= 0 }
    }
}
