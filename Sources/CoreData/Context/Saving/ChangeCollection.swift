// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the changes of objects into one change set for each store.

import Foundation

struct ChangeCollection {
    private let tracker: ChangeTracker
    private let registry: ObjectRegistry
    private let settings: ContextSettings
    private let coordinator: NSPersistentStoreCoordinator
    /// A parent context accepts more than a store does: transient values, both ends of relationships.
    private let isNested: Bool
    /// By entity: looked up once per save, not once per object.
    private let insertionStores: [(any RecordStore)?]

    init(_ state: ContextState, _ coordinator: NSPersistentStoreCoordinator) {
        tracker = state.tracker
        registry = state.registry
        settings = state.settings
        self.coordinator = coordinator
        isNested = state.source.isNested
        insertionStores = coordinator.model.layouts.map(coordinator.store(forInserting:))
    }

    func collect() throws -> [StoreChanges] {
        var batches: [StoreChanges] = []
        var position = 0
        // Objects with the same table usually go to the same store.
        var lastTable: UnsafeMutableRawPointer?
        let severalStores = coordinator.attachedStores.count > 1
        try tracker.unsaved.lookAtEach { object in
            guard object.isUnsaved || object.flags.contains(.checked) else { return }
            let isMissing = object.flags.contains(.inaccessible)
            if isMissing && !object.isMissingWithMembers { return }
            let isUpdate = !object.isInserted && !object.isMarkedDeleted
            var changed = isUpdate ? object.changedRowSlots(transient: isNested) : SlotSet()
            let isWritten = !changed.isEmpty || object.hasPersistentChangedValues
            if !isWritten && !object.flags.contains(.checked) { return }
            let table = object.heldTable.address
            if severalStores || table != lastTable || object.isAssigned {
                let store = try store(for: object)
                if severalStores { try checkStores(object, store) }
                lastTable = object.isAssigned ? nil : table
                position = batches.firstIndex { $0.store === store } ?? batches.count
                if position == batches.count { batches.append(newBatch(store)) }
            }
            if registry.remembersKeys, object.resolveRemembered(registry), isUpdate {
                changed = object.changedRowSlots(transient: isNested)
            }
            if isMissing {
                addCheck(object, to: &batches[position])
            } else {
                add(object, isWritten ? changed : nil, to: &batches[position])
            }
        }
        if !isNested {
            for index in batches.indices where batches[index].store.takesObjects { addObjects(to: &batches[index]) }
        }
        return batches
    }

    private func newBatch(_ store: any RecordStore) -> StoreChanges {
        var batch = StoreChanges(store: store)
        batch.set.author = settings.read(\.transactionAuthor)
        batch.set.contextName = settings.read(\.name)
        return batch
    }

    /// - Parameter changed: attributes and to-one relationships to write; nil for an object that is only checked.
    private func add(_ object: NSManagedObject, _ changed: SlotSet?, to batch: inout StoreChanges) {
        let row = object.realized
        /// The version that the changes are based on.
        var version: Int64 {
            (object.withExistingExtension { $0.heldCommitted } ?? nil)?.look { $0.version } ?? row.version
        }
        if object.isMarkedDeleted {
            batch.set.deletes.append(.init(key: object.key, layout: object.table.layout, baseVersion: version))
            batch.deleted.append(object)
        } else if object.isInserted {
            batch.set.inserts.append(.init(key: object.key, snapshot: row, links: object.links(whole: isNested)))
            batch.inserted.append(object)
        } else if let changed {
            batch.set.updates.append(
                .init(
                    key: object.key, snapshot: row, baseVersion: version, changed: changed,
                    links: object.links(whole: isNested)))
            batch.updated.append(object)
        } else {
            addCheck(object, to: &batch)
        }
    }

    /// A deleted record is a conflict (Merging-36).
    private func addCheck(_ object: NSManagedObject, to batch: inout StoreChanges) {
        batch.set.checks.append(
            .init(key: object.key, layout: object.table.layout, baseVersion: object.realized.version))
        batch.checked.append(object)
    }

    private func addObjects(to batch: inout StoreChanges) {
        let objects = [batch.inserted, batch.updated, batch.deleted, batch.checked]
        guard let context = objects.lazy.compactMap({ $0.first?.managedObjectContext }).first else { return }
        let request = NSSaveChangesRequest(
            inserted: Set(batch.inserted), updated: Set(batch.updated), deleted: Set(batch.deleted),
            locked: Set(batch.checked))
        request.affectedStores = [batch.store]
        batch.set.objects = ChangedObjects(request: request, context: context)
    }

