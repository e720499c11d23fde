// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The base class of all requests to stores.

public import Foundation

/// The kinds of requests that go to stores.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A search for objects or values: `NSFetchRequest`.
    case fetchRequestType = 1
    /// The changes of a context: `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// Insertion of many records without objects: `NSBatchInsertRequest`.
    case batchInsertRequestType = 5
    /// Change of many records without objects: `NSBatchUpdateRequest`.
    case batchUpdateRequestType = 6
    /// Deletion of many records without objects: `NSBatchDeleteRequest`.
    case batchDeleteRequestType = 7
}

/// The base class of the requests that stores execute.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores that execute the request; nil for all stores of the coordinator.
    @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]?
    /// The kind of request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override init() { super.init() }

    /// Copies the request. Subclasses copy their own properties as well.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }
}
