// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies unsaved changes of to-one relationships to rows that other writers saved in the meantime, at both ends of the
// links.

import Foundation

/// The unsaved changes of an object's to-one relationships. Merging-30 and 31.
///
/// A change means "from X to A". If the store's row refers to B by now, it means "from B to A": X no longer has a link
/// to lose, and B loses the object.
struct PendingLinks {
    private let object: NSManagedObject
    private let bases: [(slot: Int, end: Reference?)]

    /// Called before the object takes a newer row. nil without such changes.
    init?(_ object: NSManagedObject) {
        guard let objectExtension = object.objectExtension, let committed = objectExtension.committed,
            let now = object.snapshot
        else { return nil }
        let layout = object.table.layout
        bases = layout.toOneSlots.compactMap { slot in
            guard objectExtension.changed.contains(slot), layout[slot].inverse >= 0, !layout[slot].isTransient,
                !committed.isEqual(now, slot: slot)
            else { return nil }
            return (slot, committed.reference(slot))
        }
        if bases.isEmpty { return nil }
        self.object = object
    }

    /// Called after all objects have taken their rows.
    ///
    /// - Returns: the other ends of links that may have no change left.
    func rebase(_ tracker: ChangeTracker, _ faults: FaultFulfilment) -> [NSManagedObject] {
        guard !object.isFault, let row = object.objectExtension?.committed ?? object.snapshot else { return [] }
        var settled: [NSManagedObject] = []
        for (slot, base) in bases {
            let stored = row.reference(slot)
            if stored == base { continue }
            let inverse = Int(object.table.layout[slot].inverse)
            if let base, let end = faults.registeredObject(at: base, from: object) {
                end.forgetNote(of: object, inverse, tracker)
                settled.append(end)
            }
            guard let stored else { continue }
            let end = faults.object(at: stored, from: object)
            if end === object.destination(slot) {
                // The other writer has made the same link.
                end.forgetNote(of: object, inverse, tracker)
                settled.append(end)
                continue
            }
            faults.realizeAll([end])
            if end.isFault || end.isMarkedDeleted { continue }
            end.objectExtension?.members[Int(end.table.layout[inverse].ordinal)]?.refault()
            end.withoutUndo { end.lose(object, inverse) }
        }
        return settled
    }

    /// Removes an object that another writer has deleted from the relationships that were set to it here.
    static func cut(_ object: NSManagedObject, _ tracker: ChangeTracker) {
        guard !object.isFault, let objectExtension = object.objectExtension else { return }
        let layout = object.table.layout
        for slot in layout.toOneSlots where layout[slot].inverse >= 0 {
            guard let end = objectExtension.destinations[Int(layout[slot].ordinal)] else { continue }
            end.forgetNote(of: object, Int(layout[slot].inverse), tracker)
        }
        for slot in layout.toManySlots where layout[slot].inverse >= 0 {
            for end in objectExtension.members[Int(layout[slot].ordinal)]?.added.objects ?? [] {
                end.forgetNote(of: object, Int(layout[slot].inverse), tracker)
            }
        }
    }
}

extension NSManagedObject {
    /// A merge cannot be undone: an object without a recorded state before the event counts as refreshed (Undo-2).
    fileprivate final func withoutUndo(_ body: () -> Void) {
        let isKept = objectExtension?.eventBase != nil || flags.contains(.inserted)
        body()
        if isKept { return }
        objectExtension?.eventBase = nil
        flags.remove(.updatedInEvent)
        flags.insert(.refreshedInEvent)
    }

    /// A to-many relationship drops the recorded addition or removal of an object. Does not change to-one
    /// relationships.
    fileprivate final func forgetNote(of object: NSManagedObject, _ slot: Int, _ tracker: ChangeTracker) {
        guard table.layout[slot].kind == .toMany, !isFault, !isMarkedDeleted, let objectExtension,
            objectExtension.members[Int(table.layout[slot].ordinal)] != nil
        else { return }
        if flags.contains(.inserted) { return dropMember(object, slot) }
        tracker.markRefreshed(self)
        announcing(slot) { objectExtension.members[Int(table.layout[slot].ordinal)]?.forget(object) }
    }
}
