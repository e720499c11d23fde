// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies a child's changes to the parent's objects. NestedContexts-6 to 9.

import Foundation

/// Runs on the parent's queue, while the child waits.
///
/// # Order
/// 1. Reads all objects of the changes; if a row cannot be read, this throws, and nothing has changed.
/// 2. Searches for conflicts. If there are any, they are the outcome, and nothing has changed.
/// 3. Applies insertions, then values and to-one relationships, then members of to-many relationships, then deletions.
/// 4. Ends the parent's event: delete rules, undo, notification.
struct ChildSave {
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker
    private let faults: FaultFulfilment
    private let coordinator: NSPersistentStoreCoordinator?
    private let processing: ChangeProcessing

    /// - Parameter parent: the state of the parent.
    init(_ parent: ContextState) {
        registry = parent.registry
        tracker = parent.tracker
        faults = parent.faults
        coordinator = parent.coordinator
        processing = ChangeProcessing(parent)
    }

    func apply(_ changes: [StoreChanges]) throws -> [SaveOutcome] {
        processing.run()
        // Unchanged objects have no other strong reference.
        let touched = try changes.map(read)
        defer { withExtendedLifetime(touched) {} }
        let outcomes = changes.map(conflicts)
        guard outcomes.allSatisfy(\.conflicts.isEmpty) else { return outcomes }
        let held = DeferredAnnouncements.begin()
        for batch in changes { insert(batch) }
        for batch in changes { update(batch) }
        for batch in changes { link(batch) }
        for batch in changes { delete(batch) }
        held?.end()
        processing.run()
        return outcomes.map { outcome in
            var written = outcome
            written.isWritten = true
            return written
        }
    }

    /// The parent's object for a key of the child; registers a fault if necessary.
    private func object(_ key: Int64, _ layout: EntityLayout, _ batch: StoreChanges) -> NSManagedObject {
        object(Reference(entityIndex: layout.index, key: key), batch)
    }

    private func object(_ reference: Reference, _ batch: StoreChanges) -> NSManagedObject {
        registry.unique(
            ObjectKey(reference.entityIndex, reference.key), reference.key < 0 ? nil : batch.store.identity, row: nil)
    }

    // MARK: Before anything changes

    private func read(_ batch: StoreChanges) throws -> [NSManagedObject] {
        let keys =
            batch.set.updates.map { ($0.key, $0.snapshot.layout) } + batch.set.deletes.map { ($0.key, $0.layout) }
            + batch.set.checks.map { ($0.key, $0.layout) }
        let objects = keys.map { object($0, $1, batch) } + batch.set.inserts.compactMap { known($0, batch) }
        try faults.realizePrimed(objects)
        return objects
    }

    /// The parent's object for an insertion: exists if the child writes a deleted record again, or restores it by undo.
    private func known(_ insertion: ChangeSet.Insert, _ batch: StoreChanges) -> NSManagedObject? {
        registry.object(
            ObjectKey(insertion.snapshot.layout.index, insertion.key),
            insertion.key < 0 ? nil : batch.store.identity)
    }

    private func conflicts(_ batch: StoreChanges) -> SaveOutcome {
        var outcome = SaveOutcome()
        for (update, source) in zip(batch.set.updates, batch.updated) {
            let layout = update.snapshot.layout
            let object = object(update.key, layout, batch)
            guard let row = presentRow(object) else {
                outcome.conflicts.append(.gone(update.key, layout))
                continue
            }
            let base = source.parentRow ?? update.snapshot
            let contested = update.changed.slots.contains { slot in
                !layout[slot].isTransient && !isSame(row, base, slot) && !isSame(row, update.snapshot, slot)
            }
            if contested { outcome.conflicts.append(.changed(update.key, row)) }
        }
        for (check, source) in zip(batch.set.checks, batch.checked) {
            let object = object(check.key, check.layout, batch)
            guard let row = presentRow(object) else {
                outcome.conflicts.append(.gone(check.key, check.layout))
                continue
            }
            let base = source.parentRow ?? row
            let slots = row.layout.attributeSlots + row.layout.toOneSlots
            if slots.contains(where: { !row.layout[$0].isTransient && !isSame(row, base, $0) }) {
                outcome.conflicts.append(.changed(check.key, row))
            }
        }
        return outcome
    }

    /// The values of a record in the parent, as a shared block; nil if the record was deleted.
    private func presentRow(_ object: NSManagedObject) -> Snapshot? {
        guard !object.isMarkedDeleted, !object.isFault, !object.flags.contains(.inaccessible) else { return nil }
        object.flags.remove(.ownsSnapshot)
        return object.snapshot
    }

    /// A temporary key equals the permanent key that replaced it.
    private func isSame(_ one: Snapshot, _ other: Snapshot, _ slot: Int) -> Bool {
        if one.isEqual(other, slot: slot) { return true }
        guard one.layout[slot].kind == .reference, let a = one.reference(slot), let b = other.reference(slot) else {
            return false
        }
        func current(_ key: Int64) -> Int64 { registry.permanentID(key)?.key ?? key }
        return current(a.key) == current(b.key)
    }

    // MARK: Taking over

