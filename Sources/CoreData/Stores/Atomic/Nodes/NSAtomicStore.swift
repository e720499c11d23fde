// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The base class of stores that are read and written as a whole.

public import Foundation

/// A store that is read as a whole when it is added to a coordinator, and written as a whole with each save.
///
/// To keep objects in a custom format, subclass it and override
/// - `type`, and `loadMetadata()`, which sets `metadata` (at least `NSStoreUUIDKey`, always with the same value);
/// - `load()`, which creates a node for each object, sets its values, and calls `addCacheNodes(_:)`;
/// - `newReferenceObject(for:)`, which returns the identifier of a new object in the file;
/// - `save()`, which writes `cacheNodes()`;
/// - `newCacheNode(for:)` and `updateCacheNode(_:from:)`, if nodes store their values in a custom way;
/// - `metadataForPersistentStore(with:)` and `setMetadata(_:forPersistentStoreAt:)`, if coordinators request them.
///
/// Register it with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. This class implements fetches,
/// faults, versions and uniqueness constraints, on rows that it creates from the nodes once, after `load()`.
/// `Documentation/Internals/Stores.md` has the order of calls. Its methods are called on the saving thread, one save at
/// a time.
open class NSAtomicStore: NSPersistentStore {
    package final let rowCache = RowCache()
    final let nodes = NodeTable()
    /// nil until the store is loaded, and after it is closed.
    final var contents: MemoryContents? {
        get { state.current }
        set { state.current = newValue }
    }
    private let state = LockedReference<MemoryContents>()
    /// The parameters with which the store was opened.
    final var opened: (model: ModelLayout, entities: [NSEntityDescription], derived: DerivedRows?)?

    /// Called by a coordinator; see `NSPersistentStore`.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: For subclasses to override

    /// Reads the whole store and adds a node for each object. Called once, when the store is added.
    ///
    /// - Throws: any error; the store is then not added.
    open func load() throws {
        preconditionFailure("\(Self.self) must override load(), which adds a cache node for each object of the store.")
    }

    /// Writes the whole store. Called with each save, when the nodes are up to date.
    ///
    /// - Throws: any error; the context's save then fails with it, and store and nodes return to their previous state.
    open func save() throws {
        preconditionFailure("\(Self.self) must override save(), which writes the nodes of the store.")
    }

    /// Returns the permanent identifier of a new object: a number, a string or a UUID. Called before its first save.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        preconditionFailure("\(Self.self) must override newReferenceObject(for:), which names a new object.")
    }

    /// Creates a node for a new object with a permanent id. `updateCacheNode(_:from:)`, which may set the values, is
    /// called when the nodes of all new objects exist.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }

    /// Updates a node from a new or changed object. The default implementation copies all values, with
    /// nodes for relationships.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        NodeUpdate(self, managedObject).apply(to: node)
    }

    /// Called before the nodes of deleted objects are removed. The default implementation does nothing.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    // MARK: Nodes and ids

    /// All nodes. The built-in stores create theirs for each call.
    ///
    /// - Complexity: linear in the number of objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        guard takesObjects else { return rowNodes() }
        return Set(nodes.all.values.flatMap(\.values))
    }

    /// Adds nodes to the store. Call it in `load()`; later calls add nodes but no rows.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { nodes.add(cacheNodes) }

    /// The node of an object; nil if the object does not exist.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        takesObjects ? nodes[objectID] : rowNode(objectID)
    }

    /// The id of the object with a reference object.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        guard let layout = model.layout(of: entity) else {
            preconditionFailure("The store's model has no entity '\(entity.name ?? "")'.")
        }
        let key = takesObjects ? referenceKey(data, layout) : Self.rowKey(data)
        return NSManagedObjectID(layout: layout, key: key, home: identity)
    }

    /// The reference object of an id; an `NSNumber` in the built-in stores.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard takesObjects else { return NSNumber(value: objectID.key) }
        guard let reference = identity.references?.reference(of: objectID.key, root: objectID.layout.rootIndex) else {
            preconditionFailure("\(objectID) is no id of this store: it has no reference object.")
        }
        return reference.object
    }

    // MARK: Internal

    /// Whether the store has its own nodes; the built-in ones have rows.
    package var takesObjects: Bool { true }

    final var model: ModelLayout {
        guard let opened else { preconditionFailure("The store is used before it was added to a coordinator.") }
        return opened.model
    }

    final var entities: [NSEntityDescription] { opened?.entities ?? [] }

    final var notOpen: NSError {
        CoreDataError.storeOperation("The store \(CoreDataError.place(url)) is not open.", store: self)
    }

    /// Releases all loaded contents.
    func forget() {
        contents = nil
        nodes.all = [:]
        rowCache.forgetAll()
    }

    /// See `MemoryContents.Persister`.
    func prepare(_ tables: MemoryTables, _ changes: ChangeSet, _ outcome: SaveOutcome) throws -> any PreparedSave {
        guard contents != nil else { throw notOpen }
        let request =
            changes.objects?.request ?? NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        return NodeSave(self, request, outcome.recomputed, metadataValues.unsaved)
    }
}
