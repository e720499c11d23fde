// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The context of models: changes, and saving them. SwiftData-C1 to C6.

public import CoreData
public import Foundation

/// Holds models, follows their changes, and saves all of them or none.
///
/// ```swift
/// let album = Album(name: "North")
/// album.pages = [Page(number: 1), Page(number: 2)]
/// context.insert(album)  // with its pages
/// try context.save()
/// ```
///
/// A context belongs to the code that made it, or to its actor; `ModelContainer.mainContext` to the main actor. Its
/// next call sees the saves of other contexts of the container.
///
/// Models may outlive their context: they keep its memory and its container, so attributes and relationships read as
/// before. Unsaved changes end with the context. `PersistentModel.modelContext` then gives a context for the same
/// models.
///
/// - Important: not `Sendable`. One thread or actor uses it at a time.
/// - Complexity: unchanged models are held weakly, changed ones until they are saved.
/// - SeeAlso: `fetch(_:)`, `save()`, `ModelActor()`, `managedObjectContext` for `import CoreData`.
public class ModelContext: Equatable, CustomDebugStringConvertible, SendableMetatype {
    /// The container, which the context keeps.
    public let container: ModelContainer
    @exclusivity(unchecked) private(set) final var below: EngineContext
    let isMain: Bool
    private let autosave = Autosave()
    let remote = PendingRemoteChanges()
    /// A deletion that the next save executes. SwiftData-C9.
    var waiting: DeferredDeletion?
    /// Whether the program has the managed object context.
    private(set) var isShared = false
    /// The name and the author of this context, for stores and histories.
    public private(set) var editingState: EditingState

    /// Creates a context for code that runs on one thread or actor at a time.
    ///
    /// ```swift
    /// let configuration = ModelConfiguration(url: url)
    /// let container = try ModelContainer(for: Album.self, configurations: configuration)  // Page comes along
    /// let context = ModelContext(container)
    /// ```
    ///
    /// It does not save by itself (`autosaveEnabled`), and has the saves of other contexts at its next call.
    ///
    /// - Parameter container: the container with the stores; the context keeps it.
    /// - Important: use the context where it was made. `@ModelActor` makes one for an actor.
    /// - Complexity: a context costs little; its models cost memory until they are released.
    /// - SeeAlso: `ModelContainer.mainContext`, `ModelActor()`.
    public init(_ container: ModelContainer) {
        self.container = container
        isMain = false
        below = EngineContext(concurrencyType: .confined)
        editingState = EditingState()
        begin()
    }

    init(main container: ModelContainer) {
        self.container = container
        isMain = true
        below = EngineContext(concurrencyType: .mainQueueConcurrencyType)
        editingState = EditingState()
        begin()
    }

    /// Another handle of a context whose models outlived the previous handle. Saves of others are not merged yet.
    init(_ container: ModelContainer, again below: EngineContext) {
        self.container = container
        isMain = false
        self.below = below
        editingState = EditingState()
        editingState.author = below.transactionAuthor
        below.collectSaves()
        below.readAgain()
        enter()
    }

    private func begin() {
        below.persistentStoreCoordinator = container.persistentStoreCoordinator
        below.mergePolicy = ModelMergePolicy.shared
        if isMain { below.automaticallyMergesChangesFromParent = true } else { below.collectSaves() }
        below.begin(self)
        enter()
    }

    private func enter() {
        container.register(self)
        for own in container.ownStores { own.beginState(editingState) }
    }

    deinit {
        for own in container.ownStores { own.endState(editingState) }
        if !isMain { below.loseHandle(isShared: isShared && !isKnownUniquelyReferenced(&below)) }
    }

    // MARK: State

    /// The managed object context: the interface of `import CoreData` to the same unsaved state.
    public var managedObjectContext: NSManagedObjectContext {
        synchronize()
        isShared = true
        return below
    }

    /// Whether changes are saved automatically, soon after the last one. This needs the main actor or an actor's
    /// executor. By default true for `mainContext`, and false for other contexts.
    public var autosaveEnabled: Bool {
        get { autosave.isEnabled }
        set {
            autosave.isEnabled = newValue
            below.isWatched = newValue
            if newValue, below.hasChanges { noteChange() }
        }
    }

    /// Whether there are changes to save. Deletions that others have saved already do not count.
    public var hasChanges: Bool {
        mergeOthers()
        return waiting != nil || below.hasChangesToSave
    }

    /// The models that the next save inserts.
    public var insertedModelsArray: [any PersistentModel] { models { $0.insertedObjects } }
    /// The models that the next save updates.
    public var changedModelsArray: [any PersistentModel] { models { $0.updatedObjects } }
    /// The models that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] { models { $0.deletedObjects.filter { !$0.isInaccessible } } }

