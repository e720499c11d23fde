// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Uniquing: one object per record per context.

import Foundation
import Synchronization

/// The tables of one context, by store and entity, and through them its identity maps.
final class ObjectRegistry {
    let model: ModelLayout
    private unowned(unsafe) let owner: any ObjectOwner
    private let lock = ObjectLock()
    @exclusivity(unchecked) private var homes: [Home] = []
    /// The permanent ids of former temporary keys that rows may still contain.
    @exclusivity(unchecked) private var renamed = RenamedKeys()
    /// Whether there are undo records. Their rows cannot be searched for old keys, so all keys are remembered.
    @exclusivity(unchecked) var isUndoable = false

    /// Whether objects of a higher module retain the context.
    var isOwnerHeld = false {
        didSet {
            for home in homes { for table in home.tables { table?.isOwnerHeld = isOwnerHeld } }
        }
    }

    /// Whether a higher module follows the first changes of the context.
    var isOwnerWatched = false {
        didSet {
            for home in homes { for table in home.tables { table?.isOwnerWatched = isOwnerWatched } }
        }
    }

    /// Whether registrations are not reported to stores.
    var isSilent = false

    /// Cached results of `entity(of:)`.
    private var entitiesOfClasses: [ObjectIdentifier: NSEntityDescription] = [:]
    /// The last result: consecutive objects usually have the same class.
    @exclusivity(unchecked) private var lastEntity: (type: NSManagedObject.Type, entity: NSEntityDescription)?
    /// The table of the last new object.
    @exclusivity(unchecked) private var lastInsertion: (entity: ObjectIdentifier, table: Uncounted<ObjectTable>)?
    /// The table of the last look-up; `homes` retains it.
    @exclusivity(unchecked) private var lastTable:
        (index: Int, home: UnsafeMutableRawPointer?, table: Uncounted<ObjectTable>)?

    private final class Home {
        let identity: StoreIdentity?
        @exclusivity(unchecked) var maps: [IdentityMap?]
        @exclusivity(unchecked) var tables: [ObjectTable?]

        init(_ identity: StoreIdentity?, count: Int) {
            self.identity = identity
            maps = Array(repeating: nil, count: count)
            tables = Array(repeating: nil, count: count)
        }
    }

    init(model: ModelLayout, owner: any ObjectOwner) {
        self.model = model
        self.owner = owner
        homes = [Home(nil, count: model.layouts.count)]
        TrackingProbe.noticeScopes()
    }

    /// Called when the context goes away: objects that outlive it have no context. They keep their values but release
    /// each other, because related objects form cycles, which would leak.
    ///
    /// - Parameter usesRowCache: whether the row cache has the rows that the context would read.
    func detachObjects(usesRowCache: Bool) {
        objects().lookAtEach { object in
            object.releaseReferences()
            if object.isFault { object.detachValues(usesRowCache: usesRowCache) }
        }
        for home in homes {
            for table in home.tables { table?.leave() }
        }
        lastTable = nil
        lastInsertion = nil
        homes = [Home(nil, count: model.layouts.count)]
        renamed = RenamedKeys()
    }

    /// - Parameter identity: nil for objects that have no store yet.
    func table(_ layoutIndex: Int, _ identity: StoreIdentity?) -> ObjectTable {
        let name = identity.map { Uncounted($0).address }
        if let lastTable, lastTable.index == layoutIndex, lastTable.home == name {
            return lastTable.table.object
        }
        let table = findTable(layoutIndex, identity)
        lastTable = (layoutIndex, name, Uncounted(table))
        return table
    }

