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
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Book")
/// request.predicate = NSPredicate(format: "author.name == %@", "Herbert")
/// request.propertiesToUpdate = ["price": NSExpression(format: "price * 0.9"), "inPrint": true]
/// request.resultType = .updatedObjectIDsResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// NSManagedObjectContext.mergeChanges(
///     fromRemoteContextSave: [NSUpdatedObjectIDsKey: result?.result as? [NSManagedObjectID] ?? []], into: [context])
/// ```
///
/// The request is one transaction, and in a SQLite store usually one statement. Expressions read the values from before
/// the request. It runs neither validation nor life-cycle methods; nil for a mandatory property is an error (1570), and
/// so are values that violate a uniqueness constraint (133021). The request increments the versions of the records: a
/// context that has changed an older copy finds a conflict when it saves.
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
