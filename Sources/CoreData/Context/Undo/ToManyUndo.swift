// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Undoes the changes of to-many relationships, at both ends: each link once, although both ends have recorded it.

import Foundation

/// # Links undone already
/// A link may have been undone at its other end.
/// - The inverse is a to-one: its destination shows it. The to-many need not be read.
/// - The inverse is a to-many: its members show it. They are read.
/// - An object that was just restored knows its members and its destinations: only the inverse links are missing.
struct ToManyUndo {
    private let faults: FaultFulfilment
    private let returned: Set<ObjectIdentifier>

    init(_ faults: FaultFulfilment, returned: Set<ObjectIdentifier>) {
        self.faults = faults
        self.returned = returned
    }

    func undo(_ entries: [UndoRecord.Entry]) {
        readAhead(entries)
        for entry in entries {
            for (slot, change) in entry.changes.toManys {
                entry.object.announcing(slot) { undo(change, slot, of: entry.object) }
            }
        }
    }

    private func readAhead(_ entries: [UndoRecord.Entry]) {
        var unread: [ObjectIdentifier: (layout: EntityLayout, objects: [Int: [NSManagedObject]])] = [:]
        for entry in entries {
            let layout = entry.object.table.layout
            for (slot, change) in entry.changes.toManys where change.hasPlaces || layout.hasToManyInverse(slot) {
                unread[ObjectIdentifier(layout), default: (layout, [:])].objects[slot, default: []].append(entry.object)
            }
        }
        for group in unread.values {
            for (slot, objects) in group.objects { faults.realizeMembers(of: slot, in: objects) }
        }
    }

    private func undo(_ change: MembersChange, _ slot: Int, of object: NSManagedObject) {
        // From the end, so that the last additions are removed without moving the others.
        for member in change.gained.reversed() { drop(member, slot, of: object) }
        for member in change.lost where object.mayLink(slot, to: member) { add(member, slot, to: object) }
        object.arrange(slot, change)
    }

    private func drop(_ member: NSManagedObject, _ slot: Int, of object: NSManagedObject) {
        let layout = object.table.layout
        let inverse = Int(layout[slot].inverse)
        let isLinked = inverse >= 0 && object.mayLink(slot, to: member) && !isRestored(member)
        if isLinked, !layout.hasToManyInverse(slot) {
            guard member.destination(inverse) === object else { return }
        } else if inverse >= 0 {
            guard object.knowsMember(member, slot) else { return }
        }
        object.dropMember(member, slot)
        if isLinked { member.lose(object, inverse) }
    }

    private func add(_ member: NSManagedObject, _ slot: Int, to object: NSManagedObject) {
        let layout = object.table.layout
        let inverse = Int(layout[slot].inverse)
        let isLinked = inverse >= 0 && !isRestored(member)
        if isLinked, !layout.hasToManyInverse(slot), member.destination(inverse) === object { return }
        guard object.noteMember(member, slot, at: nil), isLinked else { return }
        member.gain(object, inverse, other: slot)
    }

    private func isRestored(_ object: NSManagedObject) -> Bool { returned.contains(ObjectIdentifier(object)) }
}

extension EntityLayout {
    fileprivate func hasToManyInverse(_ slot: Int) -> Bool {
        relationship(slot)?.mutualInverse?.isToMany ?? false
    }
}

extension NSManagedObject {
    /// Whether an object is among the members, as far as is known without reading them.
    fileprivate final func knowsMember(_ object: NSManagedObject, _ slot: Int) -> Bool {
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.contains(object) == true
    }

    /// Restores the positions of the members of an ordered to-many relationship.
    final func arrange(_ slot: Int, _ change: MembersChange) {
        if change.hasPlaces { arrange(slot, change.arranged(members(slot))) }
    }

    final func arrange(_ slot: Int, _ order: ContiguousArray<NSManagedObject>) {
        guard !order.elementsEqual(members(slot), by: ===) else { return }
        willChangeMembers(slot)
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.reorder(Array(order))
    }
}
