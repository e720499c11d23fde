// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// To-many relationships as arrays by slot, for the rows of models (`EntityCompanion`).

import Foundation

extension NSManagedObject {
    /// The transformed members of a to-many relationship: in its order if it is ordered, otherwise saved members in the
    /// order of their first save, then unsaved ones in the order of their addition. Assigned members keep their order
    /// until the save.
    package final func memberArray<Member>(_ slot: Int, _ transform: (NSManagedObject) -> Member?) -> [Member] {
        if recordsReads { noteRead(table.layout.properties[slot].name) }
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

    /// Replaces all members of a to-many relationship; if members are only added at the end, the others are not
    /// touched.
    package final func setMemberArray(_ new: [NSManagedObject], _ slot: Int) {
        let old = membersInOrder(slot)
        if new.count >= old.count, zip(old, new).allSatisfy({ $0 === $1 }) {
            let added = new[old.count...]
            for object in added { addMember(object, slot) }
            // Saved members would be sorted before unsaved ones.
            if added.allSatisfy({ $0.key < 0 }) { return }
        } else {
            setMembers(new, slot)
        }
        arrangeMembers(new, slot)
    }

    /// Keeps the members of an unordered relationship in the order of their assignment until the save.
    private func arrangeMembers(_ new: [NSManagedObject], _ slot: Int) {
        if table.layout[slot].isOrdered || membersInOrder(slot).elementsEqual(new, by: ===) { return }
        var wanted = MemberList()
        for object in new { wanted.append(object) }
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.arrange(wanted)
    }

    /// The unsaved members of an unordered to-many relationship, in the order of their assignment.
    package final func unsavedMembers(_ slot: Int) -> [NSManagedObject] {
        table.layout[slot].isOrdered ? [] : membersInOrder(slot).filter(\.isInserted)
    }

    /// The unordered to-many relationships of an insertion that have several members.
    package final var unsavedMemberSlots: [Int] {
        if heldExtension == nil { return [] }
        return table.layout.toManySlots.filter { !table.layout[$0].isOrdered && members($0).count > 1 }
    }

    /// Whether a to-many relationship of an insertion has no members.
    package final func hasNoMembers(_ slot: Int) -> Bool {
        // An insertion without an extension has no members.
        if flags.contains(.inserted), heldExtension == nil { return true }
        return members(slot).isEmpty
    }

    /// Whether the record turned out to be missing.
    package final var isInaccessible: Bool { flags.contains(.inaccessible) }

    /// The known destinations and members of an object that is in no context.
    package final var linkedObjects: [NSManagedObject] {
        let layout = table.layout
        var result: [NSManagedObject] = []
        for slot in layout.toOneSlots { if let object = destination(slot) { result.append(object) } }
        if flags.contains(.inserted), heldExtension == nil { return result }
        for slot in layout.toManySlots { result += members(slot) }
        return result
    }

    /// Whether the entities of both objects belong to the same model.
    package final func isOfModel(of other: NSManagedObject) -> Bool {
        heldTable.look { mine in other.heldTable.look { $0.layout.model == mine.layout.model } }
    }

    /// Whether a store has, or had, a record of the object.
    package final var hasRecordKey: Bool { key > 0 }

    /// Whether the object is in a context; does not retain the context.
    package final var isInContext: Bool { hasOwner }
}
