// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public class of contexts: every method states its promise, checks the queue, and calls a stage.

import CoreDataFoundation
public import Foundation
import Synchronization

/// A scratch pad of managed objects: it holds one object per record, tracks every change, and commits all of them or
/// none.
///
/// A context belongs to a queue, its own or the main one. Call it on that queue, apart from `perform`, `performAndWait`
/// and methods that allow other threads. Unchanged objects are held weakly, changed ones strongly until they are saved
/// or rolled back.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {  // confined to its queue
    final let queue: ContextQueue
    final let state = ContextState()
    /// The type of the last fetch's results.
    @exclusivity(unchecked) final var lastFetchedType: ObjectIdentifier?
    /// The methods of this class that the object's own class overrides.
    final private(set) var overrides: ContextOverrides = []
    final let ownLock = NSRecursiveLock()

    /// How the context is confined.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    /// Makes a context; it needs a coordinator before it can be used.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ContextQueue(ct)
        super.init()
        overrides = ContextOverrides(of: type(of: self))
        state.begin(self, ct == .mainQueueConcurrencyType ? makeTurnEnd() : nil)
        _ = OwnershipCheck.isOn
    }

    /// A context of the confinement type, which has no queue: one thread uses it.
    @available(*, deprecated, message: "Use init(concurrencyType:) with a queue")
    public convenience override init() { self.init(concurrencyType: .confinedType) }

    deinit {
        state.undo.removeActions()
        state.disconnect(self)
    }

    /// The context that this one fetches from and saves to, one level up; nil when that is the coordinator.
    ///
    /// A parent is held strongly. It is set once, before the context is used: setting it traps for a context that has a
    /// coordinator, for contexts of the confinement type (either of the two), for nil, and where it would make a
    /// circle.
    open var parent: NSManagedObjectContext? {
        get { state.parent }
        set { state.setParent(newValue, of: self) }
    }

    /// The coordinator that the context fetches from and saves to; that of its topmost ancestor for a context with a
    /// parent.
    ///
    /// Traps when it is set to nil, set on a context with a parent, or replaced while there are unsaved changes: let go
    /// of the context instead. May be set on any thread; the work then waits for the queue of a context that is in use.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.coordinator }
        set { state.setCoordinator(newValue, of: self) }
    }

    /// Whether saves of others to the coordinator, or to the parent, are merged automatically, as
    /// `mergeChanges(fromContextDidSave:)` does it. `false` unless set.
    ///
    /// The merge happens on the context's queue, soon after the save; a main-queue context therefore needs a main queue
    /// that runs. May be set on any thread. Traps for a context of the confinement type, which has no queue.
    open var automaticallyMergesChangesFromParent: Bool {
        get { state.settings.mergesAutomatically.load(ordering: .acquiring) }
        set { state.setMergesAutomatically(newValue, of: self) }
    }

    // MARK: Objects

    /// Every object that stands for a record here and is alive.
    open var registeredObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.storedRegistry?.objects() ?? [])
    }
    /// Objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.inserted)
    }
    /// Objects with unsaved changes, insertions and deletions apart.
    open var updatedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.updated)
    }
    /// Objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(state.tracker.deleted)
    }
    /// Whether there is anything to save.
    open var hasChanges: Bool {
        checkQueue()
        return state.tracker.hasChanges
    }

    /// The registered object with an id; nil when there is none. Never reads a store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        let id = state.present(objectID)
        return state.registry.object(id.objectKey, id.home)
    }

    /// The object with an id: the registered one, or a fault. Whether there is a record shows when it is fired.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        return state.faults.object(with: state.present(objectID))
    }

    /// The object with an id, with its values; never a fault.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) when there is no such record; a store's error when it
    ///   cannot be read.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        return try state.faults.existing(state.present(objectID))
    }

    /// Registers an object as an insertion. `NSManagedObject(context:)` does that by itself.
    ///
    /// A deleted object comes back: as it was, or as a new record when its deletion is saved. Relationships that
    /// delete rules have ended meanwhile stay ended, at both ends, and objects deleted with it stay deleted; `undo()`
    /// brings everything back.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insert(object)
    }

    /// Marks an object for deletion; its record goes with the next save. An unsaved insertion just goes away.
    ///
    /// Delete rules apply at the end of the event. `prepareForDeletion()` is called at once.
    open func delete(_ object: NSManagedObject) {
        checkQueue()
        state.tracker.delete(object)
    }

    /// Chooses the store of an insertion, where several hold its entity.
    ///
    /// Traps for an object that was saved before and for a store that does not hold the entity.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        checkQueue()
        StoreChoice(coordinator: state.coordinator).assign(object, to: store)
    }

    /// Gives insertions their permanent ids before they are saved; other objects are left alone.
    ///
    /// - Throws: a store's error when it cannot reserve keys.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        let coordinator = try state.requireCoordinator("obtain permanent ids")
        try PermanentIDs(state, coordinator).assign(to: objects)
    }

    /// Makes the next save fail if others have changed the record of an object that did not change here.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue()
        guard state.tracker.owns(object), !object.isInserted else { return }
        object.flags.insert(.checked)
        state.tracker.list(object)
    }

    // MARK: Fetching

    /// The results of a request without a type, as `fetch(_:)` of a typed request gives them.
    ///
    /// Override this method to observe or replace fetches: `fetch(_:)` of every other type, `NSFetchRequest.execute()`
    /// and results controllers call it then, with a request of the same content. Asynchronous fetches and `execute(_:)`
    /// do not.
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try found(by: request) }

    /// How many results `fetch(_:)` would give.
    ///
    /// Override this method to observe or replace counts: `count(for:)` of every other type calls it then.
    ///
    /// - Throws: as `fetch(_:)`.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int { try number(of: request) }

    /// Carries out a request.
    ///
    /// - Parameter request: an `NSFetchRequest`, whose results are in the `finalResult` of the
    ///   `NSAsynchronousFetchResult` that is given; an `NSAsynchronousFetchRequest`, whose results come later; or an
    ///   `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, which give their results.
    /// - Throws: as `fetch(_:)`; for an asynchronous request errors in its names, while errors of stores
    ///   come as the result's `operationError`. 134060 for an asynchronous request in a context of the confinement
    ///   type, which has no queue for the results to arrive on. 134091 (`persistentStoreUnsupportedRequestType`) for
    ///   requests of other classes, unless there are incremental stores: those get them, and the first one answers
    ///   whose class knows them.
    /// - Important: call on the context's queue. On the main queue, asynchronous results arrive only where it is
    ///   drained.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult { try result(of: request) }

    // MARK: Queue

    /// Runs a block on the context's queue, later.
    ///
    /// Blocks run one after another, in the order of submission; the changes of a block are one event, processed at its
    /// end. Traps for a context of the confinement type, which has no queue.
    ///
    /// - Important: the compiler warns of a block that captures values without `Sendable`, or uses properties of an
    ///   actor; code that passes blocks on compiles all the same. A block that is written on the main actor runs on the
    ///   context's queue, not on that actor.
    @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) {
        let task = QueuedTask(block)
        queue.async(self) { task.run() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    ///
    /// The block runs on the calling thread, unless the context is of the main queue; then it waits for ever if
    /// that does not run. Pending changes are not processed at its end.
    ///
    /// An override must run the block before it returns: `performAndWait` with a result calls it.
    @_disfavoredOverload
    open func performAndWait(_ block: () -> Void) { queue.sync(self, block) }

    // MARK: Changes

    /// Coalesces the changes since the last call: propagates deletes, records undo, and posts the did-change
    /// notification.
    open func processPendingChanges() {
        checkQueue()
        state.processChanges()
    }

    /// Reads an object's values again.
    ///
    /// - Parameters:
    ///   - object: an object of this context; others are left alone.
    ///   - flag: `true` keeps its unsaved changes and lays them over the new values; `false` drops them and turns the
    ///     object into a fault, which lets go of the objects it refers to.
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

    /// Takes back the last group of changes, if there is an undo manager.
    open func undo() {
        processPendingChanges()
        undoManager?.undo()
        processPendingChanges()
    }

    /// Makes the changes again that were taken back last.
    open func redo() {
        processPendingChanges()
        undoManager?.redo()
        processPendingChanges()
    }

    /// Forgets all unsaved changes; objects have the values that were last fetched or saved. Reads no store; clears
    /// undo.
    open func rollback() {
        checkQueue()
        Rollback(state).run()
    }

    /// Forgets every object. Objects that the program still holds belong to no context and are faults: their properties
    /// read as nil, or as the zero of their type, with a warning in the log once for each entity.
    open func reset() {
        checkQueue()
        ContextReset(state).run()
    }

    /// Writes all unsaved changes to the stores, or none of them.
    ///
    /// - Throws: a validation error (1550 to 1680, or what a class threw; 1560 with all of them if there are several),
    ///   133020 for conflicts that the merge policy does not resolve, 133021 for a uniqueness constraint, 513 for a
    ///   read-only store, or the error of a store. Everything stays as it was before the call, changes pending. 134060
    ///   when it is called while the context is saving: in `willSave()`, in a validation, or by an observer of the
    ///   will-save notification. In `didSave()` and in observers of the did-save notifications the context has saved,
    ///   and may save again.
    /// - Complexity: in proportion to the changed objects, whatever the number of registered ones.
    open func save() throws {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        try SaveExecution(state).run()
    }

    /// Merges the save of another context: refreshes, registers and deletes objects.
    ///
    /// Rows that a context of another coordinator saved are read again, as are those of a notification that no context
    /// posted.
    ///
    /// - Parameter notification: a did-save notification of a context, objects or ids. May be called on any thread for
    ///   a context with a queue of its own; the work then waits for that queue.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        RemoteChanges.merge(notification, into: self)
    }

    /// Merges changes that no context of this coordinator saved: those of another process, another coordinator, or a
    /// request that works in the store.
    ///
    /// The rows of the named records are read again; see `mergeChanges(fromContextDidSave:)` for the rest.
    ///
    /// - Parameters:
    ///   - changeNotificationData: under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`, `NSDeletedObjectsKey` and the
    ///     like: ids, or URIs of ids, in an array or a set.
    ///   - contexts: any number of contexts, parents before their children. Each merges on its queue while the caller
    ///     waits.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        RemoteChanges.merge(changeNotificationData, into: contexts)
    }
}
