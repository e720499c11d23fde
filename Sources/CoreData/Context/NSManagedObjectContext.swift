// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public face of the context: every method says what it promises, then calls the room that does it.

import CoreDataFoundation
public import Foundation
import Synchronization

/// A scratch pad of managed objects: it holds one object per record, tracks every change, and commits all of them or
/// none.
///
/// A context belongs to a queue, its own or the main one. Apart from `perform`, `performAndWait` and what says
/// otherwise, call
/// everything on that queue. Unchanged objects are held weakly, changed ones strongly until they are saved or rolled
/// back.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {  // confined to its queue
    final let queue: ContextQueue
    @exclusivity(unchecked) final var tracker = ChangeTracker()
    @exclusivity(unchecked) final var storedRegistry: ObjectRegistry?
    @exclusivity(unchecked) final private var coordinator: NSPersistentStoreCoordinator?
    @exclusivity(unchecked) final private(set) var storedParent: NSManagedObjectContext?
    final let children = ContextList()
    final let mailbox = Mailbox()
    final let mergeInbox = MergeInbox()
    final private let mergesAutomatically = Atomic<Bool>(false)
    @exclusivity(unchecked) final var burst: ReadBurst?
    /// What the context reads stores as of; see `setQueryGenerationFrom(_:)`.
    @exclusivity(unchecked) final var generationToken: NSQueryGenerationToken?
    /// Counts saves, merges and resets: what stores said before one of them may be older than what is known here.
    @exclusivity(unchecked) final var epoch = 0
    @exclusivity(unchecked) final var isProcessing = false
    @exclusivity(unchecked) final var isSaving = false
    /// How many saves announce what they have written, one inside the other.
    @exclusivity(unchecked) final var announcingSaves = 0
    /// While the context saves: the sets that its notifications carried.
    @exclusivity(unchecked) final var noticedSets: NoticedSets?
    /// Pending changes will be processed at the end of the main queue's turn.
    @exclusivity(unchecked) final var isTurnEndScheduled = false
    /// Those who observe `hasChanges`; made for the first of them.
    @exclusivity(unchecked) final var hasChangesObservation: HasChangesObservation?
    /// A fault could not be fired because a store could not be read: the next save says so instead of losing anything.
    @exclusivity(unchecked) final var storedReadFailure: ReadFailure?
    /// Made when the first fault asks a store on its own, where that is counted.
    @exclusivity(unchecked) final var faultRunCounter: FaultRunCounter?
    /// The type of results that was asked for last.
    @exclusivity(unchecked) final private var lastFetchedType: ObjectIdentifier?
    @exclusivity(unchecked) final private var retained: Set<NSManagedObject> = []
    /// Undo records of another number are worth nothing.
    final var undoEpoch = 0
    final let settings = ContextSettings()
    final let ownLock = NSRecursiveLock()

    /// How the context is confined.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    /// Makes a context; it needs a coordinator before it can be used.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ContextQueue(ct)
        super.init()
        _ = OwnershipCheck.isOn
    }

    /// A context of the confinement type, which has no queue: one thread uses it.
    @available(*, deprecated, message: "Use init(concurrencyType:) with a queue")
    public convenience override init() { self.init(concurrencyType: .confinedType) }

    deinit {
        leaveUndoManager()
        storedParent?.children.remove(self)
        coordinator?.followers.remove(self)
        coordinator?.contexts.remove(self)
        storedRegistry?.disband()
    }

    /// The context that this one fetches from and saves to, one level up; nil when that is the coordinator.
    ///
    /// A parent is held strongly. It is set once, before the context is used: setting it traps for a context that has a
    /// coordinator, for contexts of the confinement type (either of the two), for nil, and where it would make a
    /// circle.
    open var parent: NSManagedObjectContext? {
        get { storedParent }
        set {
            guard newValue !== storedParent else { return }
            guard let newValue else {
                preconditionFailure("A context cannot be cut off from its parent: let go of the context instead.")
            }
            precondition(
                coordinator == nil && storedParent == nil,
                "A context that has a coordinator or a parent already cannot get another parent: make a new context.")
            precondition(
                !concurrencyType.isConfined && !newValue.concurrencyType.isConfined,
                "A context of the confinement type has no parent and no children: use one with a queue.")
            precondition(
                !sequence(first: newValue, next: \.storedParent).contains { $0 === self },
                "A context cannot be its own ancestor.")
            storedParent = newValue
            newValue.children.add(self)
        }
    }

    /// The coordinator that the context fetches from and saves to; that of its topmost ancestor for a context with a
    /// parent.
    ///
    /// Traps when it is set to nil, set on a context with a parent, or replaced while there are unsaved changes: let go
    /// of the context instead. May be set on any thread; the work then waits for the queue of a context that is in use.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { storedParent?.persistentStoreCoordinator ?? coordinator }
        set {
            guard let newValue else {
                preconditionFailure("A context cannot be cut off from its coordinator: let go of the context instead.")
            }
            precondition(storedParent == nil, "A context with a parent uses its parent's coordinator.")
            guard newValue !== coordinator else { return }
            if storedRegistry == nil { connect(to: newValue) } else { queue.sync(self) { connect(to: newValue) } }
        }
    }

    private func connect(to newCoordinator: NSPersistentStoreCoordinator) {
        precondition(
            storedRegistry == nil || !hasChanges,
            "A context with unsaved changes cannot change its coordinator: save or reset it first.")
        endUndoEpoch()
        storedRegistry?.disband()
        coordinator?.followers.remove(self)
        coordinator?.contexts.remove(self)
        // Waits while a store is migrated: that must know all contexts.
        newCoordinator.performAndWait { newCoordinator.contexts.add(self) }
        coordinator = newCoordinator
        if automaticallyMergesChangesFromParent { newCoordinator.followers.add(self) }
        forgetGeneration()
        storedRegistry = ObjectRegistry(model: newCoordinator.model, owner: self)
    }

    /// Whether what others save to the coordinator, or to the parent, is merged here without being asked, as
    /// `mergeChanges(fromContextDidSave:)` does it. `false` unless set.
    ///
    /// The merge happens on the context's queue, soon after the save; a main-queue context therefore needs a main queue
    /// that runs. May be set on any thread. Traps for a context of the confinement type, which has no queue.
    open var automaticallyMergesChangesFromParent: Bool {
        get { mergesAutomatically.load(ordering: .acquiring) }
        set {
            precondition(
                !newValue || !concurrencyType.isConfined,
                "A context of the confinement type has no queue to merge on: call `mergeChanges(fromContextDidSave:)` yourself."
            )
            guard mergesAutomatically.exchange(newValue, ordering: .acquiringAndReleasing) != newValue else { return }
            if newValue { coordinator?.followers.add(self) } else { coordinator?.followers.remove(self) }
        }
    }

    // MARK: Objects

    /// Every object that stands for a record here and is alive.
    open var registeredObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(storedRegistry?.objects() ?? [])
    }
    /// Objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(tracker.inserted)
    }
    /// Objects with unsaved changes, insertions and deletions apart.
    open var updatedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(tracker.updated)
    }
    /// Objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> {
        checkQueue()
        return Set(tracker.deleted)
    }
    /// Whether there is anything to save.
    open var hasChanges: Bool {
        checkQueue()
        var dropped: ContiguousArray<NSManagedObject> = []
        return tracker.hasChanges(&dropped)
    }

    /// The registered object with an id; nil when there is none. Never reads a store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkQueue()
        return registry.object(objectID.objectKey, objectID.home)
    }

    /// The object with an id: the registered one, or a fault. Whether there is a record shows when it is fired.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        let object = registry.unique(key(of: objectID), objectID.home, row: nil)
        retain(object)
        return object
    }

    /// The object with an id, with its values; never a fault.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) when there is no such record; a store's error when it
    ///   cannot be read.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        return try FaultFulfilment(self).existing(objectID)
    }

    /// Registers an object as an insertion. `NSManagedObject(context:)` does that by itself.
    ///
    /// A deleted object comes back: as it was, or as a new record when its deletion is saved. Relationships that
    /// delete rules have ended meanwhile stay ended, at both ends, and what went with the object stays deleted; `undo()`
    /// brings everything back.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        insertObject(object)
    }

    /// Marks an object for deletion; its record goes with the next save. An unsaved insertion just goes away.
    ///
    /// Delete rules apply at the end of the event. `prepareForDeletion()` is called at once.
    open func delete(_ object: NSManagedObject) {
        checkQueue()
        deleteObject(object)
    }

    /// Says which store an insertion goes to, where several hold its entity.
    ///
    /// Traps for an object that was saved before and for a store that does not hold the entity.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        checkQueue()
        guard let object = object as? NSManagedObject, object.isInserted else {
            preconditionFailure("Only an unsaved insertion can be assigned to a store.")
        }
        precondition(
            persistentStoreCoordinator?.holds(object.table.layout, in: store) == true,
            "The store \(store.identifier ?? "") does not hold the entity '\(object.table.layout.name)'.")
        object.extensionMade.assignedStore = store
    }

    /// Gives insertions their permanent ids before they are saved; other objects are left alone.
    ///
    /// - Throws: a store's error when it cannot reserve keys.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        try PermanentIDs(self).obtain(for: objects)
    }

    /// Makes the next save fail when the record of an object that did not change here was changed meanwhile.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue()
        guard object.table.owner === self, !object.isInserted else { return }
        object.flags.insert(.checked)
        tracker.list(object)
    }

    // MARK: Fetching

    /// The objects that match a request, unsaved changes of this context included.
    ///
    /// - Returns: at most `fetchLimit` results in the order of `sortDescriptors`. Objects are registered here.
    /// - Throws: a Cocoa error: an unknown entity, a key that the entity does not have, or a store that cannot be read.
    /// - Complexity: one statement per store, plus one pass over the unsaved changes of the entity.
    open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue()
        if lastFetchedType != ObjectIdentifier(T.self) { noteFetchedType(T.self) }
        try throwFaultRun()
        do {
            if let found = try PlainFetch.objects(self, request) { return found }
            return try FetchExecution(self, request).run(as: T.self)
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }

    private func noteFetchedType(_ type: Any.Type) {
        lastFetchedType = ObjectIdentifier(type)
        if let type = type as? NSManagedObject.Type { ObjectClasses.register(type) }
    }

    /// How many objects `fetch` would give.
    ///
    /// - Throws: as `fetch`.
    open func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        checkQueue()
        try throwFaultRun()
        do {
            return try FetchExecution(self, request).count()
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }

    // MARK: Changes

    /// Coalesces the changes since the last call: propagates deletes, records undo, and posts the did-change
    /// notification.
    open func processPendingChanges() {
        checkQueue()
        ChangeProcessing(self).run()
    }

    /// Reads an object's values again.
    ///
    /// - Parameter flag: `true` keeps its unsaved changes and lays them over the new values; `false` drops them and
    ///   turns the object
    ///   into a fault, which lets go of the objects it refers to.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue()
        RefreshPolicy(self).refresh(object, mergeChanges: flag)
    }

    /// Turns every unchanged object into a fault; changed ones keep their changes.
    open func refreshAllObjects() {
        checkQueue()
        RefreshPolicy(self).refreshAll()
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
        Rollback(self).run()
    }

    /// Forgets every object. Those that someone still holds belong to no context and are faults: their properties read
    /// as nil, or as the zero of their type, and the log says so once for each entity.
    open func reset() {
        checkQueue()
        Rollback(self).reset()
    }

    /// Writes all unsaved changes to the stores, or none of them.
    ///
    /// - Throws: a validation error (1550 to 1680; 1560 with all of them when there are several), 133020 for conflicts
    ///   that the merge
    ///   policy does not resolve, 133021 for a uniqueness constraint, 513 for a read-only store, or the error of a
    ///   store. Everything
    ///   stays as it was before the call, changes pending. 134060 when it is called while the context is saving: in `willSave()`, in
    ///   a validation, or by an observer of the will-save notification. In `didSave()` and in observers of the did-save notifications the
    ///   context has saved, and may save again.
    /// - Complexity: in proportion to the changed objects, whatever the number of registered ones.
    open func save() throws {
        checkQueue()
        try throwFaultRun()
        try SaveExecution(self).run()
    }

    /// Takes over what another context saved: refreshes, registers and deletes.
    ///
    /// Rows that a context of another coordinator saved are read again, as are those of a notification that no context
    /// posted.
    ///
    /// - Parameter notification: a did-save notification of a context, objects or ids. May be called on any thread for
    ///   a context with a
    ///   queue of its own; the work then waits for that queue.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        guard let info = notification.userInfo, let coordinator = persistentStoreCoordinator else { return }
        let saved = SavedIDs(info, coordinator)
        // A save by this coordinator has put its rows into the row cache; the rows of any other save are read again.
        let sender = notification.object as? NSManagedObjectContext
        if sender?.persistentStoreCoordinator !== coordinator { coordinator.forgetRows(saved.updated + saved.deleted) }
        performAndWait { RemoteChanges(self).merge(saved) }
    }

    /// Takes over what was saved past these contexts: by another process, another coordinator, or a request that works
    /// in the store.
    ///
    /// Rows of what it names are read again; see `mergeChanges(fromContextDidSave:)` for the rest.
    ///
    /// - Parameters:
    ///   - changeNotificationData: under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`, `NSDeletedObjectsKey` and the like: ids, or URIs of ids,
    ///     in an array or a set.
    ///   - contexts: any number of contexts; each does its part on its queue while the caller waits. Parents before their children.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            let saved = SavedIDs(changeNotificationData, coordinator)
            coordinator.forgetRows(saved.updated + saved.deleted)
            context.performAndWait { RemoteChanges(context).merge(saved) }
        }
    }

    func retain(_ object: NSManagedObject) {
        if retainsRegisteredObjects { retained.insert(object) }
    }

    func releaseRetained() { if retainsRegisteredObjects { retained = [] } }

    /// Holds what is registered, or lets go of it, as `retainsRegisteredObjects` says now.
    func retainRegistered() { retained = retainsRegisteredObjects ? Set(storedRegistry?.objects() ?? []) : [] }
}

