// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One event, one undo record: objects as they were before it.

import CoreDataFoundation
import Foundation

/// # Invariants
/// (1) A record holds the state of every object of its event before the event; undoing one is an event of its own,
///     whose
///     record is the redo.
/// (2) A save may lie between a record and its undoing: an object that comes back after its deletion was saved has its
///     old key, and what an event did to a to-many that nobody had read is taken back member by member.
/// (3) Blocks in records are shared: an object copies its block before the next write (`ChangeTracker.endEvent`).
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
                ? nil
                : UndoRecord.Entry(
                    object: object, state: base, after: object.rare?.members ?? OrdinalValues(count: base.members.count)
                )
        }
        guard !states.isEmpty else { return }
        let record = UndoRecord(entries: states)
        undoManager.registerUndo(withTarget: context) { context in UndoRecording(context).apply(record) }
    }

    /// Puts the states back.
    private func apply(_ record: UndoRecord) {
        let held = HeldAnnouncements.begin()
        for entry in record.entries { restore(entry) }
        for entry in record.entries where entry.object.table.owner != nil {
            entry.object.awake(fromSnapshotEvents: entry.event)
        }
        held?.end()
        ChangeProcessing(context).run()
    }

    /// A save may lie between the record and now: what the object differs in is told against the row as it is saved
    /// now.
    private func restore(_ entry: UndoRecord.Entry) {
        let (object, state) = (entry.object, entry.state)
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
        restoreValues(entry, saved: saved, isReborn: !wasRegistered && object.key > 0)
        if !isNew, object.hasPersistentChangedValues || state.flags.contains(.updated) { object.flags.insert(.updated) }
        if state.flags.contains(.deleted) {
            object.flags.insert(.deletedInEvent)
        } else if !wasRegistered || before.contains(.deleted) {
            object.flags.insert(.insertedInEvent)
        } else {
            object.flags.insert(.updatedInEvent)
        }
    }

    /// An insertion that was taken back comes in again; a record whose deletion was saved becomes an insertion under
    /// its old key, which the rows in undo records refer to.
    private func register(_ object: NSManagedObject) {
        let home = object.key > 0 ? object.table.home : nil
        context.registry.register(object, home, key: object.key)
        object.flags.insert(home == nil ? .inserted : [.inserted, .hasPermanentKey])
    }

    /// The members as they were before the event.
    ///
    /// - Parameters:
    ///   - after: at the end of the event.
    ///   - isReborn: the deletion was saved; members that were not read then were read for the delete rules.
    private func restored(
        _ before: ToManyValue?, after: ToManyValue?, current: ToManyValue?, isNew: Bool, isReborn: Bool, ordered: Bool
    ) -> ToManyValue? {
        guard before != nil || after != nil || isReborn else { return current }
        if isNew, let before, !before.isFault { return before.asInsertion }
        if isReborn { return current?.asInsertion }
        if let before, let current, !before.isFault, !current.isFault { return before.rebased(on: current) }
        return (current ?? ToManyValue()).reverting(
            from: after ?? ToManyValue(), to: before ?? ToManyValue(), ordered: ordered)
    }

    private func isOrdered(_ ordinal: Int, _ layout: EntityLayout) -> Bool {
        layout.toManySlots.contains { Int(layout[$0].ordinal) == ordinal && layout.relationship($0)?.isOrdered == true }
    }

    private func restoreValues(_ entry: UndoRecord.Entry, saved: Snapshot?, isReborn: Bool) {
        let (object, state) = (entry.object, entry.state)
        let replaced = object.willReplace {
            let slots = Array(0..<object.table.layout.slotCount)
            return object.isFault ? slots : slots.filter { object.slotDiffers($0, state.snapshot, state.members) }
        }
        defer { object.didReplace(replaced) }
        // A fault that was deleted got its values from its delete rules.
        guard let snapshot = state.snapshot ?? (isReborn ? object.snapshot : nil) else { return }
        object.flags.subtract([.fault, .ownsSnapshot])
        let rare = object.extensionMade
        rare.destinations = state.destinations
        let current = rare.members
        rare.members = state.members
        let ordinals = [state.members, entry.after, current].map(\.indices).max { $0.count < $1.count } ?? 0..<0
        for ordinal in ordinals {
            rare.members[ordinal] = restored(
                state.members[ordinal], after: entry.after[ordinal], current: current[ordinal], isNew: saved == nil,
                isReborn: isReborn, ordered: isOrdered(ordinal, object.table.layout))
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
        /// The to-manys at the end of the event: what it did to those that nobody had read.
        let after: OrdinalValues<ToManyValue>

        var event: NSSnapshotEventType {
            if !state.isRegistered { return .undoInsertion }
            return state.flags.contains(.deleted) ? .undoDeletion : .undoUpdate
        }
    }

    let entries: [Entry]
}
