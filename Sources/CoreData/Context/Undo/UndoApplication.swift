// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes one undo record back: through the same doors as changes of the user's, so that both ends, the difference to the
// last save and the redo record come right by themselves.

import Foundation

/// # Order
/// 1. Objects that left come back: their deletion is unmarked; or they are registered anew, with their values, and
///    the other ends of their relationships with them.
/// 2. Properties are set as they were: attributes, to-manys, to-ones.
/// 3. Objects that came are deleted.
/// 4. `awake(fromSnapshotEvents:)` is called.
/// 5. At the end of the event, which may take several records back, an object without a difference from the last save
///    is no longer updated.
struct UndoApplication {
    private let tracker: ChangeTracker
    private let registry: ObjectRegistry
    private let faults: FaultFulfilment

    init(_ tracker: ChangeTracker, _ registry: ObjectRegistry, _ faults: FaultFulfilment) {
        self.tracker = tracker
        self.registry = registry
        self.faults = faults
    }

    /// The changes are part of the current event; its end makes the redo record of them.
    func takeBack(_ record: UndoRecord) {
        let held = HeldAnnouncements.begin()
        let returned = UndoneDeletions(tracker, registry, faults).bringBack(record.entries)
        restoreProperties(record.entries, returned: returned)
        assert(record.entries.allSatisfy(isTied), "(9) of Documentation/Internals/Undo.md")
        for entry in record.entries {
            if case .came = entry.fate { remove(entry.object) }
        }
        for entry in record.entries where tracker.owns(entry.object) {
            entry.object.awake(fromSnapshotEvents: entry.snapshotEvent)
        }
        held?.end()
        tracker.hasUndone = true
    }

    /// - Parameter returned: objects that have come back with their properties.
    private func restoreProperties(_ entries: [UndoRecord.Entry], returned: Set<ObjectIdentifier>) {
        var entries = entries.filter {
            !$0.changes.isEmpty && !returned.contains(ObjectIdentifier($0.object)) && $0.object.isPresent(in: tracker)
        }
        faults.realizeAll(entries.flatMap { [$0.object] + $0.changes.others }.filter { $0.isFault })
        entries.removeAll { $0.object.isFault }
        for entry in entries {
            for slot in entry.changes.attributeSlots { restore(slot, of: entry) }
        }
        UndoneMembers(faults, returned: returned).takeBack(entries)
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

    /// The insertion is taken back; once saved it is a deletion like any other, with its delete rules.
    private func remove(_ object: NSManagedObject) {
        if object.isPresent(in: tracker) { tracker.markDeleted(object) }
    }

    private func isTied(_ entry: UndoRecord.Entry) -> Bool {
        let object = entry.object
        guard object.isReachable(in: tracker) else { return true }
        return (entry.changes.toOnes.map(\.slot) + entry.changes.toManys.map(\.slot)).allSatisfy { slot in
            object.knownDestinations(slot).allSatisfy { !object.mayLink(slot, to: $0) || object.agrees(slot, with: $0) }
        }
    }
}

extension UndoRecord.PropertyChanges {
    /// The objects that relationships led to before, or no longer shall lead to.
    var others: [NSManagedObject] {
        toOnes.compactMap(\.destination) + toManys.flatMap { $0.change.gained + $0.change.lost }
    }
}

extension NSManagedObject {
    /// Whether it is one of the context's, and not deleted.
    final func isPresent(in tracker: ChangeTracker) -> Bool {
        tracker.owns(self) && flags.isDisjoint(with: [.deleted, .inaccessible])
    }

    /// Whether a relationship may lead to it: it is present, and if it has a row, that was found.
    final func isReachable(in tracker: ChangeTracker) -> Bool { isPresent(in: tracker) && !isFault }

    /// Whether undo may make a relationship of this object lead to another one: a reachable one; or one with an unsaved
    /// deletion that leaves links like this one alone, so that the relationship led to it before.
    final func mayLink(_ slot: Int, to other: NSManagedObject) -> Bool {
        guard other.table.owner === table.owner, !other.isFault, !other.flags.contains(.inaccessible) else {
            return false
        }
        // A saved deletion is in no context; rules that wait for the save have cut nothing yet.
        guard other.flags.contains(.propagated) else { return true }
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return true }
        switch other.table.layout[inverse].deleteRule {
        case .denyDeleteRule, .noActionDeleteRule: return true
        case .nullifyDeleteRule, .cascadeDeleteRule: return false
        }
    }
}
