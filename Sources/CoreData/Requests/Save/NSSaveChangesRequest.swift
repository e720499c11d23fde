// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of a save in the form that custom stores get.

public import Foundation

/// The objects that a save inserts, updates and deletes, and those that no other writer may have changed.
///
/// Custom stores read it. A context does not execute it; use `save()`.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// Objects to be inserted; nil when none were given.
    public let insertedObjects: Set<NSManagedObject>?
    /// Objects to be updated; nil when none were given.
    public let updatedObjects: Set<NSManagedObject>?
    /// Objects to be deleted; nil when none were given.
    public let deletedObjects: Set<NSManagedObject>?
    /// Objects whose records must still be as they were read: those of `detectConflicts(for:)`; nil when none were
    /// given.
    public let lockedObjects: Set<NSManagedObject>?

    /// Creates a request with the objects of a save.
    ///
    /// - Parameters:
    ///   - insertedObjects: new objects; nil for none, like the other sets.
    ///   - updatedObjects: objects with changes.
    ///   - deletedObjects: objects whose records are to be deleted.
    ///   - lockedObjects: unchanged objects whose records must still be as they were read.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    /// A request without objects.
    public convenience override init() { self.init(inserted: nil, updated: nil, deleted: nil, locked: nil) }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
