// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request that changes many records without objects, and its result.

public import Foundation

/// The form of a batch update's result.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `true`.
    case statusOnlyResultType = 0
    /// The ids of the changed records.
    case updatedObjectIDsResultType = 1
    /// The number of changed records.
    case updatedObjectsCountResultType = 2
}

/// Changes properties of all records that match a predicate, without creating objects.
///
/// Use it for one change of many records: it makes no objects.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Memo")
/// request.predicate = NSPredicate(format: "title BEGINSWITH %@", "G")
/// request.propertiesToUpdate = ["isPinned": true]
/// request.resultType = .updatedObjectIDsResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []  // of the two rows
/// NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
/// ```
///
/// The request is one transaction. Expressions read the values from before the request. It runs neither validation nor
/// methods of the life cycle. The versions of the records count up: a context that has changed an older copy meets a
/// conflict when it saves.
///
/// Executing throws 1570 for nil in a mandatory property, 133021 for values that violate a uniqueness constraint,
/// 134060 for an unknown name or a value of the wrong class, 513 for a read-only store. Nothing is changed then.
///
/// - Important: execute it on the context's queue. Registered objects keep their values until the changes are merged,
///   as above, or the objects are refreshed.
/// - Complexity: in a SQLite store usually one statement; otherwise the rows are read, changed and written as one save.
/// - SeeAlso: `NSManagedObjectContext.execute(_:)`, `NSBatchUpdateResult`, `propertiesToUpdate`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    public let entityName: String
    /// The entity; nil for a request by name.
    public let entity: NSEntityDescription?
    /// Selects the records; nil for all.
    open var predicate: NSPredicate?
    /// Whether records of subentities are changed too. `true` unless set.
    open var includesSubentities = true
    /// The form of the result; the status by default.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType
    /// The new values, by names or descriptions of attributes and to-one relationships.
    ///
    /// A value is a constant, `NSNull` for nil, or an expression over the record. To-one relationships take ids of
    /// saved objects, the objects, or nil.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// A request for an entity by name.
    public init(entityName: String) {
        self.entityName = entityName
        entity = nil
        super.init()
    }

    /// A request for an entity.
    public init(entity: NSEntityDescription) {
        entityName = entity.name ?? ""
        self.entity = entity
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = entity.map { NSBatchUpdateRequest(entity: $0) } ?? NSBatchUpdateRequest(entityName: entityName)
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.resultType = resultType
        copy.propertiesToUpdate = propertiesToUpdate
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// The form of the result.
    public let resultType: NSBatchUpdateRequestResultType
    /// An `NSNumber` (the status or the count) or `[NSManagedObjectID]`, as `resultType` says.
    public let result: Any?

    /// Makes a result, for an incremental store that executes the request.
    public init(resultType: NSBatchUpdateRequestResultType, result: Any?) {
        self.resultType = resultType
        self.result = result
        super.init()
    }
}
