// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Links a record that is written again after somebody else deleted it.

import Foundation

/// The object has become an insertion under its old key. The effects of the deletion on other records are in the store.
/// So references to missing records are dropped, and members without another owner come back.
struct DeletedRecordRestoration {
    private let object: NSManagedObject
    private let faults: FaultFulfilment

    init(_ object: NSManagedObject, _ faults: FaultFulfilment) {
        self.object = object
        self.faults = faults
    }

    /// Called when all rows are taken over, and all objects of the save are known that are written again.
    func relink() {
        let layout = object.table.layout
        for slot in layout.toOneSlots where !layout[slot].isTransient {
            if let other = object.destination(slot) { relink(other, slot) }
        }
        for slot in layout.toManySlots where !layout[slot].isTransient { relinkMembers(slot) }
    }

    /// The other end has learned of the deletion: it leads back if nobody has taken the place (Merging-24).
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

    /// Whether a member, as it is now, points here or at nobody.
    private func isFree(_ member: NSManagedObject, _ inverse: Int) -> Bool {
        member.destination(inverse).map { $0 === object } ?? true
    }
}
