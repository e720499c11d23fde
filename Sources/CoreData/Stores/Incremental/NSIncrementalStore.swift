// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The base class of custom stores that answer requests record by record.

public import Foundation

/// A store whose records a subclass manages: in custom files, in a web service, or in another database.
///
/// A subclass supplies its identity (`loadMetadata`), answers requests (`execute`), returns the values of single
/// records (`newValuesForObject`, `newValue(forRelationship:…)`) and assigns ids to new ones (`obtainPermanentIDs`).
/// This class implements everything else: ids, faults, uniquing, the row cache, unsaved changes, conflicts and
/// uniqueness constraints. Register the subclass with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. `Documentation/Internals/Stores.md` has the
/// rules, `Examples/JSONStore` an example.
///
/// The methods are called one at a time, on any thread. An invalid answer of a subclass is an error with the code
/// 134070 that names entity, record and key.
open class NSIncrementalStore: NSPersistentStore, RecordStore {
    package final let rowCache = RowCache()
    /// Held during calls to the subclass.
    package final let asking = NSRecursiveLock()
    /// Guarded by `asking`. A closed store rejects all requests.
    package final var isClosed = false
    /// nil until the store is opened.
    package final var layouts: ModelLayout?
    /// The derived attributes that `storedValues(of:)` computes.
    final var derived: [DerivedRule] = []

    package static var addressing: StoreAddressing { .any }

    /// From the metadata, unless a subclass overrides it.
    open override var type: String { metadata[NSStoreTypeKey] as? String ?? "" }

    // MARK: Methods to override

    /// Sets `metadata`, with at least `NSStoreUUIDKey` and `NSStoreTypeKey`. Called once, before all other methods.
    ///
    /// For a new store, `identifierForNewStore(at:)` creates the UUID. If the metadata contain version hashes, they are
    /// compared with those of the model; otherwise the model's hashes are added. Write `metadata` with each save.
    ///
    /// - Throws: the reason why the store cannot be opened.
    open override func loadMetadata() throws { throw notImplemented("loadMetadata()") }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: a fetch request, always an `NSFetchRequest<any NSFetchRequestResult>`; an `NSSaveChangesRequest`;
    ///     a batch request, as the program made it; or a custom request of `NSManagedObjectContext.execute(_:)`.
    ///     Objects in predicates of fetches are replaced by ids. Block predicates are removed: the context evaluates
    ///     them. Key paths for prefetching, the batch size and `returnsObjectsAsFaults` are those of the program's
    ///     request, as hints to later requests.
    ///   - context: for a save, the saved context. Otherwise a context without changes, valid during the call, in which
    ///     to create objects with `object(with:)`.
    /// - Returns: for a fetch, an array according to the request's `resultType`: objects or ids, which are
    ///   interchangeable; dictionaries with the names of `propertiesToFetch`; or one number. The store must apply
    ///   predicate, order, offset and limit; `results(of:among:with:)` does so in memory. For a save, an empty
    ///   array: the save writes all changes or throws, and a save without objects writes only metadata. For a batch
    ///   request the ids of the written records, their number, or a result such as `NSBatchInsertResult`. For other
    ///   requests an `NSPersistentStoreResult`.
    /// - Throws: the reason why the request failed. `CocoaError(.persistentStoreUnsupportedRequestType)` for a batch
    ///   request lets the context make the changes by objects and save them.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw notImplemented("execute(_:with:)")
    }

    /// Returns the values of a record.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) if there is no such record; any other error means that
    ///   the record cannot be read now.
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        throw notImplemented("newValuesForObject(with:with:)")
    }

    /// Returns the destination of a relationship.
    ///
    /// - Returns: for a to-many relationship an array of ids, in order if it is ordered; for a to-one relationship,
    ///   requested only if the node lacks it, an id or `NSNull`.
    /// - Throws: as `newValuesForObject(with:with:)`.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw notImplemented("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns ids for objects that will be inserted, in the same order, created with
    /// `newObjectID(for:referenceObject:)`.
    ///
    /// Called before the save, or earlier if ids are requested; the objects may never be saved. The default
    /// implementation uses new UUIDs as references.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID()) }
    }

    /// Returns a UUID for a new store.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Called soon after contexts have registered objects of these records, once for each context.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called soon after contexts have released their objects of these records, once for each context.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: Methods to call

    /// The id of a record.
    ///
    /// - Parameters:
    ///   - entity: the record's own entity, not a superentity, if it is known.
    ///   - data: the store's identifier of the record: a string, an integer or a UUID. A reference identifies one
    ///     record below a root entity. Any other type is a precondition failure.
    public final func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        guard let references = identity.references, let layout = layouts?.layout(of: entity) else {
            preconditionFailure(
                "There is no id for '\(entity.name ?? "")': the store has not loaded its metadata yet, or its coordinator's "
                    + "model has no such entity.")
        }
        guard let reference = ReferenceValue(data) else {
            preconditionFailure(
                "A \(Swift.type(of: data)) cannot be the reference of a '\(layout.name)': use a string, a whole number or a UUID."
            )
        }
        return NSManagedObjectID(layout: layout, key: references.key(of: reference, layout), home: identity)
    }

    /// The store's identifier of a record: a string, an `NSNumber` or a `UUID`. A temporary id, or one of another
    /// store, is a precondition failure.
    public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard objectID.home === identity, let reference = objectID.reference else {
            preconditionFailure("\(objectID) is no id of a record of this store, so it has no reference object.")
        }
        return reference.object
    }

    /// Gives a record that was never saved before the reference under which the save has stored it. Its ids stay equal.
    ///
    /// - Returns: false if another record has the reference; then nothing changes.
    package final func rename(_ id: NSManagedObjectID, to data: String) -> Bool {
        identity.references?.rename(id.key, to: .string(data), root: id.layout.rootIndex) ?? false
    }

    private func notImplemented(_ method: String) -> NSError {
        CoreDataError.unsupportedRequest("\(Swift.type(of: self)) does not override \(method)", store: self)
    }
}
