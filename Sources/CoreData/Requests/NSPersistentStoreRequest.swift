// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The base class of all requests to stores.

public import Foundation

/// The kinds of requests that go to stores.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A question for objects or values: `NSFetchRequest`.
    case fetchRequestType = 1
    /// The changes of a context: `NSSaveChangesRequest`.
    case saveRequestType = 2
    /// Insertion of many records past the contexts: `NSBatchInsertRequest`.
    case batchInsertRequestType = 5
    /// Change of many records past the contexts: `NSBatchUpdateRequest`.
    case batchUpdateRequestType = 6
    /// Deletion of many records past the contexts: `NSBatchDeleteRequest`.
    case batchDeleteRequestType = 7
}

/// Something that is asked of stores.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// The stores to ask; nil for all of the coordinator's.
    @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]?
    /// What kind of request it is.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override init() { super.init() }

    /// Copies the request. Subclasses copy their own properties as well.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }
}