extension NSManagedObjectContext {
    /// The identity maps; there is none before a coordinator is set.
    var registry: ObjectRegistry {
        if let storedRegistry { return storedRegistry }
        guard let coordinator = persistentStoreCoordinator else {
            preconditionFailure(
                "The context has no persistent store coordinator yet: set `persistentStoreCoordinator` or `parent` first."
            )
        }
        let registry = ObjectRegistry(model: coordinator.model, owner: self)
        storedRegistry = registry
        return registry
    }

    /// The key of an id in this context's model: ids of another coordinator on the same model name the same entities.
    func key(of id: NSManagedObjectID) -> ObjectKey {
        if registry.model.layouts.indices.contains(id.layout.index),
            registry.model.layouts[id.layout.index] === id.layout
        {
            return id.objectKey
        }
        guard let layout = registry.model.layout(named: id.layout.name) else {
            preconditionFailure(
                "The id \(id) is of the entity '\(id.layout.name)', which this context's model does not have.")
        }
        return ObjectKey(layout.index, id.key)
    }

    /// What an asynchronous block changed is one event, and one step of undo.
    func endEvent() {
        processPendingChanges()
        undoManager?.endEventGroup()
    }

    /// - Returns: whether this call began it, and so has to end it.
    func beginBurst() -> Bool {
        guard burst == nil else { return false }
        burst = ReadBurst()
        return true
    }

    /// Before something is written: a read transaction of one's own would keep the write-ahead log from being emptied.
    func endReads() { burst?.end() }

    func endBurst() {
        burst?.end()
        burst = nil
        faultRunCounter?.endEvent()
    }
}
