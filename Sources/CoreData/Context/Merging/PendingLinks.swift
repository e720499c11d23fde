// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts unsaved changes of to-ones onto rows that others have written meanwhile, at both ends of the links.

import Foundation

/// The to-ones of one object that were changed here and are not saved. Merging-30 and 31.
///
/// A change says "from X to A". When the store's row leads to B by now, it says "from B to A": X has nothing to lose
/// any more, and B loses the object.
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

    /// Called when all objects have taken their rows.
    func rebase(_ tracker: ChangeTracker, _ faults: FaultFulfilment) {
        guard !object.isFault, let row = object.objectExtension?.committed ?? object.snapshot else { return }
        for (slot, base) in bases {
            let stored = row.reference(slot)
            if stored == base { continue }
            let inverse = Int(object.table.layout[slot].inverse)
            if let base { faults.registeredObject(at: base, from: object)?.forgetNote(of: object, inverse, tracker) }
            guard let stored else { continue }
            let end = faults.object(at: stored, from: object)
            if end === object.destination(slot) {
                // Both sides have made the link.
                end.forgetNote(of: object, inverse, tracker)
                continue
            }
            faults.realizeAll([end])
            if end.isFault || end.isMarkedDeleted { continue }
            end.objectExtension?.members[Int(end.table.layout[inverse].ordinal)]?.refault()
            end.withoutUndo { end.lose(object, inverse) }
        }
    }

    /// Takes an object that others have deleted out of the relationships that were set to it here.
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
    /// A merge is no step of undo: an object whose state before the event is not kept counts as refreshed (Undo-2).
    fileprivate final func withoutUndo(_ body: () -> Void) {
        let isKept = objectExtension?.eventBase != nil || flags.contains(.inserted)
        body()
        if isKept { return }
        objectExtension?.eventBase = nil
        flags.remove(.updatedInEvent)
        flags.insert(.refreshedInEvent)
    }

    /// A to-many forgets that an object was added or removed here. To-ones stay.
    fileprivate final func forgetNote(of object: NSManagedObject, _ slot: Int, _ tracker: ChangeTracker) {
        guard table.layout[slot].kind == .toMany, !isFault, !isMarkedDeleted, let objectExtension,
            objectExtension.members[Int(table.layout[slot].ordinal)] != nil
        else { return }
        if flags.contains(.inserted) { return dropMember(object, slot) }
        tracker.markRefreshed(self)
        announcing(slot) { objectExtension.members[Int(table.layout[slot].ordinal)]?.forget(object) }
    }
}