    private func insert(_ batch: StoreChanges) {
        let choosesStore = (coordinator?.attachedStores.count ?? 0) > 1
        for insertion in batch.set.inserts {
            let layout = insertion.snapshot.layout
            let home = insertion.key < 0 ? nil : batch.store.identity
            let known = known(insertion, batch)
            if let known, hasRecord(known) {
                restoreRecord(known, insertion.snapshot, batch)
                continue
            }
            let object =
                known ?? registry.table(layout.index, home).makeFault(insertion.key, row: insertion.snapshot)
            object.snapshot = insertion.snapshot
            object.objectExtension?.committed = nil
            object.flags.subtract([.fault, .deleted, .propagated, .deletedInEvent, .inaccessible])
            object.flags.formUnion(home == nil ? .inserted : [.inserted, .hasPermanentKey])
            if choosesStore {
                object.extensionMade.assignedStore = batch.store
                for slot in layout.toOneSlots {
                    guard let reference = insertion.snapshot.reference(slot) else { continue }
                    object.extensionMade.destinations[Int(layout[slot].ordinal)] = self.object(reference, batch)
                }
            }
            tracker.markInserted(object)
        }
    }

    /// `false` for an object without a record; faults have been read before.
    private func hasRecord(_ object: NSManagedObject) -> Bool {
        !object.flags.contains(.inaccessible) && (!object.isFault || object.isUnsaved)
    }

    /// Restores a record with these values: the parent was about to delete it, or has saved its deletion.
    private func restoreRecord(_ object: NSManagedObject, _ row: Snapshot, _ batch: StoreChanges) {
        tracker.unmarkDeleted(object)
        let slots = row.layout.attributeSlots + row.layout.toOneSlots
        write(row, slots, to: object, batch)
    }

    private func update(_ batch: StoreChanges) {
        for (update, source) in zip(batch.set.updates, batch.updated) {
            let object = object(update.key, update.snapshot.layout, batch)
            let slots = update.changed.slots
            let layout = update.snapshot.layout
            if object.snapshot === source.objectExtension?.committed,
                !slots.contains(where: { layout[$0].kind == .reference })
            {
                object.takeChangedBlock(update.snapshot, slots)
            } else {
                write(update.snapshot, slots, to: object, batch)
            }
        }
    }

    private func write(_ row: Snapshot, _ slots: [Int], to object: NSManagedObject, _ batch: StoreChanges) {
        for slot in slots {
            if row.layout[slot].kind == .reference {
                object.setDestination(row.reference(slot).map { self.object($0, batch) }, slot)
            } else {
                object.announcing(slot) {
                    object.willWrite(slot)
                    object.snapshot?.take(slot, from: row)
                }
            }
        }
    }

    private func link(_ batch: StoreChanges) {
        for update in batch.set.updates where !update.links.isEmpty {
            link(update.links, object(update.key, update.snapshot.layout, batch), batch)
        }
        for insertion in batch.set.inserts where !insertion.links.isEmpty {
            link(insertion.links, object(insertion.key, insertion.snapshot.layout, batch), batch)
        }
    }

    /// The changes include the inverse ends, so inverses are not maintained here.
    private func link(_ links: [ChangeSet.Links], _ object: NSManagedObject, _ batch: StoreChanges) {
        for link in links {
            for reference in link.removed { object.dropMember(self.object(reference, batch), link.slot) }
            for reference in link.added where self.object(reference, batch).isMarkedDeleted == false {
                _ = object.noteMember(self.object(reference, batch), link.slot, at: nil)
            }
            if let order = link.order { object.arrange(order.map { self.object($0, batch) }, link.slot) }
        }
    }

    private func delete(_ batch: StoreChanges) {
        for deletion in batch.set.deletes {
            let object = object(deletion.key, deletion.layout, batch)
            if presentRow(object) != nil { tracker.markDeleted(object) }
        }
    }
}

extension SaveOutcome.Conflict {
    fileprivate static func gone(_ key: Int64, _ layout: EntityLayout) -> SaveOutcome.Conflict {
        .init(kind: .version, key: key, layout: layout, rowKey: key, row: nil)
    }

    fileprivate static func changed(_ key: Int64, _ row: Snapshot) -> SaveOutcome.Conflict {
        .init(kind: .version, key: key, layout: row.layout, rowKey: key, row: row)
    }
}

extension NSManagedObject {
    /// Replaces the object's block by one that differs in a few attributes.
    fileprivate final func takeChangedBlock(_ row: Snapshot, _ slots: [Int]) {
        let replaced = willReplace { slots }
        defer { didReplace(replaced) }
        if !flags.contains(.updatedInEvent) { table.owner?.willChange(self) }
        let objectExtension = extensionMade
        if objectExtension.committed == nil, !flags.contains(.inserted) { objectExtension.committed = snapshot }
        snapshot = row
        flags.remove(.ownsSnapshot)
        for slot in slots { objectExtension.changed.insert(slot) }
    }

    /// Sets the order of the members of an ordered to-many relationship; members that are not listed come last.
    fileprivate final func arrange(_ order: [NSManagedObject], _ slot: Int) {
        let current = members(slot)
        let present = Set(current.map(ObjectIdentifier.init))
        let named = Set(order.map(ObjectIdentifier.init))
        let arranged =
            order.filter { present.contains(ObjectIdentifier($0)) }
            + current.filter { !named.contains(ObjectIdentifier($0)) }
        guard arranged != Array(current) else { return }
        announcing(slot) {
            willChangeMembers(slot)
            objectExtension?.members[Int(table.layout[slot].ordinal)]?.reorder(arranged)
        }
    }
}
