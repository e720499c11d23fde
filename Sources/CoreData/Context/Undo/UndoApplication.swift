// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Undoes one record through the same functions as changes of the program, which maintain the inverses, the difference
// from the last save and the redo record.

import Foundation

/// # Order
/// 1. Deleted objects are restored: their deletion is unmarked; or they are registered again, with their values and the
///    inverses of their relationships.
/// 2. Properties are restored: attributes, to-many relationships, to-one relationships.
/// 3. Inserted objects are deleted.
/// 4. `awake(fromSnapshotEvents:)` is called.
/// 5. At the end of the event, which may undo several records, an object without a difference from the last save is no
///    longer updated.
struct UndoApplication {
    private let tracker: ChangeTracker
    private let registry: ObjectRegistry
    private let faults: FaultFulfilment

    init(_ tracker: ChangeTracker, _ registry: ObjectRegistry, _ faults: FaultFulfilment) {
        self.tracker = tracker
        self.registry = registry
        self.faults = faults
    }

    /// The changes are part of the current event; its end makes the redo record for them.
    func undo(_ record: UndoRecord) {
        let held = DeferredAnnouncements.begin()
        let returned = DeletionUndo(tracker, registry, faults).restoreObjects(record.entries)
        restoreProperties(record.entries, returned: returned)
        assert(record.entries.allSatisfy(isLinked), "(9) of Documentation/Internals/Undo.md")
        for entry in record.entries {
            if case .inserted = entry.effect { remove(entry.object) }
        }
        for entry in record.entries where tracker.owns(entry.object) {
            entry.object.awake(fromSnapshotEvents: entry.snapshotEvent)
        }
        held?.end()
        tracker.hasUndone = true
    }

    /// - Parameter returned: objects that were restored with their properties.
    private func restoreProperties(_ entries: [UndoRecord.Entry], returned: Set<ObjectIdentifier>) {
        var entries = entries.filter {
            !$0.changes.isEmpty && !returned.contains(ObjectIdentifier($0.object)) && $0.object.isPresent(in: tracker)
        }
        faults.realizeAll(entries.flatMap { [$0.object] + $0.changes.others }.filter { $0.isFault })
        entries.removeAll { $0.object.isFault }
        for entry in entries {
            for slot in entry.changes.attributeSlots { restore(slot, of: entry) }
        }
        ToManyUndo(faults, returned: returned).undo(entries)
        for entry in entries {
            for (slot, destination) in entry.changes.toOnes {
                let destination = destination.flatMap { entry.object.mayLink(slot, to: $0) ? $0 : nil }
                guard entry.object.destination(slot) !== destination else { continue }
                entry.object.setDestination(destination, slot, isUndoing: true)
            }
        }
    }

    private func restore(_ slot: Int, of entry: UndoRecord.Entry) {
        guard let values = entry.changes.attributes else { return }
        entry.object.announcing(slot) {
            entry.object.willWrite(slot)
            entry.object.realized.take(slot, from: values)
        }
    }

    /// Undoes the insertion; if it was saved, this is an ordinary deletion, with its delete rules.
    private func remove(_ object: NSManagedObject) {
        if object.isPresent(in: tracker) { tracker.markDeleted(object) }
    }

    private func isLinked(_ entry: UndoRecord.Entry) -> Bool {
        let object = entry.object
        guard object.isReachable(in: tracker) else { return true }
        return (entry.changes.toOnes.map(\.slot) + entry.changes.toManys.map(\.slot)).allSatisfy { slot in
            object.knownDestinations(slot).allSatisfy { !object.mayLink(slot, to: $0) || object.agrees(slot, with: $0) }
        }
    }
}

extension UndoRecord.PropertyChanges {
    /// The previous destinations of relationships, and those to be removed.
    var others: [NSManagedObject] {
        toOnes.compactMap(\.destination) + toManys.flatMap { $0.change.gained + $0.change.lost }
    }
}

extension NSManagedObject {
    /// Whether the object is in the context, and not deleted.
    final func isPresent(in tracker: ChangeTracker) -> Bool {
        tracker.owns(self) && flags.isDisjoint(with: [.deleted, .inaccessible])
    }

    /// Whether a relationship may refer to the object: it is present, and its row, if it has one, was found.
    final func isReachable(in tracker: ChangeTracker) -> Bool { isPresent(in: tracker) && !isFault }

    /// Whether undo may make a relationship of this object refer to another one: a reachable one; or one with an
    /// unsaved deletion and delete rules that do not affect such links, so that the relationship referred to it before.
    final func mayLink(_ slot: Int, to other: NSManagedObject) -> Bool {
        guard other.table.owner === table.owner, !other.isFault, !other.flags.contains(.inaccessible) else {
            return false
        }
        // An object with a saved deletion has no context; deferred rules have not nullified anything yet.
        guard other.flags.contains(.propagated) else { return true }
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return true }
        switch other.table.layout[inverse].deleteRule {
        case .denyDeleteRule, .noActionDeleteRule: return true
        case .nullifyDeleteRule, .cascadeDeleteRule: return false
        }
    }
}
