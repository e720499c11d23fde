// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads values again, with or without the unsaved changes.

import Foundation

/// # Invariants
/// (1) With merge: afterwards each property that was changed here has the local value, each other one the store's; the
/// object's
///     base version is the store's, so the next save meets no conflict.
/// (2) Without merge: afterwards the object is a fault without changes.
struct RefreshPolicy {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
        guard object.table.owner === context else { return }
        if mergeChanges { merge(object) } else { fault(object) }
        noteRefresh(object)
    }

    func refreshAll() {
        for object in context.registry.objects() {
            if object.hasChanges { merge(object) } else { fault(object) }
            noteRefresh(object)
        }
        ChangeProcessing(context).run()
    }

    private func noteRefresh(_ object: NSManagedObject) {
        context.tracker.enterEvent(object)
        object.flags.insert(.refreshedInEvent)
    }

    private func fault(_ object: NSManagedObject) {
        if !object.isFault { object.willTurnIntoFault() }
        let inserted = object.flags.contains(.inserted)
        let lists = object.flags.intersection([.listed, .inEvent])
        let base = object.rare?.eventBase
        let batch = object.rare?.assignedStore
        object.snapshot = nil
        object.rare = nil
        object.flags = lists.union(.fault)
        if inserted {
            object.flags.insert(.inserted)
            object.extensionMade.assignedStore = batch
        }
        if let base { object.extensionMade.eventBase = base }
        object.didTurnIntoFault()
    }

    private func merge(_ object: NSManagedObject) {
        guard !object.flags.contains(.inserted) else { return }
        if object.isFault {
            object.snapshot = nil  // what it was primed with may be old
            return
        }
        do {
            let rows = try context.rowsBelow(
                [object.key], root: context.registry.model.layouts[object.table.layout.rootIndex],
                home: object.table.home, patience: context.stalenessInterval)
            guard let row = rows.first?.snapshot else { return }
            object.adopt(row)
            object.awake(fromSnapshotEvents: .refresh)
        } catch {
            context.readFailure = error
        }
    }
}

extension NSManagedObject {
    /// Takes the values of a row, and lays the changes made here over them.
    final func adopt(_ row: Snapshot) {
        guard let current = snapshot else {
            snapshot = row
            return
        }
        guard let rare else {
            snapshot = withOwnTransients(row, current)
            flags.remove(.ownsSnapshot)
            return
        }
        var merged = withOwnTransients(row, current)
        let kept = rare.changed.slots.filter { slot in
            table.layout[slot].word >= 0 && !table.layout[slot].isTransient
                && !(rare.committed.map { $0.isEqual(current, slot: slot) } ?? false)
        }
        if !kept.isEmpty {
            if merged === row { merged = row.copy() }
            for slot in kept { merged.take(slot, from: current) }
        }
        for slot in table.layout.toOneSlots {
            let ordinal = Int(table.layout[slot].ordinal)
            if !merged.isEqual(current, slot: slot) { rare.destinations[ordinal] = nil }
        }
        for ordinal in rare.members.indices {
            if rare.members[ordinal]?.hasChanges == true {
                rare.members[ordinal]?.refault()
            } else {
                rare.members[ordinal] = nil
            }
        }
        rare.fetched = []
        snapshot = merged
        if merged === row {
            rare.committed = nil
            flags.remove(.ownsSnapshot)
        } else {
            rare.committed = row
            flags.insert(.ownsSnapshot)
        }
    }

    private func withOwnTransients(_ row: Snapshot, _ current: Snapshot) -> Snapshot {
        let kept = table.layout.transientSlots.filter { !row.isEqual(current, slot: $0) }
        guard !kept.isEmpty else { return row }
        let result = row.copy()
        for slot in kept { result.take(slot, from: current) }
        return result
    }
}

extension Snapshot {
    /// Copies one slot. Only for an owned block.
    func take(_ slot: Int, from other: Snapshot) {
        guard layout[slot].word >= 0 else { return }
        if other.isNull(slot) { return setNull(slot) }
        switch layout[slot].kind {
        case .integer, .boolean: setInteger(other.integer(slot), slot)
        case .float, .double, .date: setDouble(other.double(slot), slot)
        case .string: setString(other.string(slot), slot)
        case .box: if let box = other.box(slot) { setBox(box, slot) }
        case .reference: if let reference = other.reference(slot) { setReference(reference, slot) }
        case .toMany, .fetched: break
        }
    }
}