    /// The entity of a class. Traps unless exactly one entity of the model has this class.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
        if let lastEntity, lastEntity.type == type { return lastEntity.entity }
        if let known = entitiesOfClasses[ObjectIdentifier(type)] {
            lastEntity = (type, known)
            return known
        }
        ObjectClasses.register(type)
        let entities = model.layouts.map(\.entity).filter { ObjectClasses.names($0, type) }
        guard let entity = entities.first else {
            preconditionFailure(
                "The context's model has no entity with the class '\(type)'; its entities are "
                    + model.layouts.map(\.name).joined(separator: ", "))
        }
        precondition(
            entities.count == 1,
            "Several entities have the class '\(type)': say which with `NSManagedObject(entity:insertInto:)`.")
        entitiesOfClasses[ObjectIdentifier(type)] = entity
        return entity
    }

    /// The table of new objects of an entity.
    ///
    /// Traps if the context's model has no such entity.
    func insertionTable(of entity: NSEntityDescription) -> Uncounted<ObjectTable> {
        if let lastInsertion, lastInsertion.entity == ObjectIdentifier(entity) { return lastInsertion.table }
        guard let layout = model.layout(of: entity) else {
            preconditionFailure("The context's model has no entity '\(entity.name ?? "")'.")
        }
        let table = Uncounted(table(layout.index, nil))
        if layout.entity === entity { lastInsertion = (ObjectIdentifier(entity), table) }
        return table
    }

    private func findTable(_ layoutIndex: Int, _ identity: StoreIdentity?) -> ObjectTable {
        let home = home(identity)
        if let table = home.tables[layoutIndex] { return table }
        let layout = model.layouts[layoutIndex]
        let map =
            home.maps[layout.rootIndex] ?? IdentityMap(lock, registrations: isSilent ? nil : identity?.registrations)
        home.maps[layout.rootIndex] = map
        let table = ObjectTable(layout: layout, identityMap: map, home: identity, owner: owner)
        table.isOwnerHeld = isOwnerHeld
        table.isOwnerWatched = isOwnerWatched
        home.tables[layoutIndex] = table
        return table
    }

    /// The number of registered objects.
    var count: Int { homes.reduce(0) { sum, home in home.maps.reduce(sum) { $0 + ($1?.count ?? 0) } } }

    /// The registered object, or nil.
    func object(_ key: ObjectKey, _ identity: StoreIdentity?) -> NSManagedObject? {
        if let object = table(key.entityIndex, identity).identityMap.object(key.key) { return object }
        guard key.key < 0, let id = renamed[key.key] else { return nil }
        return table(id.layout.index, id.home).identityMap.object(id.key)
    }

    /// The registered object, or a new fault.
    func unique(_ key: ObjectKey, _ identity: StoreIdentity?, row: Snapshot?) -> NSManagedObject {
        let table = table(key.entityIndex, identity)
        if let object = table.identityMap.object(key.key) { return object }
        guard key.key < 0, let id = renamed[key.key] else { return table.makeFault(key.key, row: row) }
        let home = self.table(id.layout.index, id.home)
        return home.identityMap.object(id.key) ?? home.makeFault(id.key, row: row)
    }

    /// A new fault for a row, under its permanent key if that is known by now.
    ///
    /// - Parameter row: the caller retains it.
    @inline(__always) func makeFault(
        _ table: Uncounted<ObjectTable>, _ key: Int64, _ row: Uncounted<Snapshot>
    ) -> NSManagedObject {
        guard key < 0, let id = renamed[key] else { return table.look { $0.makeFault(key, heldRow: row) } }
        return self.table(id.layout.index, id.home).makeFault(id.key, heldRow: row)
    }

    /// Registers an object under its key.
    func register(_ object: NSManagedObject, _ identity: StoreIdentity?, key: Int64) {
        let table = table(object.heldTable.look { $0.layout.index }, identity)
        object.takeDestinations()
        object.take(table)
        // Other threads may read `objectID`: first the table, then the key (Objects-T2).
        atomicMemoryFence(ordering: .releasing)
        object.key = key
        table.identityMap.register(object, key)
    }

    func unregister(_ object: NSManagedObject) {
        object.table.identityMap.unregister(object, object.key)
        object.takeDestinations()
        object.table = object.table.detached
    }

    /// Assigns an insertion its permanent key; the object stays the same.
    func rekey(_ object: NSManagedObject, _ identity: StoreIdentity, key: Int64, remembered: Bool) {
        let temporary = object.key
        object.heldTable.look { $0.identityMap.unregister(object, temporary) }
        register(object, identity, key: key)
        if remembered { remember(object.ownID, of: temporary) }
    }

    private func remember(_ id: NSManagedObjectID, of temporary: Int64) {
        renamed[temporary] = id
        if renamed.isDue, !isUndoable { renamed.sweep(keeping: temporaryReferences()) }
    }

    /// Temporary keys that rows of registered objects still contain.
    private func temporaryReferences() -> Set<Int64> {
        var keys: Set<Int64> = []
        for object in objects() {
            for row in [
                object.snapshot, object.objectExtension?.committed, object.objectExtension?.eventBase?.snapshot,
            ] {
                guard let row else { continue }
                for slot in row.layout.toOneSlots {
                    if let key = row.reference(slot)?.key, key < 0 { keys.insert(key) }
                }
            }
        }
        return keys
    }

    /// Whether any temporary key is remembered.
    var remembersKeys: Bool { !renamed.isEmpty }

    /// The permanent id of a temporary key; nil for an unsaved object, and for a key that was swept.
    func permanentID(_ temporary: Int64) -> NSManagedObjectID? { renamed[temporary] }

    /// Another context assigned a record its permanent key: assigns it to the object of this context, too, if there is
    /// one.
    func learn(_ id: NSManagedObjectID, of temporary: Int64) {
        guard let home = id.home, renamed[temporary] == nil else { return }
        if let object = table(id.layout.index, nil).identityMap.object(temporary) {
            rekey(object, home, key: id.key, remembered: true)
        } else {
            remember(id, of: temporary)
        }
    }

    /// The key of an id in this model: ids of another coordinator on the same model name the same entities.
    func key(of id: NSManagedObjectID) -> ObjectKey {
        if model.layouts.indices.contains(id.layout.index), model.layouts[id.layout.index] === id.layout {
            return id.objectKey
        }
        guard let layout = model.layout(named: id.layout.name) else {
            preconditionFailure(
                "The id \(id) is of the entity '\(id.layout.name)', which this context's model does not have.")
        }
        return ObjectKey(layout.index, id.key)
    }

    /// The store of the registered object for a reference; nil if no object is registered.
    func home(of reference: Reference) -> StoreIdentity? {
        let root = model.layouts[reference.entityIndex].rootIndex
        return homes.first { $0.identity != nil && $0.maps[root]?.object(reference.key) != nil }?.identity
    }

    /// Looks up the store again after its identity was passed to another one.
    func findStore(of identity: StoreIdentity) {
        for home in homes where home.identity === identity {
            for table in home.tables { table?.findStore() }
        }
    }

    func objects() -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        for home in homes {
            for case let map? in home.maps {
                let found = map.objects()
                if result.isEmpty { result = found } else { result += found }
            }
        }
        return result
    }

    private func home(_ identity: StoreIdentity?) -> Home {
        for position in homes.indices where homes[position].identity === identity { return homes[position] }
        let home = Home(identity, count: model.layouts.count)
        homes.append(home)
        return home
    }

    /// Releases removed stores without objects. Must not be called while tables are in use.
    func dropRemovedStores() {
        lastTable = nil
        homes.removeAll { home in
            guard let identity = home.identity, !identity.hasStore,
                home.maps.allSatisfy({ $0?.objects().isEmpty ?? true })
            else { return false }
            for table in home.tables { table?.leave() }
            return true
        }
    }
}
