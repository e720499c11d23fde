// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One event, one undo record: objects as they were before it.

import CoreDataFoundation
import Foundation

/// # Invariants
/// (1) A record holds the state of every object of its event before the event; undoing one is an event of its own,
/// whose record
///     is the redo.
/// (2) Blocks in records are shared: an object copies its block before the next write (`ChangeTracker.endEvent`).
struct UndoRecording {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func record() {
        guard let undoManager = context.undoManager, undoManager.isUndoRegistrationEnabled else { return }
        let states = context.tracker.event.compactMap { object -> UndoRecord.Entry? in
            let base = object.rare?.eventBase ?? object.state(registered: false)
            // A refresh is no change that could be taken back.
            let changes: ObjectFlags = [.insertedInEvent, .updatedInEvent, .deletedInEvent]
            return object.flags.isDisjoint(with: changes) && base.flags == object.flags.intersection(.changeStates)
                ? nil : UndoRecord.Entry(object: object, state: base)
        }
        guard !states.isEmpty else { return }
        let record = UndoRecord(entries: states)
        undoManager.registerUndo(withTarget: context) { context in UndoRecording(context).apply(record) }
    }

    /// Puts the states back.
    private func apply(_ record: UndoRecord) {
        for entry in record.entries { restore(entry.object, entry.state) }
        for entry in record.entries where entry.object.table.owner != nil {
            entry.object.awake(fromSnapshotEvents: entry.event)
        }
        ChangeProcessing(context).run()
    }

    /// A save may lie between the record and now: what the object differs in is told against the row as it is saved
    /// now.
    private func restore(_ object: NSManagedObject, _ state: ObjectState) {
        let wasRegistered = object.table.owner != nil
        let before = object.flags
        context.tracker.enterEvent(object, registered: wasRegistered)
        context.tracker.list(object)
        guard state.isRegistered else {
            // The insertion is taken back; once saved it is a deletion like any other.
            object.flags.insert([.deleted, .deletedInEvent, .propagated])
            return
        }
        if !wasRegistered { register(object) }
        let isNew = object.flags.contains(.inserted)
        let saved = isNew ? nil : object.rare?.committed ?? (object.isFault ? nil : object.snapshot)
        object.flags.subtract([.updated, .deleted, .propagated])
        object.flags.formUnion(state.flags.intersection([.deleted, .propagated]))
        restoreValues(object, state, saved: saved)
        if !isNew, object.hasPersistentChangedValues || state.flags.contains(.updated) { object.flags.insert(.updated) }
        if state.flags.contains(.deleted) {
            object.flags.insert(.deletedInEvent)
        } else if !wasRegistered || before.contains(.deleted) {
            object.flags.insert(.insertedInEvent)
        } else {
            object.flags.insert(.updatedInEvent)
        }
    }

    /// An insertion that was taken back comes in again; a record whose deletion was saved becomes an insertion.
    private func register(_ object: NSManagedObject) {
        if object.key > 0 {
            object.key = TemporaryKey.next()
            object.rare?.objectID = nil
        }
        context.registry.register(object, nil, key: object.key)
        object.flags.insert(.inserted)
    }

    private func restoreValues(_ object: NSManagedObject, _ state: ObjectState, saved: Snapshot?) {
        guard let snapshot = state.snapshot else { return }
        object.flags.subtract([.fault, .ownsSnapshot])
        let rare = object.extensionMade
        rare.destinations = state.destinations
        let current = rare.members
        rare.members = state.members
        for ordinal in rare.members.indices {
            rare.members[ordinal] = state.members[ordinal]?.rebased(on: current[ordinal])
        }
        rare.changed = state.changed
        guard let saved else {
            object.snapshot = snapshot
            rare.committed = nil
            return
        }
        let row = snapshot.version == saved.version ? snapshot : snapshot.copy()
        if row !== snapshot { row.version = saved.version }
        object.snapshot = row
        rare.committed = row === saved ? nil : saved
        for slot in object.table.layout.attributeSlots + object.table.layout.toOneSlots
        where !row.isEqual(saved, slot: slot) {
            rare.changed.insert(slot)
        }
        for slot in object.table.layout.toManySlots
        where rare.members[Int(object.table.layout[slot].ordinal)]?.hasChanges == true { rare.changed.insert(slot) }
    }
}

private struct UndoRecord {
    struct Entry {
        let object: NSManagedObject
        let state: ObjectState

        var event: NSSnapshotEventType {
            if !state.isRegistered { return .undoInsertion }
            return state.flags.contains(.deleted) ? .undoDeletion : .undoUpdate
        }
    }

    let entries: [Entry]
}
