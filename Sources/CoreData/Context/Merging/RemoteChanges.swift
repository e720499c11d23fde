// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Merges the save of another context.

import Foundation

/// # Effects on objects
/// As in facts F65 to F70.
///
/// inserted: registered as a fault, and announced as inserted.
/// updated: refreshed with merge if it is registered and realized; a registered fault only drops its row and members.
/// deleted: marked deleted if it is registered.
struct RemoteChanges {
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker
    private let scope: ReadScope
    private let notices: ContextNotices
    private let relations: ContextRelations
    private let faults: FaultFulfilment
    private let refreshing: RefreshPolicy
    private let processing: ChangeProcessing

    init(_ state: ContextState) {
        registry = state.registry
        tracker = state.tracker
        scope = state.scope
        notices = state.notices
        relations = state.relations
        faults = state.faults
        refreshing = RefreshPolicy(faults)
        processing = ChangeProcessing(state)
    }

    /// Merges a did-save notification, on the context's queue.
    static func merge(_ notification: Notification, into context: NSManagedObjectContext) {
        guard let info = notification.userInfo, let coordinator = context.persistentStoreCoordinator else { return }
        let saved = SavedIDs(info, coordinator)
        // A save through this coordinator has updated the row cache; the rows of any other save are read again.
        let sender = notification.object as? NSManagedObjectContext
        if sender?.persistentStoreCoordinator !== coordinator { forgetRows(of: saved, coordinator) }
        (context as any StateHolder).waitOnQueue { RemoteChanges((context as any StateHolder).parts).merge(saved) }
    }

    /// Merges the ids of records that were changed without a context of this coordinator, on the queue of each context.
    static func merge(_ data: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
        for context in contexts {
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            let saved = SavedIDs(data, coordinator)
            forgetRows(of: saved, coordinator)
            (context as any StateHolder).waitOnQueue { RemoteChanges((context as any StateHolder).parts).merge(saved) }
        }
    }

    private static func forgetRows(of saved: SavedIDs, _ coordinator: NSPersistentStoreCoordinator) {
        if saved.isEverything { return coordinator.forgetAllRows() }
        coordinator.forgetRows(saved.updated + saved.deleted)
    }

    /// Merges the posted saves, on the context's queue.
    static func mergePosted(in state: ContextState) {
        for saved in state.relations.merges.take() { RemoteChanges(state).merge(saved) }
    }

    func merge(_ saved: SavedIDs) {
        relations.applyUpdates(to: registry)
        scope.advanceBeforeMerge()
        if saved.isEverything {
            refreshing.refreshAll()
            processing.run()
        }
        // A merge is no step of undo, also where it changes other ends of links (Undo-2).
        let undoable = processing.undoable
        let listeners = notices.listeners
        listeners?.beginMerge(saved)
        let held = DeferredAnnouncements.begin()
        // Unchanged objects have no other strong reference until they are announced.
        var objects = saved.inserted.map(insert)
        var (updated, refreshed, refreshedIDs): ([NSManagedObject], [NSManagedObject], [NSManagedObjectID]) = (
            [], [], []
        )
        for id in saved.updated.inKeyOrder {
            guard let object = registered(id) else { continue }
            updated.append(object)
            if object.isFault {
                object.snapshot = nil
                object.releaseMembers()
            } else {
                refreshed.append(object)
                refreshedIDs.append(id)
            }
        }
        let changed = refreshed.filter { $0.flags.contains(.updated) && $0.differsFromCommitted }
        let pending = refreshed.compactMap { PendingLinks($0) }
        refreshing.refresh(refreshed)
        let settled = pending.flatMap { $0.rebase(tracker, faults) }
        tracker.dropUpdates(of: changed + settled)
        // The delete rules have not been applied to the newer rows' members (Merging-32).
        for object in refreshed where object.isMarkedDeleted && !object.flags.contains(.inaccessible) {
            object.flags.remove(.propagated)
        }
        objects += updated + saved.deleted.compactMap(delete)
        held?.end()
        processing.run(undoable: undoable)
        listeners?.endMerge()
        withExtendedLifetime(objects) {
            notices.postDidMerge(saved, refreshed: refreshedIDs)
        }
        // The children of this context have to merge the same changes.
        relations.post(saved, to: relations.children.all())
    }

    private func registered(_ id: NSManagedObjectID) -> NSManagedObject? {
        registry.object(registry.key(of: id), id.home)
    }

    private func insert(_ id: NSManagedObjectID) -> NSManagedObject {
        if let object = registered(id), !object.isFault {
            // The object was inserted in this context, and saved through its parent.
            refreshing.refresh([object])
            return object
        }
        let object = faults.object(with: id)
        tracker.enterUnchanged(object)
        object.flags.insert(.insertedInEvent)
        return object
    }

    private func delete(_ id: NSManagedObjectID) -> NSManagedObject? {
        guard let object = registered(id), !object.isMarkedDeleted else { return nil }
        if object.isFault { object.snapshot = nil }
        PendingLinks.cut(object, tracker)
        tracker.markMissing(object)
        return object
    }
}

extension [NSManagedObjectID] {
    /// The ids in the order of their keys, which usually is the order of objects and rows in memory. Ids come in sets,
    /// and accessing the objects in the order of a set takes longer than refreshing them.
    fileprivate var inKeyOrder: [NSManagedObjectID] {
        let keys = map(\.key)
        if keys.indices.dropFirst().allSatisfy({ keys[$0 - 1] <= keys[$0] }) { return self }
        return (Self.denseOrder(keys) ?? keys.indices.sorted { keys[$0] < keys[$1] }).map { self[$0] }
    }

    /// Positions in the order of keys, for keys that are close together, such as those of one import: each position is
    /// stored at the index of its key. nil for other keys, and if two are equal.
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
