// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// To-manys as arrays by slot, for the rows of models (`EntityCompanion`).

import Foundation

extension NSManagedObject {
    /// The members of a to-many, each transformed: those of an ordered one in its order, others in the order of their
    /// first save, and unsaved ones in the order in which they came.
    package final func memberArray<Member>(_ slot: Int, _ transform: (NSManagedObject) -> Member?) -> [Member] {
        if isReadNoted { noteRead(table.layout.properties[slot].name) }
        let found = members(slot)
        var result: [Member] = []
        result.reserveCapacity(found.count)
        for object in Self.inOrder(found, isOrdered: table.layout[slot].isOrdered) {
            if let member = transform(object) { result.append(member) }
        }
        return result
    }

    private static func inOrder(
        _ found: ContiguousArray<NSManagedObject>, isOrdered: Bool
    ) -> ContiguousArray<NSManagedObject> {
        if isOrdered { return found }
        var last: Int64 = 0
        var isSorted = true
        for object in found {
            let key = object.key < 0 ? .max : object.key
            if key < last { isSorted = false }
            last = key
        }
        if isSorted { return found }
        let saved = found.filter { $0.key > 0 }.sorted { $0.key < $1.key }
        return ContiguousArray(saved) + found.filter { $0.key <= 0 }
    }

    /// Replaces all members of a to-many; where members are added at the end alone, only these are touched.
    package final func setMemberArray(_ new: [NSManagedObject], _ slot: Int) {
        let old = Self.inOrder(members(slot), isOrdered: table.layout[slot].isOrdered)
        if new.count >= old.count, zip(old, new).allSatisfy({ $0 === $1 }) {
            for object in new[old.count...] { addMember(object, slot) }
            return
        }
        setMembers(new, slot)
        arrangeMembers(new, slot)
    }

    /// Until the first save the members of a relationship without an order come as they were assigned. A removal moves
    /// the last member.
    private func arrangeMembers(_ new: [NSManagedObject], _ slot: Int) {
        if table.layout[slot].isOrdered || members(slot).elementsEqual(new, by: ===) { return }
        var wanted = MemberList()
        for object in new { wanted.append(object) }
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.arrange(wanted)
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