    private func store(for object: NSManagedObject) throws -> any RecordStore {
        let layout = object.table.layout
        if let store = object.table.records { return store }
        if let home = object.table.home {
            // An object that has left the context, and that others refer to.
            if let store = home.store as? any RecordStore { return store }
            throw CoreDataError.storeSave(
                "The store of \(object.objectID) was removed from the coordinator. Reset the context, or roll it back.")
        }
        if let assigned = object.objectExtension?.assignedStore, let store = assigned as? any RecordStore {
            return store
        }
        if let store = insertionStores[layout.index] { return store }
        throw CoreDataError.storeSave(
            "No store of the coordinator holds the entity '\(layout.name)'"
                + (coordinator.attachedStores.isEmpty ? ": it has no stores. Add one before saving." : "."))
    }

    private func checkStores(_ object: NSManagedObject, _ store: any RecordStore) throws {
        guard !object.isMarkedDeleted else { return }
        for slot in object.table.layout.toOneSlots {
            guard object.objectExtension?.changed.contains(slot) == true || object.isInserted,
                let other = object.destination(slot),
                let relationship = object.table.layout.relationship(slot)
            else { continue }
            if try self.store(for: other) !== store {
                throw CoreDataError.externalRelationship(relationship.qualifiedName, object: object)
            }
        }
        for slot in object.table.layout.toManySlots {
            let value = object.objectExtension?.members[Int(object.table.layout[slot].ordinal)]
            guard let relationship = object.table.layout.relationship(slot) else { continue }
            for other in value?.added.objects ?? [] where try self.store(for: other) !== store {
                throw CoreDataError.externalRelationship(relationship.qualifiedName, object: object)
            }
        }
    }
}

extension NSManagedObject {
    /// Attributes and to-one relationships that differ from the committed row.
    ///
    /// - Parameter transient: whether to include transient properties, which no store has.
    fileprivate final func changedRowSlots(transient: Bool) -> SlotSet {
        withExistingExtension { objectExtension in
            let committed = objectExtension.heldCommitted
            return objectExtension.changed.filter { slot in
                let place = place(slot)
                return place.word >= 0 && (transient || !place.isTransient) && slotDiffers(slot, fromSaved: committed)
            }
        } ?? SlotSet()
    }

    fileprivate final var isAssigned: Bool { withExistingExtension { $0.isAssigned } ?? false }

    /// The changes of the to-many relationships.
    ///
    /// - Parameter whole: whether to include links that a store writes at the inverse, or does not store.
    fileprivate final func links(whole: Bool) -> [ChangeSet.Links] {
        guard withExistingExtension({ $0.hasMembers }) == true, let objectExtension else { return [] }
        var result: [ChangeSet.Links] = []
        for slot in table.layout.toManySlots where whole || !table.layout[slot].isTransient {
            let ordinal = Int(table.layout[slot].ordinal)
            guard objectExtension.members.isSet(ordinal), let value = objectExtension.members[ordinal], value.hasChanges
            else { continue }
            let isOrdered = table.layout[slot].isOrdered
            if !whole, !isOrdered, table.layout.toOneInverse(slot) != nil {
                // Written at the inverse; here it only counts as a change.
                result.append(.init(slot: slot, added: [], removed: [], order: nil))
                continue
            }
            // An object that only lost members does not need to read them: the others keep their order.
            let order =
                isOrdered && !value.keepsOrder ? members(slot).filter { !$0.isMarkedDeleted }.map(\.reference) : nil
            result.append(
                .init(
                    slot: slot, added: value.added.objects.filter { !$0.isMarkedDeleted }.map(\.reference),
                    removed: value.removed.objects.filter { whole || $0.key > 0 }.map(\.reference), order: order))
        }
        return result
    }

    /// Replaces references to temporary keys by the permanent keys that were obtained before the save.
    ///
    /// - Returns: whether there may have been such references.
    fileprivate final func resolveRemembered(_ registry: ObjectRegistry) -> Bool {
        guard let snapshot, snapshot.holdsTemporaryReferences else { return false }
        let resolved = snapshot.copy()
        resolved.resolveReferences { registry.permanentID($0)?.key }
        self.snapshot = resolved
        return true
    }
}
