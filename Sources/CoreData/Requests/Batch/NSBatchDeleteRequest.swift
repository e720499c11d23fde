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
/// Use it for many records: it makes no objects.
///
/// ```swift
/// let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Memo")
/// old.predicate = NSPredicate(format: "isPinned == NO")
/// let request = NSBatchDeleteRequest(fetchRequest: old)
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []  // of the three rows
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectIDsKey: ids], into: [context])
/// ```
///
/// The request is one transaction and follows the delete rules as a save does: it nullifies and cascades to any depth.
/// Result and count name the records that the request selects, not those that a cascade deletes. Methods of the life
/// cycle are not called.
///
/// Contexts learn of the deletions by `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`, as above, or
/// when they read a record that is gone. Unsaved changes of contexts do not count in the request.
///
/// Executing throws 1600 where a Deny rule forbids a deletion, 1570 where a mandatory to-one would become nil, 134060
/// for an unknown name or an id that was never saved, 513 for a read-only store. Nothing is deleted then.
///
/// - Important: execute it on the context's queue.
/// - Complexity: a few statements for each entity and each relationship with a delete rule, independent of the number
///   of records.
/// - SeeAlso: `NSManagedObjectContext.execute(_:)`, `NSManagedObjectContext.delete(_:)`, `NSBatchDeleteResult`.
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
