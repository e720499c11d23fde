// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The base of stores that are loaded whole and written whole.

public import Foundation

/// A store that is read as a whole when it is added to a coordinator, and written as a whole with each save.
///
/// To keep objects in a format of your own, subclass it and override
/// - `type`, and `loadMetadata()`, which sets `metadata` (at least `NSStoreUUIDKey`, the same each time);
/// - `load()`: makes a node for each object, gives it its values, and calls `addCacheNodes(_:)`;
/// - `newReferenceObject(for:)`: what an object is known by in the file;
/// - `save()`: writes `cacheNodes()`;
/// - `newCacheNode(for:)` and `updateCacheNode(_:from:)`, where nodes keep their values in ways of their own;
/// - `metadataForPersistentStore(with:)` and `setMetadata(_:forPersistentStoreAt:)`, where coordinators are asked for
///   them.
///
/// Register it with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. Fetches, faults, versions and
/// uniqueness constraints are done here, on rows that are made of the nodes once, after `load()`.
/// `Documentation/Stores.md` has the order of calls. The store's methods are called on whatever thread saves, one save
/// at a time.
open class NSAtomicStore: NSPersistentStore {
    final let rowCache = RowCache()
    final let nodes = NodeTable()
    /// nil until the store is loaded, and once it is closed.
    final var contents: MemoryContents? {
        get { state.current }
        set { state.current = newValue }
    }
    private let state = LockedReference<MemoryContents>()
    /// What the store is opened with.
    final var opened: (model: ModelLayout, entities: [NSEntityDescription], derived: DerivedRows?)?

    /// Called by a coordinator; see `NSPersistentStore`.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: For subclasses to override

    /// Reads everything and adds a node for each object. Called once, when the store is added.
    ///
    /// - Throws: whatever is wrong; the store is not added then.
    open func load() throws {
        preconditionFailure("\(Self.self) must override load(), which adds a cache node for each object of the store.")
    }

    /// Writes everything. Called with each save, when nodes are up to date.
    ///
    /// - Throws: whatever is wrong; the context's save fails with it, and store and nodes are what they were before.
    open func save() throws {
        preconditionFailure("\(Self.self) must override save(), which writes the nodes of the store.")
    }

    /// What a new object is to be known by, for ever: a number, a string, a UUID. Called before it is saved first.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        preconditionFailure("\(Self.self) must override newReferenceObject(for:), which names a new object.")
    }

    /// A node for a new object; its id is permanent. What the node is to hold may be left to
    /// `updateCacheNode(_:from:)`, which is called when the nodes of all new objects are there.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }

    /// Brings a node up to date with a new or changed object. Copies all values unless it is overridden: those of
    /// relationships as nodes.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        NodeUpdate(self, managedObject).apply(to: node)
    }

    /// Nodes are about to be removed, since their objects were deleted. Does nothing unless it is overridden.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    // MARK: Nodes and ids

    /// All nodes. Those of the built-in stores are made by the call.
    ///
    /// - Complexity: linear in the number of objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        guard takesObjects else { return rowNodes() }
        return Set(nodes.all.values.flatMap(\.values))
    }

    /// Adds nodes to the store. To be called by `load()`; afterwards it concerns the nodes alone, no rows.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { nodes.add(cacheNodes) }

    /// The node of an object; nil when there is none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        takesObjects ? nodes[objectID] : rowNode(objectID)
    }

    /// The id of what a store knows by a reference object.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        guard let layout = model.layout(of: entity) else {
            preconditionFailure("The store's model has no entity '\(entity.name ?? "")'.")
        }
        let key = takesObjects ? referenceKey(data, layout) : Self.rowKey(data)
        return NSManagedObjectID(layout: layout, key: key, home: identity)
    }

    /// What the store knows an object by; those of the built-in stores are `NSNumber`s.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard takesObjects else { return NSNumber(value: objectID.key) }
        guard let reference = identity.references?.reference(of: objectID.key, root: objectID.layout.rootIndex) else {
            preconditionFailure("\(objectID) is no id of this store: it has no reference object.")
        }
        return reference.object
    }

    // MARK: Internal

    /// Whether the store has nodes of its own; the built-in ones have rows.
    var takesObjects: Bool { true }

    final var model: ModelLayout {
        guard let opened else { preconditionFailure("The store is used before it was added to a coordinator.") }
        return opened.model
    }

    final var entities: [NSEntityDescription] { opened?.entities ?? [] }

    final var notOpen: NSError {
        CoreDataError.storeOperation("The store \(CoreDataError.place(url)) is not open.", store: self)
    }

    /// Lets go of everything that was loaded.
    func forget() {
        contents = nil
        nodes.all = [:]
        rowCache.forgetAll()
    }

    /// See `MemoryContents.Keeper`.
    func prepare(_ tables: MemoryTables, _ changes: ChangeSet, _ outcome: SaveOutcome) throws -> any PreparedSave {
        guard contents != nil else { throw notOpen }
        let request =
            changes.objects?.request ?? NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        return NodeSave(self, request, outcome.recomputed, metadataValues.unsaved)
    }
}
