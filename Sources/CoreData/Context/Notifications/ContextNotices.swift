// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Posts a context's notifications: changes, saves and merges.

import Foundation

/// The notifications of one context.
final class ContextNotices {
    private let scope: ReadScope
    /// The context; set by its initializer.
    unowned(unsafe) var notificationObject: AnyObject?
    /// Whether nothing is posted: for internal contexts, which no program knows.
    var isSilent = false
    /// The key of the history token of a save. Apple's framework uses it without declaring a constant.
    private static let historyTokenKey = "newChangeToken"
    /// The sets in the notifications of the save in progress.
    @exclusivity(unchecked) private var postedSets: PostedSets?
    /// nil for a context without listeners.
    @exclusivity(unchecked) var listeners: ChangeListeners?
    /// Called with the objects of each save, before its notifications.
    @exclusivity(unchecked) var savesBody: ((SavedObjects) -> Void)?

    init(_ scope: ReadScope) { self.scope = scope }

    /// Notifications of one save share their sets.
    func beginSave() { postedSets = PostedSets() }

    func endSave() { postedSets = nil }

    func postChanges(_ changes: EventChanges) {
        if let listeners { listeners.receive(changes) }
        post(.NSManagedObjectContextObjectsDidChange) { [self] in
            var info: [AnyHashable: Any] = [:]
            func add(_ objects: [NSManagedObject], _ key: String) {
                if !objects.isEmpty { info[key] = set(of: objects) }
            }
            add(changes.inserted, NSInsertedObjectsKey)
            add(changes.updated, NSUpdatedObjectsKey)
            add(changes.deleted, NSDeletedObjectsKey)
            add(changes.refreshed, NSRefreshedObjectsKey)
            if let ids = changes.invalidatedAll { info[NSInvalidatedAllObjectsKey] = ids }
            return withGeneration(info)
        }
    }

    func postWillSave() { post(.NSManagedObjectContextWillSave) { [:] } }

    /// - Parameter token: the position of the save in the history of the stores; nil without a history.
    func postDidSave(_ saved: SavedObjects, token: NSPersistentHistoryToken?) {
        if let listeners { listeners.receiveSave() }
        savesBody?(saved)
        func info(_ sets: [String: Any]) -> [AnyHashable: Any] {
            var info: [AnyHashable: Any] = sets
            if let token { info[Self.historyTokenKey] = token }
            return withGeneration(info)
        }
        post(.NSManagedObjectContextDidSave) { [self] in
            info([
                NSInsertedObjectsKey: set(of: saved.inserted), NSUpdatedObjectsKey: set(of: saved.updated),
                NSDeletedObjectsKey: set(of: saved.deleted),
            ])
        }
        post(.NSManagedObjectContextDidSaveObjectIDs) { info(saved.sets) }
    }

    /// Adds the context's generation token, if it has one.
    private func withGeneration(_ info: [AnyHashable: Any]) -> [AnyHashable: Any] {
        guard let token = scope.token, token.generation != nil else { return info }
        return info.merging([NSManagedObjectContextQueryGenerationKey: token]) { old, _ in old }
    }

    func postDidMerge(_ saved: SavedIDs, refreshed: [NSManagedObjectID]) {
        post(.NSManagedObjectContextDidMergeChangesObjectIDs) { [self] in
            var info: [AnyHashable: Any] = [:]
            func add(_ ids: [NSManagedObjectID], _ key: String) {
                if !ids.isEmpty { info[key] = saved.sets[key] ?? Set(roomy: ids) }
            }
            add(saved.inserted, NSInsertedObjectIDsKey)
            add(saved.updated, NSUpdatedObjectIDsKey)
            // Usually all of them: then both keys share one set.
            if refreshed.count == saved.updated.count {
                info[NSRefreshedObjectIDsKey] = info[NSUpdatedObjectIDsKey]
            } else if !refreshed.isEmpty {
                info[NSRefreshedObjectIDsKey] = Set(roomy: refreshed)
            }
            add(saved.deleted, NSDeletedObjectIDsKey)
            return withGeneration(info)
        }
    }

    private func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        postedSets?.set(of: objects) ?? Set(roomy: objects)
    }

    private func post(_ name: Notification.Name, contents: @escaping () -> [AnyHashable: Any]) {
        if isSilent { return }
        NotificationCenter.default.post(name, of: notificationObject, contents: contents)
    }
}

/// The sets of objects in the notifications of a save. The did-save notification usually has the same sets as the
/// save's last did-change notification, and making a set costs ten times as much as comparing its objects.
final class PostedSets {
    private var made: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

    /// The lists release the last references to objects, in their order in memory: releasing them in the order of a set
    /// takes twice as long.
    deinit {
        for position in made.indices { made[position].set = [] }
    }

    func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        for (known, set) in made where known.count == objects.count {
            if known.indices.allSatisfy({ known[$0] === objects[$0] }) { return set }
        }
        let set = Set(roomy: objects)
        made.append((objects, set))
        return set
    }
}