    private func models(_ objects: (EngineContext) -> Set<NSManagedObject>) -> [any PersistentModel] {
        markBeforeUse()
        return objects(below).compactMap { $0 as? ModelRow }.sorted {
            $0.objectID.recordKey.magnitude < $1.objectID.recordKey.magnitude
        }
        .map(\.model)
    }

    /// Records changes for undo and redo; nil unless one is set.
    public var undoManager: UndoManager? {
        get { below.undoManager }
        set {
            markBeforeUse()
            below.undoManager = newValue
        }
    }

    /// The author of this context's transactions in the history.
    public var author: String? {
        get { below.transactionAuthor }
        set {
            below.transactionAuthor = newValue
            editingState.author = newValue
        }
    }

    /// The numbers of inserted, changed and deleted models.
    public var debugDescription: String {
        "ModelContext: \(below.insertedObjects.count) inserted, \(below.updatedObjects.count) changed, "
            + "\(below.deletedObjects.count) deleted"
    }

    /// By identity.
    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

    /// Merges the saves of others, and marks a waiting deletion's records, before a call that reads the context.
    func synchronize() {
        mergeOthers()
        markBeforeUse()
    }

    private func markBeforeUse() {
        if waiting == nil { return }
        do {
            try markDeferred()
        } catch {
            ModelLog.warn("A deletion is tried again at the save: \(error)")
        }
    }

    /// Merges the saves of others. No queue does that for a context that runs on its caller's thread.
    private func mergeOthers() {
        if !isMain, below.hasPostedSaves { below.mergeNow() }
        remote.merge(into: below)
    }

    func noteRemote(_ changes: [AnyHashable: Any]) {
        remote.note(changes)
        if isMain { below.perform { [below, remote] in remote.merge(into: below) } }
    }

    // MARK: Changes

    /// Takes in a model, and all models that it is related to. The next save writes them.
    ///
    /// ```swift
    /// let album = Album(name: "North")
    /// album.pages = [Page(number: 1), Page(number: 2)]
    /// context.insert(album)  // with its pages
    /// try context.save()
    /// ```
    ///
    /// Relating a new model to one that is in the context inserts it as well. For a deleted model of this context the
    /// deletion is revoked.
    ///
    /// - Parameter model: a new model, or one of this context.
    /// - Important: call on the context's actor. Traps for a model of another context: insert its values as a new
    ///   model, or take the same record here by `model(for:)`.
    /// - Complexity: no statement. A record with the same unique values is updated by the save.
    /// - SeeAlso: `save()`, `delete(_:)`, `autosaveEnabled`.
    public func insert<T>(_ model: T) where T: PersistentModel {
        markBeforeUse()
        let row = ModelRow.of(model)
        switch row.managedObjectContext {
        case nil: below.insertGraph(of: row)
        case below?: if row.isDeleted { below.insert(row) }
        case let other?:
            preconditionFailure("\(row) belongs to \(other) already: a model is in one context.")
        }
    }

    /// Marks a model; the next save deletes it. One that was never saved is forgotten at once.
    ///
    /// ```swift
    /// context.delete(album)  // Album.pages has the rule cascade: its pages go, too
    /// try context.save()
    /// ```
    ///
    /// Until the save `isDeleted` is true, fetches leave the model out, and `rollback()` or `insert(_:)` revoke the
    /// deletion. After it the model reads as it was last, without relationships. A delete rule `.deny` makes the save
    /// throw.
    ///
    /// - Important: call on the context's actor. Traps for a model of another context: delete it there, or
    ///   `model(for:)` of its identifier here. A model in no context is left as it is.
    /// - Complexity: no statement. For many models use `delete(model:where:includeSubclasses:)`, which deletes with one
    ///   statement for each entity.
    /// - SeeAlso: `Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`,
    ///   `save()`.
    public func delete<T>(_ model: T) where T: PersistentModel {
        markBeforeUse()
        let row = ModelRow.of(model)
        guard row.managedObjectContext === below else {
            precondition(
                row.managedObjectContext == nil,
                "\(row) belongs to another context: delete it there, or `context.model(for: model.persistentModelID)`.")
            return
        }
        if row.isInserted { row.isForgotten = true }
        below.delete(row)
        if row.isForgotten { below.processPendingChanges() }
    }

    /// Ends a step of undo, and applies delete rules to deleted models.
    public func processPendingChanges() { below.processPendingChanges() }

