// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public class of contexts: every method documents its promise, checks the queue, and calls the part that does the
// work.

import CoreDataFoundation
public import Foundation
import Synchronization

/// A workspace of managed objects: it has one object per record, tracks every change, and saves all of them or none.
///
/// Use one context for each unit of work. The view context of a container serves the main actor; each import or export
/// gets a background context, so that its changes can be saved or dropped as a whole.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///     let note = Memo(context: context)
///     note.title = "Groceries"
///     try context.save()
/// }
/// ```
///
/// Unchanged objects are held weakly: the context forgets them when the program does. Changed ones are held strongly
/// until they are saved or rolled back.
///
/// Errors of `save()` and `fetch(_:)` are Cocoa errors, and the changes stay pending after each of them. A property
/// cannot throw: if the row of a fault cannot be read, the property gives nil and the next `save()` throws 134030.
///
/// - Important: a context belongs to a queue, its private one or the main one. Call it on that queue, apart from
///   `perform`, `performAndWait` and the methods that allow other threads. Programs started with
///   `-com.apple.CoreData.ConcurrencyDebug 1` stop at a call on another queue.
/// - Complexity: the cost of a save depends on the changed objects, not on the registered ones.
/// - SeeAlso: `NSPersistentContainer.newBackgroundContext()`, `NSPersistentContainer.viewContext`, `NSManagedObject`.
/// - Source: Core Data Programming Guide, "Concurrency" and "Change Management".
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

    /// Creates a context with a private queue, or one of the main queue.
    ///
    /// Give it a coordinator or a `parent` before its first use. The contexts of a container have the container's
    /// coordinator already: prefer `NSPersistentContainer.newBackgroundContext()` where there is a container.
    ///
    /// ```swift
    /// let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    /// context.persistentStoreCoordinator = coordinator
    /// ```
    ///
    /// - Parameter ct: `.privateQueueConcurrencyType` for work in the background, `.mainQueueConcurrencyType` for the
    ///   main actor.
    /// - Important: may be called on any thread. The first use of a context without a coordinator traps, or throws
    ///   134060 if the method can throw.
    /// - SeeAlso: `persistentStoreCoordinator`, `parent`, `perform(_:)`.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ContextQueue(ct)
        super.init()
        overrides = ContextOverrides(of: type(of: self))
        state.begin(self, ct == .mainQueueConcurrencyType ? makeEventEndScheduler() : nil)
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
    /// A child context is a draft: its changes reach the parent with `save()`, and the store when the parent saves.
    /// Release the child to drop them.
    ///
    /// ```swift
    /// let draft = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    /// draft.parent = context
    /// let copy = try draft.existingObject(with: note.objectID) as? Memo
    /// copy?.title = "Grocery list"  // note.title is "Groceries" still
    /// try draft.save()  // note.title is "Grocery list"; the store learns it when the parent saves
    /// try context.save()
    /// ```
    ///
    /// A parent is held strongly. Set it once, before the context is used. Setting it traps for a context that has a
    /// coordinator, for contexts of the confinement type (either of the two), for nil, and where it would make a
    /// circle.
    ///
    /// - Important: reads and saves of the child wait for the parent's queue. Do not wait in a block of the parent for
    ///   a child that is at work.
    /// - Complexity: a record that the parent does not have is read from the store and registered in the child only.
    /// - SeeAlso: `automaticallyMergesChangesFromParent`, `persistentStoreCoordinator`.
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

    /// Whether saves of other contexts to the coordinator, or to the parent, are merged automatically. `false` unless
    /// set.
    ///
    /// Set it for a context that shows records, such as `NSPersistentContainer.viewContext`. Each save is merged as
    /// `mergeChanges(fromContextDidSave:)` does it: unsaved changes stay, other values become the saved ones.
    ///
    /// ```swift
    /// container.viewContext.automaticallyMergesChangesFromParent = true
    /// let note = Memo(context: container.viewContext)
    /// note.title = "Groceries"
    /// try container.viewContext.save()
    /// let id = note.objectID
    /// try await container.performBackgroundTask { context in
    ///     (try context.existingObject(with: id) as? Memo)?.title = "Garden"
    ///     try context.save()
    /// }
    /// while note.title != "Garden" { try await Task.sleep(for: .milliseconds(5)) }  // the merge comes a little later
    /// ```
    ///
    /// The merge happens on the context's queue, soon after the save; a main-queue context therefore needs a main queue
    /// that runs. Commits of other processes are merged as well if the store has a history and was opened with
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
    ///
    /// - Important: may be set on any thread. Traps for a context of the confinement type, which has no queue.
    /// - SeeAlso: `mergeChanges(fromContextDidSave:)`, `NSPersistentContainer.viewContext`.
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

    /// Whether there is anything to save: an insertion, an update or a deletion.
    ///
    /// ```swift
    /// if context.hasChanges { try context.save() }
    /// ```
    ///
    /// A property that was set back to its saved value, or a change of a transient property, counts as well; the save
    /// then writes nothing.
    ///
    /// - Important: read on the context's queue. Observe `\.hasChanges` to enable a button.
    /// - Complexity: one test; no statement.
    /// - SeeAlso: `save()`, `NSManagedObject.hasChanges`, `insertedObjects`, `updatedObjects`, `deletedObjects`.
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

    /// The object with an id: the registered one, or a fault.
    ///
    /// Use it for an id of a record that certainly exists, for example to set a relationship. It reads nothing, so it
    /// cannot find out that the record is gone.
    ///
    /// ```swift
    /// let note = Memo(context: context)
    /// note.title = "Groceries"
    /// note.folder = context.object(with: folderID) as? Folder  // reads no row
    /// ```
    ///
    /// If the record is gone, the first property that is read gives nil, or the zero of its type, and the object is
    /// marked as deleted; with `shouldDeleteInaccessibleFaults` set to `false` it traps.
    ///
    /// - Important: call on the context's queue.
    /// - Complexity: one look-up in memory.
    /// - SeeAlso: `existingObject(with:)`, `registeredObject(for:)`.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        return state.faults.object(with: state.present(objectID))
    }

    /// The object with an id, realized.
    ///
    /// Use it for an id from another context, a notification or a file: it throws when the record has been deleted, in
    /// place of a fault that fails later.
    ///
    /// ```swift
    /// do {
    ///     let folder = try context.existingObject(with: folderID) as? Folder
    ///     print(folder?.name ?? "")
    /// } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
    ///     print("Another context has deleted the folder.")
    /// }
    /// ```
    ///
    /// - Throws: `CocoaError` 133000 (`managedObjectReferentialIntegrity`) when there is no such record; the error of a
    ///   store that cannot be read.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement, which reads the present row; none if the object is registered with its values.
    /// - SeeAlso: `object(with:)`, `NSPersistentStoreCoordinator.managedObjectID(forURIRepresentation:)`.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        return try state.faults.existing(state.present(objectID))
    }

    /// Registers an object as an insertion, which the next save writes.
    ///
    /// `NSManagedObject.init(context:)` does that by itself. Call this method for an object that was made in no
    /// context, or to revoke a deletion.
    ///
    /// ```swift
    /// let note = Memo(entity: Memo.entity(), insertInto: nil)  // in no context
    /// note.title = "Groceries"
    /// if !note.title.isEmpty { context.insert(note) }
    /// ```
    ///
    /// A deleted object comes back: as it was, or as a new record when its deletion is saved. Relationships that delete
    /// rules have ended in the meantime stay ended, at both ends, and objects deleted with it stay deleted; `undo()`
    /// brings everything back.
    ///
    /// - Important: call on the context's queue. Traps for an object of another context, of an abstract entity, or of
    ///   an entity that the context's model lacks.
    /// - Complexity: no statement; `awakeFromInsert()` is called on the first insertion.
    /// - SeeAlso: `NSManagedObject.awakeFromInsert()`, `assign(_:to:)`.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        Insertion(tracker: state.tracker, registry: state.registry).insert(object)
    }

    /// Marks an object for deletion; the next save deletes its record.
    ///
    /// ```swift
    /// context.delete(folder)  // Folder.notes has the rule cascade: its notes go, too
    /// try context.save()  // Memo.tags has the rule nullify: the tag stays, without the note
    /// ```
    ///
    /// `NSManagedObject.prepareForDeletion()` is called at once, delete rules apply at the end of the event. An unsaved
    /// insertion leaves the context. Until the save the object can be read, `rollback()` and `insert(_:)` revoke the
    /// deletion, and fetches leave the object out. After the save it belongs to no context. A Deny rule makes the save
    /// throw 1600, a mandatory relationship that would become nil 1570; nothing is deleted then.
    ///
    /// - Important: call on the context's queue. Traps for an object of another context; an object in no context is
    ///   left as it is.
    /// - Complexity: no statement. The end of the event reads the related objects that the delete rules concern, with
    ///   one statement for each relationship. For many records use `NSBatchDeleteRequest`.
    /// - SeeAlso: `NSManagedObject.isDeleted`, `propagatesDeletesAtEndOfEvent`.
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

    /// Gives insertions their permanent ids before they are saved.
    ///
    /// Use it where an id has to be stored or handed on before the save. Other objects keep their ids.
    ///
    /// ```swift
    /// let note = Memo(context: context)
    /// try context.obtainPermanentIDs(for: [note])
    /// let uri = note.objectID.uriRepresentation()  // the save keeps it
    /// try context.save()
    /// ```
    ///
    /// - Parameter objects: insertions of this context, or of an ancestor; others are skipped.
    /// - Throws: 513 for a read-only store, 134030 if no store holds the entity, 134060 without a coordinator, or the
    ///   error of a store that cannot reserve keys.
    /// - Important: call on the context's queue.
    /// - Complexity: one reservation of keys for each store and entity. Keys of objects that are never saved stay
    ///   unused.
    /// - SeeAlso: `NSManagedObjectID.isTemporaryID`, `NSManagedObject.objectID`.
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

    /// Carries out a request of any kind: batch requests, history requests, asynchronous fetches.
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
    /// - Parameter request: an `NSFetchRequest`, whose results are in the `finalResult` of the
    ///   `NSAsynchronousFetchResult` that is given; an `NSAsynchronousFetchRequest`, whose results come later; an
    ///   `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, or an
    ///   `NSPersistentHistoryChangeRequest`, which give their results.
    /// - Returns: a result of the class that belongs to the request; cast it.
    /// - Throws: as `fetch(_:)`; for an asynchronous request errors in its names, while errors of stores come as the
    ///   result's `operationError`. 134060 for an asynchronous request in a context of the confinement type, which has
    ///   no queue for the results to arrive on. 134091 (`persistentStoreUnsupportedRequestType`) for requests of other
    ///   classes, unless there are incremental stores: those get them, and the first one answers whose class knows
    ///   them.
    /// - Important: call on the context's queue. On the main queue, asynchronous results arrive only where it is
    ///   drained.
    /// - SeeAlso: `NSBatchUpdateRequest`, `mergeChanges(fromRemoteContextSave:into:)`.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult { try result(of: request) }

    // MARK: Queue

    /// Runs a block on the context's queue, later, and returns at once.
    ///
    /// ```swift
    /// context.perform {
    ///     Memo(context: context).title = "Groceries"
    ///     do { try context.save() } catch { print("The note is not saved: \(error)") }
    /// }
    /// ```
    ///
    /// Blocks run one after another, in the order of submission; the changes of a block are one event, processed at its
    /// end. Handle errors inside the block; in asynchronous code prefer `perform(schedule:_:)`, which gives a result
    /// and rethrows.
    ///
    /// - Important: may be called on any thread. Traps for a context of the confinement type, which has no queue. The
    ///   compiler warns of a block that captures values without `Sendable`, or uses properties of an actor; code that
    ///   passes blocks on compiles all the same. A block that is written on the main actor runs on the context's queue,
    ///   not on that actor.
    /// - SeeAlso: `performAndWait(_:)`, `NSPersistentContainer.performBackgroundTask(_:)`.
    /// - Source: Core Data Programming Guide, "Concurrency".
    @preconcurrency open func perform(_ block: @escaping @Sendable () -> Void) {
        let task = QueuedTask(block)
        queue.async(self) { task.run() }
    }

    /// Runs a block on the context's queue and waits for it. May be nested.
    ///
    /// Use it in code that is not asynchronous; `performAndWait(_:)` with a result is the same for blocks that give a
    /// value or throw.
    ///
    /// ```swift
    /// let context = container.newBackgroundContext()
    /// let title = try context.performAndWait {  // for code that is not asynchronous
    ///     try (context.existingObject(with: id) as? Memo)?.title
    /// }
    /// ```
    ///
    /// The block runs on the calling thread, unless the context is of the main queue; then the call waits for ever if
    /// that queue does not run. Pending changes are not processed at its end: call `processPendingChanges()` where
    /// observers have to learn of them.
    ///
    /// An override must run the block before it returns: `performAndWait` with a result calls it.
    ///
    /// - Important: may be called on any thread. A thread never waits for itself, so the call may be nested in other
    ///   blocks.
    /// - Complexity: the caller waits for the blocks that were submitted before.
    /// - SeeAlso: `perform(_:)`, `processPendingChanges()`.
    @_disfavoredOverload
    open func performAndWait(_ block: () -> Void) { queue.sync(self, block) }

    // MARK: Changes

    /// Combines the changes since the last call: applies delete rules, records undo, and posts the did-change
    /// notification.
    open func processPendingChanges() {
        checkQueue()
        state.processChanges()
    }

    /// Reads an object's values again, with or without its unsaved changes.
    ///
    /// Call it after a conflict, or for an object that may be out of date.
    ///
    /// ```swift
    /// do {
    ///     try context.save()
    /// } catch let error as CocoaError where error.code == .managedObjectMerge {
    ///     context.refresh(note, mergeChanges: true)  // takes the newer row and keeps the changes made here
    ///     try context.save()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - object: an object of this context; others are left as they are.
    ///   - flag: `true` keeps its unsaved changes and lays them over the new values; `false` drops them and turns the
    ///     object into a fault, which releases the objects it refers to.
    /// - Important: call on the context's queue.
    /// - Complexity: a row in the row cache is used; else one statement. Set `stalenessInterval` to 0 before the call
    ///   to read the store in any case, for example after another process wrote there. With `false` nothing is read
    ///   until the next access.
    /// - SeeAlso: `refreshAllObjects()`, `rollback()`, `stalenessInterval`.
    /// - Source: Core Data Programming Guide, "Faulting and Uniquing".
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkQueue()
        if state.tracker.owns(object) { RefreshPolicy(state.faults).refresh(object, mergeChanges: flag) }
    }

    /// Turns every unchanged object into a fault; changed ones keep their changes and take newer values below them.
    ///
    /// Use it after the query generation was moved on, or to release rows and relationships that are no longer needed.
    ///
    /// ```swift
    /// try context.setQueryGenerationFrom(.current)
    /// context.refreshAllObjects()  // objects read the rows of the new generation
    /// ```
    ///
    /// The transient values of unchanged objects are lost. The did-change notification names all objects under
    /// `NSRefreshedObjectsKey`.
    ///
    /// - Important: call on the context's queue.
    /// - Complexity: one pass over the registered objects; each fault reads its row again when it fires, from the row
    ///   cache if that has it.
    /// - SeeAlso: `refresh(_:mergeChanges:)`, `reset()`, `setQueryGenerationFrom(_:)`.
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

    /// Drops all unsaved changes; objects have the values that were last fetched or saved.
    ///
    /// ```swift
    /// note.title = "Grocery list"
    /// print(note.changedValues())  // ["title": "Grocery list"]
    /// context.rollback()
    /// print(note.title)  // Groceries
    /// ```
    ///
    /// Insertions leave the context, deleted objects are back, and the actions of the context in its undo manager are
    /// removed. `awake(fromSnapshotEvents:)` is called with `.rollback`. An earlier read that failed no longer makes
    /// the next save throw.
    ///
    /// - Important: call on the context's queue.
    /// - Complexity: one pass over the changed objects; reads no store. To get newer values use `refreshAllObjects()`.
    /// - SeeAlso: `reset()`, `undo()`, `refresh(_:mergeChanges:)`.
    open func rollback() {
        checkQueue()
        Rollback(state).run()
    }

    /// Forgets every object, and with it every unsaved change.
    ///
    /// Use it between the batches of an import, so that memory does not grow with the number of records.
    ///
    /// ```swift
    /// try await context.perform {
    ///     for start in stride(from: 0, to: titles.count, by: 100) {
    ///         for title in titles[start..<min(start + 100, titles.count)] { Memo(context: context).title = title }
    ///         try context.save()
    ///         context.reset()  // releases the rows of the saved notes
    ///     }
    /// }
    /// ```
    ///
    /// Objects that the program still holds belong to no context and are faults: their properties read as nil, or as
    /// the zero of their type, with a warning in the log once for each entity. Keep ids or values instead. Undo actions
    /// of the context are removed.
    ///
    /// - Important: call on the context's queue.
    /// - Complexity: one pass over the registered objects; reads no store.
    /// - SeeAlso: `rollback()`, `refreshAllObjects()`, `NSBatchInsertRequest`.
    open func reset() {
        checkQueue()
        ContextReset(state).run()
    }

    /// Writes all unsaved changes to the stores, or none of them.
    ///
    /// ```swift
    /// do {
    ///     try context.save()
    /// } catch let error as CocoaError where error.code == .managedObjectMerge {
    ///     context.refresh(note, mergeChanges: true)  // takes the newer row and keeps the changes made here
    ///     try context.save()
    /// }
    /// ```
    ///
    /// Without changes no record is written. For a context with a parent the changes go into the parent's objects, and
    /// reach the store when the parent saves. With several stores all are written or none.
    ///
    /// - Throws: a Cocoa error. Apart from 134040, everything stays as it was before the call, changes pending.
    ///   - 1550 to 1680 for a value that breaks a rule of the model, or the error that a class threw; 1560 with all of
    ///     them under `NSDetailedErrorsKey` if there are several.
    ///   - 133020 (`managedObjectMerge`) for conflicts that the merge policy does not resolve, 133021
    ///     (`managedObjectConstraintMerge`) for a uniqueness constraint.
    ///   - 513 for a read-only store; 134030 after a read that failed, or when `willSave()` never settles; else the
    ///     error of a store.
    ///   - 134040 if one of several stores failed at its commit after another one had committed.
    ///   - 134060 without a coordinator, and when it is called while the context is saving: in `willSave()`, in a
    ///     validation, or by an observer of the will-save notification. In `didSave()` and in observers of the did-save
    ///     notifications the context has saved, and may save again.
    /// - Important: call on the context's queue.
    /// - Complexity: in proportion to the changed objects, independent of the number of registered ones. One
    ///   transaction for each store.
    /// - SeeAlso: `mergePolicy`, `hasChanges`, `rollback()`, `NSManagedObject.willSave()`.
    /// - Source: Core Data Programming Guide, "Creating and Saving Managed Objects" and "Change Management".
    open func save() throws {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        // A child context saves to its parent, which no store sees.
        guard state.parent == nil else { return try SaveExecution(state).run() }
        try state.observing(.save, nil, rows: { _ in 0 }) { try SaveExecution(state).run() }
    }

    /// Merges the save of another context: refreshes, registers and deletes objects.
    ///
    /// Use it to choose which saves are merged, and when; `automaticallyMergesChangesFromParent` merges all of them.
    ///
    /// ```swift
    /// let observer = NotificationCenter.default.addObserver(
    ///     forName: .NSManagedObjectContextDidSave, object: importer, queue: nil
    /// ) { notification in
    ///     reader.mergeChanges(fromContextDidSave: notification)
    /// }
    /// ```
    ///
    /// Unsaved changes of this context stay, and other values become the saved ones. Inserted records are announced.
    /// Updated ones are refreshed if they are registered. Deleted ones are marked as deleted if they are registered.
    /// Rows that a context of another coordinator saved are read again, as are those of a notification that no context
    /// posted, such as `NSPersistentHistoryTransaction.objectIDNotification()`.
    ///
    /// - Parameter notification: a did-save notification of a context, with objects or ids. Records of stores that this
    ///   context's coordinator lacks are skipped.
    /// - Important: may be called on any thread for a context with a queue; the call then waits for that queue.
    /// - Complexity: in proportion to the records of the save; registered objects with values are read again, those of
    ///   one entity in one statement.
    /// - SeeAlso: `automaticallyMergesChangesFromParent`, `mergeChanges(fromRemoteContextSave:into:)`.
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
