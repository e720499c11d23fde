// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The request that inserts many records without objects, and its result.

public import Foundation

/// The form of a batch insertion's result.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `true`.
    case statusOnly = 0
    /// The ids of the written records, in the order in which they were given.
    case objectIDs = 1
    /// The number of written records.
    case count = 2
}

/// Inserts records of one entity into a store without adding objects to a context.
///
/// A handler provides one record after the other, so that a million of them need no more memory than a few:
///
/// ```swift
/// var lines = text.split(separator: "\n").makeIterator()
/// let request = NSBatchInsertRequest(entityName: "Memo") { (values: NSMutableDictionary) in
///     guard let line = lines.next() else { return true }  // no more records
///     values["title"] = String(line)
///     return false
/// }
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// print(result?.result as? Int ?? 0)  // 3
/// ```
///
/// The request is one transaction. It runs neither validation nor life-cycle methods; a mandatory property without a
/// value is an error (1570). To-one relationships take ids of saved objects, and their inverses are updated. If a
/// record with the same unique values exists, the context's merge policy decides: the error policy throws 133021,
/// policies in which the object wins write the values into the existing record, and the others leave that record
/// unchanged.
///
/// Contexts see the records after `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`, or in their next
/// fetch.
/// `Documentation/Internals/BatchRequests.md` has the rules.
///
/// Executing also throws 134060 for an abstract entity, an unknown name or a value of the wrong class, and 513 for a
/// read-only store. Nothing is inserted then.
///
/// - Important: execute it on the context's queue. Handlers are called within the store's transaction: they must not
///   save to the store.
/// - Complexity: 32 records a statement; memory for the ids, if the result has them.
/// - SeeAlso: `NSManagedObjectContext.execute(_:)`, `NSBatchInsertResult`.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    public let entityName: String
    /// The entity; nil for a request by name.
    public let entity: NSEntityDescription?
    /// The values of each record by property name; `NSNull` is nil. Missing properties get their defaults.
    open var objectsToInsert: [[String: Any]]?
    /// Provides the values of the next record. Returning `true` ends the request, and that last call inserts nothing.
    ///
    /// The dictionary is empty at each call. The store calls the handler inside its transaction, so it must not save to
    /// the same store.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Provides the values of the next record as an object with default values, which is in no context. Returning
    /// `true` ends the request, and that last call inserts nothing.
    ///
    /// The object may be reused for the next call, so do not keep it. The store calls the handler inside its
    /// transaction, so it must not save to the same store.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// The form of the result; the status by default.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    private init(
        _ name: String, _ entity: NSEntityDescription?, objects: [[String: Any]]? = nil,
        dictionaryHandler: ((NSMutableDictionary) -> Bool)? = nil,
        managedObjectHandler: ((NSManagedObject) -> Bool)? = nil
    ) {
        entityName = name
        self.entity = entity
        objectsToInsert = objects
        self.dictionaryHandler = dictionaryHandler
        self.managedObjectHandler = managedObjectHandler
        super.init()
    }

    /// A request without an entity, which cannot be executed.
    @available(*, deprecated, message: "Name the entity: use init(entityName:objects:).")
    public convenience override init() { self.init("", nil) }

    /// Inserts one record for each dictionary.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(entityName, nil, objects: dictionaries)
    }

    /// Inserts one record for each dictionary.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(entity.name ?? "", entity, objects: dictionaries)
    }

    /// Inserts the records that a handler provides as dictionaries.
    public convenience init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(entity.name ?? "", entity, dictionaryHandler: handler)
    }

    /// Inserts the records that a handler provides as objects.
    public convenience init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(entity.name ?? "", entity, managedObjectHandler: handler)
    }

    /// Inserts the records that a handler provides as dictionaries.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(entityName, nil, dictionaryHandler: handler)
    }

    /// Inserts the records that a handler provides as objects.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(entityName, nil, managedObjectHandler: handler)
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(
            entityName, entity, objects: objectsToInsert, dictionaryHandler: dictionaryHandler,
            managedObjectHandler: managedObjectHandler)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The result of a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// The form of the result.
    public let resultType: NSBatchInsertRequestResultType
    /// An `NSNumber` (the status or the count) or `[NSManagedObjectID]`, as `resultType` says.
    public let result: Any?

    /// Makes a result, for an incremental store that executes the request.
    public init(resultType: NSBatchInsertRequestResultType, result: Any?) {
        self.resultType = resultType
        self.result = result
        super.init()
    }
}
