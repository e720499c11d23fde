// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Restores the links of a record that is written again after another writer deleted it.

import Foundation

/// The object has become an insertion under its old key. The store contains the effects of the deletion on other
/// records, so references to missing records are dropped, and members return only if they have no other owner.
struct DeletedRecordRestoration {
    private let object: NSManagedObject
    private let faults: FaultFulfilment

    init(_ object: NSManagedObject, _ faults: FaultFulfilment) {
        self.object = object
        self.faults = faults
    }

    /// Called after all rows were applied, when the set of objects that are written again is known.
    func relink() {
        let layout = object.table.layout
        for slot in layout.toOneSlots where !layout[slot].isTransient {
            if let other = object.destination(slot) { relink(other, slot) }
        }
        for slot in layout.toManySlots where !layout[slot].isTransient { relinkMembers(slot) }
    }

    /// The deletion has cut the link at the other end: it is restored there unless another object has taken the place
    /// (Merging-24).
    private func relink(_ other: NSManagedObject, _ slot: Int) {
        let inverse = Int(object.table.layout[slot].inverse)
        guard isThere(other), inverse < 0 || other.table.layout[inverse].kind == .toMany || isFree(other, inverse)
        else {
            return object.writeDestination(nil, slot)
        }
        if inverse >= 0 { other.gain(object, inverse, other: slot) }
    }

    private func isThere(_ other: NSManagedObject) -> Bool { !other.isMarkedDeleted && faults.hasRecord(other) }

    private func relinkMembers(_ slot: Int) {
        var value = object.memberValue(slot) ?? .empty
        value.realize([])
        let members = Array(value.members?.objects ?? [])
        object.setMemberValue(.empty, slot)
        let inverse = Int(object.table.layout[slot].inverse)
        for member in members where isThere(member) {
            if !object.ownsLinks(slot), inverse >= 0, !isFree(member, inverse) { continue }
            object.addMember(member, slot)
        }
    }

    /// Whether a member's relationship is nil or already refers to this object.
    private func isFree(_ member: NSManagedObject, _ inverse: Int) -> Bool {
        member.destination(inverse).map { $0 === object } ?? true
    }
}
