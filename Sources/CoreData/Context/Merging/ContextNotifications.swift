// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The notifications of a context and the keys in them.

public import Foundation

/// Inserted objects, in notifications.
public let NSInsertedObjectsKey = "inserted"
/// Updated objects, in notifications.
public let NSUpdatedObjectsKey = "updated"
/// Deleted objects, in notifications.
public let NSDeletedObjectsKey = "deleted"
/// Objects whose values were read again, in notifications.
public let NSRefreshedObjectsKey = "refreshed"
/// Objects that were invalidated, in notifications.
public let NSInvalidatedObjectsKey = "invalidated"
/// The ids of all objects, when the context was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Ids of inserted objects, in the notifications that carry ids.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Ids of updated objects, in the notifications that carry ids.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Ids of deleted objects, in the notifications that carry ids.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Ids of objects whose values were read again, in the notifications that carry ids.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Ids of objects that were invalidated, in the notifications that carry ids.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

extension NSNotification.Name {
    /// Objects of the context changed; posted when pending changes are processed.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// The context is about to save.
    public static let NSManagedObjectContextWillSave = Notification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// The context has saved; with the objects inserted, updated and deleted.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// The context has saved; with the ids of the objects inserted, updated and deleted.
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// The context has taken over what others saved; with the ids of the objects inserted, updated, refreshed and
    /// deleted.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// `NSManagedObjectContextWillSave`.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// `NSManagedObjectContextDidSave`.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// `NSManagedObjectContextObjectsDidChange`.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
    /// `NSManagedObjectContextDidSaveObjectIDs`.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// `NSManagedObjectContextDidMergeChangesObjectIDs`.
    public static let didMergeChangesObjectIDsNotification = Notification.Name
        .NSManagedObjectContextDidMergeChangesObjectIDs
}

struct ContextNotifications {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func postChanges(_ changes: EventChanges) {
        var info: [AnyHashable: Any] = [:]
        func add(_ objects: [NSManagedObject], _ key: String) {
            if !objects.isEmpty { info[key] = set(of: objects) }
        }
        add(changes.inserted, NSInsertedObjectsKey)
        add(changes.updated, NSUpdatedObjectsKey)
        add(changes.deleted, NSDeletedObjectsKey)
        add(changes.refreshed, NSRefreshedObjectsKey)
        if let ids = changes.invalidatedAll { info[NSInvalidatedAllObjectsKey] = ids }
        post(.NSManagedObjectContextObjectsDidChange, withGeneration(info))
    }

    func postWillSave() { post(.NSManagedObjectContextWillSave, [:]) }

    /// - Returns: the ids of all, with the sets that were told.
    func postDidSave(inserted: [NSManagedObject], updated: [NSManagedObject], deleted: SavedDeletions) -> SavedIDs {
        post(
            .NSManagedObjectContextDidSave,
            withGeneration([
                NSInsertedObjectsKey: set(of: inserted), NSUpdatedObjectsKey: set(of: updated),
                NSDeletedObjectsKey: set(of: deleted.objects),
            ]))
        var saved = SavedIDs()
        saved.inserted = inserted.ids
        saved.updated = updated.ids
        saved.deleted = deleted.ids
        saved.told = [
            NSInsertedObjectIDsKey: Set(roomy: saved.inserted), NSUpdatedObjectIDsKey: Set(roomy: saved.updated),
            NSDeletedObjectIDsKey: Set(roomy: saved.deleted),
        ]
        post(.NSManagedObjectContextDidSaveObjectIDs, withGeneration(saved.told))
        return saved
    }

    /// Adds the token of what the context sees, if it is pinned.
    private func withGeneration(_ info: [AnyHashable: Any]) -> [AnyHashable: Any] {
        guard let token = context.generationToken, token.generation != nil else { return info }
        return info.merging([NSManagedObjectContextQueryGenerationKey: token]) { old, _ in old }
    }

    func postDidMerge(_ saved: SavedIDs, refreshed: [NSManagedObjectID]) {
        var info: [AnyHashable: Any] = [:]
        func add(_ ids: [NSManagedObjectID], _ key: String) {
            if !ids.isEmpty { info[key] = saved.told[key] ?? Set(roomy: ids) }
        }
        add(saved.inserted, NSInsertedObjectIDsKey)
        add(saved.updated, NSUpdatedObjectIDsKey)
        // Mostly all of them: then it is one set.
        if refreshed.count == saved.updated.count {
            info[NSRefreshedObjectIDsKey] = info[NSUpdatedObjectIDsKey]
        } else {
            if !refreshed.isEmpty { info[NSRefreshedObjectIDsKey] = Set(roomy: refreshed) }
        }
        add(saved.deleted, NSDeletedObjectIDsKey)
        post(.NSManagedObjectContextDidMergeChangesObjectIDs, withGeneration(info))
    }

    private func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        context.noticedSets?.set(of: objects) ?? Set(roomy: objects)
    }

    private func post(_ name: Notification.Name, _ info: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: name, object: context, userInfo: info)
    }
}

/// Sets of objects as notifications carry them, kept while a save runs: what it told of its last event it mostly tells
/// again when it is done, and to make a set costs ten times as much as to find out that it is the same.
final class NoticedSets {
    private var made: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

    /// Objects that nobody else holds any more go with the lists, in the order in which they lie in memory. A set would hop through
    /// it, which takes twice as long.
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

/// Deleted objects and the ids that they had.
struct SavedDeletions {
    var objects: [NSManagedObject] = []
    var ids: [NSManagedObjectID] = []
}
