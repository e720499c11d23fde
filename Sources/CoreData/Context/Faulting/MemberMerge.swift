// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Merges the to-many relationships of one object with the members that another writer saved in the meantime.

import Foundation

/// # Merged links
/// A to-many relationship with a to-one inverse is stored in the rows of its members. Merging those rows determines its
/// links; here only its order is merged. All other links belong to the object.
///
/// Additions and removals are recorded separately from the members. So most of a merge is to read the members again
/// (`NewerRows`). This type drops recorded changes, merges orders, and restores whole sets of members.
struct MemberMerge {
    private let object: NSManagedObject
    private let faults: FaultFulfilment
    /// The members of the links that belong to the object, before the merge, as far as they were read.
    private let before: [(slot: Int, members: [NSManagedObject])]

    init(_ object: NSManagedObject, _ faults: FaultFulfilment) {
        self.object = object
        self.faults = faults
        before = object.table.layout.toManySlots.compactMap { slot in
            guard !object.table.layout[slot].isTransient, object.ownsLinks(slot),
                let members = object.memberValue(slot)?.members
            else { return nil }
            return (slot, Array(members.objects))
        }
    }

    /// For the rollback policy: discards local additions and removals, at both ends.
    func discardChanges() {
        for (slot, value) in changedSlots {
            if object.ownsLinks(slot) {
                drop(value, slot)
            } else {
                object.setMemberValue(value.withoutOrder, slot)
            }
        }
    }

    /// Called before the row is applied, after all discarded changes were discarded.
    func mergeOrders(storeWins: Bool) {
        for (slot, value) in changedSlots where object.table.layout[slot].isOrdered && !value.isFault {
            mergeOrder(value, slot, storeWins: storeWins)
        }
    }

    /// Called after all rows were applied: restores the members from before.
    func overwrite() {
        for (slot, members) in before {
            let stored = Set(object.members(slot).map(ObjectIdentifier.init))
            object.setMembers(
                members.filter { stored.contains(ObjectIdentifier($0)) || faults.hasRecord($0) }, slot)
        }
    }

    private var changedSlots: [(slot: Int, value: ToManyValue)] {
        object.table.layout.toManySlots.compactMap { slot in
            guard !object.table.layout[slot].isTransient, let value = object.memberValue(slot), value.hasChanges else {
                return nil
            }
            return (slot, value)
        }
    }

    private func drop(_ value: ToManyValue, _ slot: Int) {
        let inverse = Int(object.table.layout[slot].inverse)
        if inverse >= 0 {
            for member in value.added.objects + value.removed.objects {
                member.forgetLink(to: object, inverse, faults)
            }
        }
        object.setMemberValue(nil, slot)
    }

    private func mergeOrder(_ value: ToManyValue, _ slot: Int, storeWins: Bool) {
        guard let saved = faults.storedMembers(of: slot, in: object) else { return }  // the save fails
        let order = OrderMerge(
            ancestor: value.committedMembers, local: Array(value.members?.objects ?? []), stored: saved
        ).merged(storeWins: storeWins)
        object.setMemberValue(ToManyValue(members: order, saved: saved), slot)
    }
}