    /// Discards insertions and deletions, gives changed models their saved values, and empties the undo manager.
    public func rollback() {
        waiting = nil
        synchronize()
        let gone = below.deletedObjects.filter(\.isInaccessible).map(\.objectID)
        // Models that were deleted before their first save, and came back since, can be used again.
        for case let row as ModelRow in below.insertedObjects { row.isForgotten = false }
        below.rollback()
        // The deletions of others stay.
        if !gone.isEmpty {
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: gone], into: [below])
        }
        below.undoManager?.removeAllActions()
    }

    /// Runs a block, and saves.
    ///
    /// ```swift
    /// try context.transaction {
    ///     context.insert(Album(name: "North"))
    ///     context.insert(Album(name: "South"))
    /// }
    /// ```
    ///
    /// When the block throws, nothing is saved, and its changes stay unsaved: call `rollback()` to drop them. Changes
    /// from before the block are saved with it.
    ///
    /// - Throws: the error of the block, or as `save()`.
    /// - Important: call on the context's actor.
    /// - Complexity: as `save()`.
    /// - SeeAlso: `save()`, `rollback()`.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Writes all unsaved changes or none; without changes it does nothing.
    ///
    /// ```swift
    /// context.insert(Photo(name: "fjord"))
    /// do {
    ///     try context.save()
    /// } catch let error as ModelError {
    ///     print(error.entityName ?? "", error.propertyName ?? "", error.reason)
    /// }
    /// ```
    ///
    /// Of two contexts that changed one record the later save wins, property by property, and nothing is thrown. A new
    /// model with a unique value that a record has updates that record.
    ///
    /// - Throws: an error that `SwiftDataError.modelValidationFailure` matches, with entity, property, rule and
    ///   identifier, where a model breaks a rule; else the error of the store, such as 513 for a container with
    ///   `allowsSave: false` or 640 for a full disk. All changes stay, so that the save can be repeated.
    /// - Important: call on the context's actor. Posts `willSave` and `didSave` with the context as object.
    /// - Complexity: in proportion to the changed models; one transaction for each store.
    /// - SeeAlso: `autosaveEnabled`, `hasChanges`, `transaction(block:)`, `rollback()`.
    public func save() throws {
        mergeOthers()
        try below.save()
    }

    /// Runs a save of the managed object context, from either interface.
    func saveEngineContext(_ body: () throws -> Void) throws {
        NotificationCenter.default.post(name: Self.willSave, object: self)
        below.processPendingChanges()
        if below.hasChanges { try markDeferred() }
        if below.hasUnreadable { try below.checkUnreadable() }
        let record = SaveRecord(below)
        // An observer of a save may save again.
        let outer = below.saveRecord
        below.saveRecord = record
        defer {
            below.endMerging()
            below.saveRecord = outer
        }
        below.endMerging()
        do {
            record.noteDeletions(try runWaiting())
            try body()
        } catch {
            throw ValidationErrors.error(error)
        }
        record.note(below.absorbed)
        record.note(below.takeovers)
        record.noteIdentifiers()
        below.takeRewritten()
        NotificationCenter.default.post(Self.didSave, of: self) { record.userInfo }
    }

    // MARK: Autosave

    /// A model of the context changed for the first time since the last save.
    func noteChange() { autosave.schedule(self) }

    /// The queue of the actor that owns the context.
    var executorQueue: DispatchQueue? {
        get { autosave.queue }
        set { autosave.queue = newValue }
    }

    func saveByItself() {
        guard autosaveEnabled, below.hasChanges || waiting != nil else { return }
        do {
            try save()
        } catch {
            ModelLog.warn("An automatic save failed, and is tried again with the next change: \(error)")
        }
    }

    // MARK: Notifications

    /// Posted before a save, with the context as object.
    public static let willSave = Notification.Name("ModelContextWillSave")
    /// Posted after a save, with the context as object, and the identifiers under the raw values of `NotificationKey`.
    public static let didSave = Notification.Name("ModelContextDidSave")

    /// The keys of `didSave`.
    public enum NotificationKey: String, Sendable {
        /// `[PersistentIdentifier]`.
        case insertedIdentifiers = "inserted"
        /// `[PersistentIdentifier]`.
        case updatedIdentifiers = "updated"
        /// `[PersistentIdentifier]`.
        case deletedIdentifiers = "deleted"
        /// All models of the context lost their values.
        case invalidatedAllIdentifiers = "invalidatedAll"
        /// The moment of the store that the context reads.
        case queryGeneration
    }
}

/// Contexts belong to one actor.
@available(*, unavailable)
extension ModelContext: @unchecked Sendable {}

/// Names a context for stores and histories.
public struct EditingState: Hashable, Identifiable, Sendable {
    /// The name.
    public struct ID: Hashable, Sendable {
        private let value = UUID()
    }

    /// The context's name.
    public let id = ID()
    /// The author of its transactions.
    public var author: String?

    init() {}
}

extension NSManagedObjectContextConcurrencyType {
    /// The type of a context that runs on its caller's thread.
    fileprivate static var confined: Self { Self(rawValue: 0) ?? .privateQueueConcurrencyType }
}
