// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of a context's notifications, and the keys of their contents.

public import Foundation

/// Inserted objects, in notifications.
public let NSInsertedObjectsKey = "inserted"
/// Updated objects, in notifications.
public let NSUpdatedObjectsKey = "updated"
/// Deleted objects, in notifications.
public let NSDeletedObjectsKey = "deleted"
/// Refreshed objects, in notifications.
public let NSRefreshedObjectsKey = "refreshed"
/// Invalidated objects, in notifications.
public let NSInvalidatedObjectsKey = "invalidated"
/// The ids of all objects, when the context was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Ids of inserted objects, in notifications with ids.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Ids of updated objects, in notifications with ids.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Ids of deleted objects, in notifications with ids.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Ids of refreshed objects, in notifications with ids.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Ids of invalidated objects, in notifications with ids.
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
    /// The context has merged changes of other writers; with the ids of the objects inserted, updated, refreshed and
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
