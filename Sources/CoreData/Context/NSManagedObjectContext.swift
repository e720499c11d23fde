// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public class of contexts: every method documents its promise, checks the queue, and calls the part that does the
// work.

import CoreDataFoundation
public import Foundation
import Synchronization

/// A workspace of managed objects: it has one object per record, tracks every change, and saves all of them or none.
///
/// A context is confined to a queue, a private one or the main queue. Call it on that queue, except for `perform`,
/// `performAndWait` and methods that allow other threads. It holds unchanged objects weakly, changed ones strongly
/// until they are saved or rolled back.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {  // confined to its queue
    final let queue: ContextQueue
    final let state = ContextState()
    /// The type of the last fetch's results.
    @exclusivity(unchecked) final var lastFetchedType: ObjectIdentifier?
    /// The methods of this class that a subclass overrides.
    final private(set) var overrides: ContextOverrides = []
    final let ownLock = NSRecursiveLock()

    /// The queue that the context is confined to.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    /// Makes a context; set a coordinator or a parent before using it.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ContextQueue(ct)
        super.init()
        overrides = ContextOverrides(of: type(of: self))
        state.begin(self, ct == .mainQueueConcurrencyType ? makeTurnEnd() : nil)
        _ = OwnershipCheck.isOn
    }

    /// A context of the confinement type, which has no queue: only one thread may use it.
    @available(*, deprecated, message: "Use init(concurrencyType:) with a queue")
    public convenience override init() { self.init(concurrencyType: .confinedType) }

    deinit {
        state.undo.removeActions()
        state.disconnect(self)
    }

    /// The context that this one fetches from and saves to; nil if that is the coordinator.
    ///
    /// A parent is retained. Set it once, before the context is used. Setting it traps for a context with a
    /// coordinator, if either context is of the confinement type, for nil, and if it would create a cycle.
    open var parent: NSManagedObjectContext? {
        get { state.parent }
        set { state.setParent(newValue, of: self) }
    }

    /// The coordinator that the context fetches from and saves to; for a context with a parent, the coordinator of its
    /// topmost ancestor.
    ///
    /// Setting it traps for nil, on a context with a parent, and while there are unsaved changes; release the context
    /// instead. May be set on any thread; for a context that is in use, the setter waits for its queue.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.coordinator }
        set { state.setCoordinator(newValue, of: self) }
    }

    /// Whether saves of other contexts to the coordinator, or to the parent, are merged automatically, as by
    /// `mergeChanges(fromContextDidSave:)`. `false` unless set.
    ///
    /// The merge runs on the context's queue, soon after the save; a main-queue context therefore needs a main queue
    /// that runs. May be set on any thread. Traps for a context of the confinement type, which has no queue.
    open var automaticallyMergesChangesFromParent: Bool {
        get { state.settings.mergesAutomatically.load(ordering: .acquiring) }
        set { state.setMergesAutomatically(newValue, of: self) }
    }

    // MARK: Objects

    /// The live objects of this context.
    open var registeredObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.storedRegistry?.objects() ?? [])
    }
    /// Objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.inserted)
    }
    /// Objects with unsaved changes, without insertions and deletions.
    open var updatedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.updated)
    }
    /// Objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.deleted)
    }
    /// Whether there are unsaved changes.
    open var hasChanges: Bool {
        checkQueue()
        return state.tracker.hasChanges
    }

    /// The registered object with an id; nil if no object is registered. Never reads a store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        let id = state.present(objectID)
        return state.registry.object(id.objectKey, id.home)
    }

    /// The object with an id: the registered one, or a fault. Firing the fault shows whether the record exists.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        return state.faults.object(with: state.present(objectID))
    }

    /// The object with an id, realized.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) if the record does not exist; a store's error if the
    ///   store cannot be read.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        return try state.faults.existing(state.present(objectID))
    }

    /// Registers an object as an insertion. `NSManagedObject(context:)` calls it.
    ///
    /// A deleted object is restored: unchanged, or as a new record if its deletion has been saved. Relationships that
    /// delete rules have nullified in the meantime stay nullified, at both ends, and objects deleted with it stay
    /// deleted; `undo()` restores everything.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insert(object)
    }

    /// Marks an object for deletion; the next save deletes its record. An unsaved insertion is just removed.
    ///
    /// Delete rules apply at the end of the event. `prepareForDeletion()` is called at once.
    open func delete(_ object: NSManagedObject) {
        checkQueue()
        state.tracker.delete(object)
    }

    /// Chooses the store of an insertion, if several stores contain its entity.
    ///
    /// Traps for an object that was saved before, and for a store that does not contain the entity.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        checkQueue()
        StoreChoice(coordinator: state.coordinator).assign(object, to: store)
    }

    /// Assigns permanent ids to insertions before they are saved; ignores other objects.
    ///
    /// - Throws: a store's error if it cannot reserve keys.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        let coordinator = try state.requireCoordinator("obtain permanent ids")
        try PermanentIDs(state, coordinator).assign(to: objects)
    }

    /// Makes the next save fail if another writer has changed the record of an object, although it has no changes here.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue()
        guard state.tracker.owns(object), !object.isInserted else { return }
        object.flags.insert(.checked)
        state.tracker.list(object)
    }

    // MARK: Fetching

    /// Returns the results of an untyped request, as `fetch(_:)` does for a typed one.
    ///
    /// Override this method to observe or replace fetches: `fetch(_:)` of every other type, `NSFetchRequest.execute()`
    /// and results controllers then call it, with a request of the same content. Asynchronous fetches and `execute(_:)`
    /// do not.
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try found(by: request) }

    /// The number of results that `fetch(_:)` would return.
    ///
    /// Override this method to observe or replace counts: `count(for:)` of every other type then calls it.
    ///
    /// - Throws: as `fetch(_:)`.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int { try number(of: request) }

    /// Executes a request.
    ///
    /// - Parameter request: an `NSFetchRequest`, whose results are in the `finalResult` of the returned
    ///   `NSAsynchronousFetchResult`; an `NSAsynchronousFetchRequest`, whose results arrive later; or an
    ///   `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, with their results.
    /// - Throws: as `fetch(_:)`; for an asynchronous request only errors in its names, while errors of stores are in
    ///   the result's `operationError`. 134060 for an asynchronous request in a context of the confinement type, which
    ///   has no queue for the results to arrive on. 134091 (`persistentStoreUnsupportedRequestType`) for requests of
    ///   other classes, unless there are incremental stores: these receive the request, and the first one whose class
    ///   supports it answers.
    /// - Important: call on the context's queue. On the main queue, asynchronous results arrive only if that queue
    ///   runs.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult { try result(of: request) }

    // MARK: Queue

    /// Runs a block on the context's queue, asynchronously.
    ///
    /// Blocks run one after another, in the order of submission; the changes of a block are one event, processed at its
    /// end. Traps for a context of the confinement type, which has no queue.
    ///
    /// - Important: the compiler warns about a block that captures values without `Sendable`, or uses properties of an
    ///   actor; code that passes blocks on compiles all the same. A block that is written on the main actor runs on the
    ///   context's queue, not on that actor.
    @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) {
        let task = QueuedTask(block)
        queue.async(self) { task.run() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    ///
    /// The block runs on the calling thread, except for a main-queue context; then the call waits forever if that queue
    /// does not run. Pending changes are not processed at the end of the block.
    ///
    /// An override must run the block before it returns: `performAndWait` with a result relies on that.
    @_disfavoredOverload
    open func performAndWait(_ block: () -> Void) { queue.sync(self, block) }

    // MARK: Changes

    /// Combines the changes since the last call: applies delete rules, records undo, and posts the did-change
    /// notification.
    open func processPendingChanges() {
        checkQueue()
        state.processChanges()
    }

    /// Reads an object's values again.
    ///
    /// - Parameters:
    ///   - object: an object of this context; others are ignored.
    ///   - flag: `true` keeps its unsaved changes and applies them to the new values; `false` drops them and turns the
    ///     object into a fault, which releases its related objects.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue()
        if state.tracker.owns(object) { RefreshPolicy(state.faults).refresh(object, mergeChanges: flag) }
    }

    /// Turns every unchanged object into a fault; changed ones keep their changes.
    open func refreshAllObjects() {
        checkQueue()
        RefreshPolicy(state.faults).refreshAll()
        state.processChanges()
    }

    /// Undoes the last group of changes, if there is an undo manager.
    open func undo() {
        processPendingChanges()
        undoManager?.undo()
        processPendingChanges()
    }

    /// Redoes the changes that were undone last.
    open func redo() {
        processPendingChanges()
        undoManager?.redo()
        processPendingChanges()
    }

    /// Drops all unsaved changes; objects have the values that were last fetched or saved. Reads no store; clears undo.
    open func rollback() {
        checkQueue()
        Rollback(state).run()
    }

    /// Removes every object. Objects that the program retains have no context afterwards and are faults: their
    /// properties read as nil, or as the zero of their type, with a warning in the log once for each entity.
    open func reset() {
        checkQueue()
        ContextReset(state).run()
    }

    /// Writes all unsaved changes to the stores, or none of them.
    ///
    /// - Throws: a validation error (1550 to 1680, or any error that a class threw; 1560 with all of them if there are
    ///   several), 133020 for conflicts that the merge policy does not resolve, 133021 for a uniqueness constraint, 513
    ///   for a read-only store, or the error of a store. Everything stays as it was before the call, with the changes
    ///   pending. 134060 if it is called while the context is saving: in `willSave()`, in a validation, or by an
    ///   observer of the will-save notification. In `didSave()` and in observers of the did-save notifications the
    ///   context has saved, and may save again.
    /// - Complexity: in proportion to the changed objects, independent of the number of registered ones.
    open func save() throws {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        try SaveExecution(state).run()
    }

    /// Merges the save of another context: refreshes, registers and deletes objects.
    ///
    /// Rows that a context of another coordinator saved are read again, and so are the rows of a notification that no
    /// context posted.
    ///
    /// - Parameter notification: a did-save notification of a context, with objects or ids. May be called on any thread
    ///   for a context with a private queue; the call then waits for that queue.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        RemoteChanges.merge(notification, into: self)
    }

    /// Merges changes that no context of this coordinator saved: those of another process, another coordinator, or a
    /// batch request.
    ///
    /// The rows of the records are read again; see `mergeChanges(fromContextDidSave:)` for the rest.
    ///
    /// - Parameters:
    ///   - changeNotificationData: under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`, `NSDeletedObjectsKey` and
    ///     similar keys: ids, or URIs of ids, in an array or a set.
    ///   - contexts: any number of contexts, parents before their children. Each merges on its queue while the caller
    ///     waits.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        RemoteChanges.merge(changeNotificationData, into: contexts)
    }
}
