// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The keys of a context's notifications, as cases.

import Foundation

extension NSManagedObjectContext {
    /// A key in the `userInfo` of a context's notifications; its raw value is the key.
    public enum NotificationKey: String, Sendable {
        /// The context that was saved or changed.
        case sourceContext = "NSManagedObjectContextSourceContextKey"
        /// The query generation that the context is pinned to.
        case queryGeneration = "NSManagedObjectContextQueryGenerationKey"
        /// `NSInvalidatedAllObjectsKey`
        case invalidatedAllObjects = "invalidatedAll"
        /// `NSInsertedObjectsKey`
        case insertedObjects = "inserted"
        /// `NSUpdatedObjectsKey`
        case updatedObjects = "updated"
        /// `NSDeletedObjectsKey`
        case deletedObjects = "deleted"
        /// `NSRefreshedObjectsKey`
        case refreshedObjects = "refreshed"
        /// `NSInvalidatedObjectsKey`
        case invalidatedObjects = "invalidated"
        /// `NSInsertedObjectIDsKey`
        case insertedObjectIDs = "inserted_objectIDs"
        /// `NSUpdatedObjectIDsKey`
        case updatedObjectIDs = "updated_objectIDs"
        /// `NSDeletedObjectIDsKey`
        case deletedObjectIDs = "deleted_objectIDs"
        /// `NSRefreshedObjectIDsKey`
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `NSInvalidatedObjectIDsKey`
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}
