// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// To-manys as arrays by slot, for the rows of models (`EntityCompanion`).

import Foundation

extension NSManagedObject {
    /// The members of a to-many, each transformed: those of an ordered one in its order, others in the order of their
    /// first save, and unsaved ones in the order in which they came. Assigned ones keep their order until the save.
    package final func memberArray<Member>(_ slot: Int, _ transform: (NSManagedObject) -> Member?) -> [Member] {
        if isReadNoted { noteRead(table.layout.properties[slot].name) }
        let found = membersInOrder(slot)
        var result: [Member] = []
        result.reserveCapacity(found.count)
        for object in found { if let member = transform(object) { result.append(member) } }
        return result
    }

    private func membersInOrder(_ slot: Int) -> ContiguousArray<NSManagedObject> {
        let found = members(slot)
        if table.layout[slot].isOrdered { return found }
        var last: Int64 = 0
        var isSorted = true
        for object in found {
            let key = object.key < 0 ? .max : object.key
            if key < last { isSorted = false }
            last = key
        }
        if isSorted || isArranged(slot) { return found }
        let saved = found.filter { $0.key > 0 }.sorted { $0.key < $1.key }
        return ContiguousArray(saved) + found.filter { $0.key <= 0 }
    }

    private func isArranged(_ slot: Int) -> Bool {
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.isArranged == true
    }

    /// Replaces all members of a to-many; where members are added at the end alone, only these are touched.
    package final func setMemberArray(_ new: [NSManagedObject], _ slot: Int) {
        let old = membersInOrder(slot)
        if new.count >= old.count, zip(old, new).allSatisfy({ $0 === $1 }) {
            let added = new[old.count...]
            for object in added { addMember(object, slot) }
            // Saved ones would come before those that are unsaved.
            if added.allSatisfy({ $0.key < 0 }) { return }
        } else {
            setMembers(new, slot)
        }
        arrangeMembers(new, slot)
    }

    /// Until the save the members of a relationship without an order come as they were assigned.
    private func arrangeMembers(_ new: [NSManagedObject], _ slot: Int) {
        if table.layout[slot].isOrdered || membersInOrder(slot).elementsEqual(new, by: ===) { return }
        var wanted = MemberList()
        for object in new { wanted.append(object) }
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.arrange(wanted)
    }

    /// The unsaved members of a to-many without an order, in the order in which they were assigned.
    package final func unsavedMembers(_ slot: Int) -> [NSManagedObject] {
        table.layout[slot].isOrdered ? [] : membersInOrder(slot).filter(\.isInserted)
    }

    /// The to-manys of an insertion with several members and without an order.
    package final var unsavedMemberSlots: [Int] {
        if heldExtension == nil { return [] }
        return table.layout.toManySlots.filter { !table.layout[$0].isOrdered && members($0).count > 1 }
    }

    /// Whether a to-many has no members, for an insertion.
    package final func hasNoMembers(_ slot: Int) -> Bool {
        // One that nothing was noted of has none.
        if flags.contains(.inserted), heldExtension == nil { return true }
        return members(slot).isEmpty
    }

    /// Whether the record turned out to be missing.
    package final var isInaccessible: Bool { flags.contains(.inaccessible) }

    /// What an object that is in no context leads to.
    package final var linkedObjects: [NSManagedObject] {
        let layout = table.layout
        var result: [NSManagedObject] = []
        for slot in layout.toOneSlots { if let object = destination(slot) { result.append(object) } }
        if flags.contains(.inserted), heldExtension == nil { return result }
        for slot in layout.toManySlots { result += members(slot) }
        return result
    }

    /// Whether both are of entities of one model.
    package final func isOfModel(of other: NSManagedObject) -> Bool {
        heldTable.look { mine in other.heldTable.look { $0.layout.model == mine.layout.model } }
    }

    /// Whether a store has, or had, a record of it.
    package final var hasRecordKey: Bool { key > 0 }

    /// Whether it is in a context, without a reference to that.
    package final var isInContext: Bool { hasOwner }
}
