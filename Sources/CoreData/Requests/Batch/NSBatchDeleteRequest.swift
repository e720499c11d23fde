// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request that deletes many records without objects, and its result.

import CoreDataFoundation
public import Foundation

/// The form of a batch deletion's result.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `true`.
    case resultTypeStatusOnly = 0
    /// The ids of the deleted records.
    case resultTypeObjectIDs = 1
    /// The number of deleted records.
    case resultTypeCount = 2
}

/// Deletes all records that a fetch request finds, or those with given ids, without creating objects.
///
/// ```swift
/// let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
/// old.predicate = NSPredicate(format: "published < %@", date as NSDate)
/// let request = NSBatchDeleteRequest(fetchRequest: old)
/// request.resultType = .resultTypeCount
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// ```
///
/// The request is one transaction and applies the delete rules as a save does: it nullifies, and cascades to any depth.
/// It throws 1600 if a Deny rule blocks the deletion, and 1570 if a mandatory to-one relationship would become nil;
/// then nothing is deleted. The result contains only the requested records, not those reached by cascades. Life-cycle
/// methods such as `prepareForDeletion()` are not called.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    private let fetch: NSFetchRequest<any NSFetchRequestResult>
    /// nil for a deletion by fetch request.
    package let objectIDs: [NSManagedObjectID]?
    /// The form of the result; the status by default.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// The request that selects the records. Its limit and offset apply; its result type and unsaved changes are
    /// ignored.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> { fetch }

    private init(_ fetch: NSFetchRequest<any NSFetchRequestResult>, _ ids: [NSManagedObjectID]?) {
        self.fetch = fetch
        objectIDs = ids
        super.init()
    }

    /// Deletes the records that a request finds.
    public convenience init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) { self.init(fetch, nil) }

    /// Deletes the records that a request of any result type finds.
    @_disfavoredOverload
    public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.settings = fetch.settings
        request.affectedStores = fetch.affectedStores
        self.init(request, nil)
    }

    /// Deletes the records with the ids, of any entities and stores. Ids without a record are ignored.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = objects.first?.entity
        request.predicate = NSPredicate(format: "SELF IN %@", objects)
        self.init(request, objects)
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchDeleteRequest(fetch, objectIDs)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The result of a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// The form of the result.
    public let resultType: NSBatchDeleteRequestResultType
    /// An `NSNumber` (the status or the count) or `[NSManagedObjectID]`, as `resultType` says.
    public let result: Any?

    /// Makes a result, for an incremental store that executes the request.
    public init(resultType: NSBatchDeleteRequestResultType, result: Any?) {
        self.resultType = resultType
        self.result = result
        super.init()
    }
}
