// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The face of stores that users write: what a subclass answers, and what it may use.

public import Foundation

/// A store that a subclass keeps wherever it likes: in files of its own, behind a web service, in another database.
///
/// A subclass says who it is (`loadMetadata`), answers requests (`execute`), gives the values of single records
/// (`newValuesForObject`, `newValue(forRelationship:…)`) and names new ones (`obtainPermanentIDs`). Everything else is
/// done here: ids, faults, uniquing, the row cache, unsaved changes, conflicts, uniqueness constraints. Register it
/// with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. `Documentation/Stores.md` has the rules,
/// `Examples/JSONStore` a store.
///
/// The methods are called one at a time, on any thread. What a subclass answers wrongly is an error with the code
/// 134070 that names entity, record and key.
open class NSIncrementalStore: NSPersistentStore, RecordStore {
    final let rowCache = RowCache()
    /// Held while the subclass is asked.
    final let asking = NSRecursiveLock()
    /// Guarded by `asking`: nothing is asked any more.
    final var isClosed = false
    /// nil until the store is opened.
    final var layouts: ModelLayout?
    /// Of the derived attributes that `storedValues(of:)` computes.
    final var derived: [DerivedRule] = []

    static var addressing: StoreAddressing { .any }

    /// As the metadata say, unless a subclass knows better.
    open override var type: String { metadata[NSStoreTypeKey] as? String ?? "" }

    // MARK: What a subclass answers

    /// Sets `metadata`, with `NSStoreUUIDKey` and `NSStoreTypeKey` at least. Called once, before anything else.
    ///
    /// For a store that is new, `identifierForNewStore(at:)` makes the UUID. Version hashes of a model, if the metadata
    /// have them, are compared with the model's. Where there are none they are added; keep `metadata` with each save.
    ///
    /// - Throws: whatever is the reason that the store cannot be opened.
    open override func loadMetadata() throws { throw notImplemented("loadMetadata()") }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: a fetch request, always an `NSFetchRequest<any NSFetchRequestResult>`; an `NSSaveChangesRequest`;
    ///     or what else `NSManagedObjectContext.execute(_:)` was given. Objects in predicates have become ids. Code in
    ///     predicates is left out: the context asks it itself. Key paths for prefetching, the batch size and whether
    ///     faults will do are those of the user's request: hints of what will be asked for next.
    ///   - context: for a save, the context that is saved. Else one without changes, for the time of the call: make
    ///     objects in it with `object(with:)`.
    /// - Returns: for a fetch, an array by the request's `resultType`: objects or ids, which stand for one another;
    ///   dictionaries by the names of `propertiesToFetch`; one number. Predicate, order, offset and limit are the
    ///   store's to keep to; `results(of:among:with:)` does that in memory. For a save, which writes everything or
    ///   throws, an empty array; a save without objects is one of the metadata alone. For other requests an
    ///   `NSPersistentStoreResult`.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw notImplemented("execute(_:with:)")
    }

    /// The values of a record.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) where there is no such record; any other error says that
    ///   it cannot be read now.
    open func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        throw notImplemented("newValuesForObject(with:with:)")
    }

    /// What a relationship leads to.
    ///
    /// - Returns: for a to-many an array of ids, in order where it is ordered; for a to-one, which is asked for where a
    ///   node has none, an id or `NSNull`.
    /// - Throws: as `newValuesForObject(with:with:)`.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw notImplemented("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Ids for objects that will be inserted, in their order: made with `newObjectID(for:referenceObject:)`.
    ///
    /// Called before the save, or earlier where ids are asked for; the objects may never be saved. Unless overridden,
    /// references are new UUIDs.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID()) }
    }

    /// A UUID for a store that does not exist yet.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Contexts have objects of these records now. Told soon afterwards, once for each context that has one.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Contexts have let go of their objects of these records. Told soon afterwards, once for each context that had
    /// one.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: What a subclass uses

    /// The id of a record.
    ///
    /// - Parameters:
    ///   - entity: the record's own entity, not a superentity, where that is known.
    ///   - data: what the store calls the record: a string, a whole number or a UUID. One reference means one record
    ///     below a root entity. Anything else stops the program.
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

    /// What the store calls a record: a string, an `NSNumber` or a `UUID`. A temporary id, or one of another store,
    /// stops the program.
    public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard objectID.home === identity, let reference = objectID.reference else {
            preconditionFailure("\(objectID) is no id of a record of this store, so it has no reference object.")
        }
        return reference.object
    }

    private func notImplemented(_ method: String) -> NSError {
        CoreDataError.unsupportedRequest("\(Swift.type(of: self)) does not override \(method)", store: self)
    }
}
