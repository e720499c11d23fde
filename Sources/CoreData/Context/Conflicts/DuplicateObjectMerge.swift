// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves values and members of one object to another one that replaces it.

import Foundation

/// Only the properties of their common ancestor entity: their slots have the same numbers in both.
struct DuplicateObjectMerge {
    private let source: NSManagedObject
    private let target: NSManagedObject

    init(_ source: NSManagedObject, into target: NSManagedObject) {
        self.source = source
        self.target = target
    }

    /// Attributes and to-one relationships, including nil values.
    func moveValues() {
        let layout = source.table.layout
        for slot in common(layout.attributeSlots) where !layout[slot].isDerived {
            guard !target.realized.isEqual(source.realized, slot: slot) else { continue }
            target.announcing(slot) {
                target.willWrite(slot)
                target.realized.take(slot, from: source.realized)
            }
        }
        for slot in common(layout.toOneSlots) {
            let destination = source.destination(slot)
            source.setDestination(nil, slot)
            target.setDestination(destination === source ? target : destination, slot)
        }
    }

    /// Adds the members to the existing ones, at the end if the relationship is ordered.
    func moveMembers() {
        for slot in common(source.table.layout.toManySlots) {
            for member in source.members(slot) {
                source.removeMember(member, slot)
                target.addMember(member === source ? target : member, slot)
            }
        }
    }

    func emptyMembers() {
        for slot in common(source.table.layout.toManySlots) { target.setMembers([], slot) }
    }

    private func common(_ slots: [Int]) -> [Int] {
        let (one, other) = (source.table.layout, target.table.layout)
        if one === other { return slots }
        return slots.filter { $0 < other.slotCount && one.properties[$0].name == other.properties[$0].name }
    }
}
