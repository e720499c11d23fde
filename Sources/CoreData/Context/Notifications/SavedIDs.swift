// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The records of a save, from a notification or from the program, in any of their forms.

import Foundation

/// The ids of a save in another context.
struct SavedIDs: Sendable {
    /// Sets of the same ids in a notification, by its keys: making a set takes as long as refreshing its objects. The
    /// first property, so that the lists are released later and release the last references to ids in the order of
    /// memory.
    var sets: [String: Set<NSManagedObjectID>] = [:]
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    /// Any object may be different.
    var isEverything = false

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isEverything }

    init() {}

    /// - Parameters:
    ///   - info: objects, ids or URIs, in sets, arrays or `NSArray`s, under the keys of the notifications.
    ///   - coordinator: resolves URIs, and ids of another coordinator on the same store.
    init(_ info: [AnyHashable: Any], _ coordinator: NSPersistentStoreCoordinator) {
        func ids(_ keys: String...) -> [NSManagedObjectID] {
            let present = keys.filter { info[$0] != nil }
            let ids = present.flatMap { Self.ids(info[$0], coordinator) }
            if let key = present.first, present.count == 1 { keep(info[key], of: ids, key) }
            return ids
        }
        /// Keeps the set if all of its ids are ids of this coordinator.
        func keep(_ collection: Any?, of ids: [NSManagedObjectID], _ key: String) {
            guard let set = Self.set(collection), set.count == ids.count, zip(set, ids).allSatisfy(===) else { return }
            sets[key] = set
        }
        inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
        updated = ids(
            NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
            NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey)
        deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
        isEverything = info[NSInvalidatedAllObjectsKey] != nil
    }

    private static func set(_ collection: Any?) -> Set<NSManagedObjectID>? {
        guard let collection, type(of: collection) == Set<NSManagedObjectID>.self else { return nil }
        return collection as? Set<NSManagedObjectID>
    }

    /// The sets in notifications are used as they are: casting each member costs as much as refreshing it.
    private static func ids(_ collection: Any?, _ coordinator: NSPersistentStoreCoordinator) -> [NSManagedObjectID] {
        guard let collection else { return [] }
        if let ids = set(collection) { return ids.compactMap { id($0, coordinator) } }
        if type(of: collection) == Set<NSManagedObject>.self, let objects = collection as? Set<NSManagedObject> {
            return objects.compactMap { id($0.ownID, coordinator) }
        }
        return elements(collection).compactMap { id(any: $0, coordinator) }
    }

    private static func elements(_ collection: Any?) -> [Any] {
        switch collection {
        case let set as Set<AnyHashable>: return set.map(\.base)
        case let set as NSSet: return set.allObjects
        case let list as [Any]: return list
        default: return []
        }
    }

    private static func id(any value: Any, _ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectID? {
        switch value {
        case let object as NSManagedObject: return id(object.ownID, coordinator)
        case let url as URL: return coordinator.managedObjectID(forURIRepresentation: url)
        case let known as NSManagedObjectID: return id(known, coordinator)
        default: return nil
        }
    }

    private static func id(_ id: NSManagedObjectID, _ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectID? {
        if id.isTemporaryID { return id }
        guard let store = id.persistentStore else {
            // The other coordinator has released the store; this one may still have it.
            return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) ?? id
        }
        if store.persistentStoreCoordinator === coordinator { return id }
        return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
    }
}
